// How a database that lost what was committed is known (store/restore.hpp). `line`: the PostgreSQL that wrote last;
// empty: not known yet, or SQLite. `breaks`: how often the database was found broken off; `told`: of how many of them
// there is an event. The counter 'act': what was taken to be sent to a provider. Programs that do not know them would
// not see a standby that was promoted while they ran.
#include <array>

#include "store/migrations.hpp"

namespace sickbay::store {
namespace {

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long statements go on over several lines
constexpr std::string_view kStatements[] = {
    "ALTER TABLE installation ADD COLUMN line text NOT NULL DEFAULT ''",
    "ALTER TABLE installation ADD COLUMN breaks bigint NOT NULL DEFAULT 0",
    "ALTER TABLE installation ADD COLUMN told bigint NOT NULL DEFAULT 0",
    "INSERT INTO counter (name, value) VALUES ('act', 0)",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

}  // namespace

extern const Migration kLineage;
const Migration kLineage{3, 3, kStatements};

}  // namespace sickbay::store
