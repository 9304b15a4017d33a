// A turn that fails is counted where every replica sees it, and named to people when it goes on (engine.md 1).
#include <array>

#include "store/migrations.hpp"

namespace sickbay::store {
namespace {

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long statements go on over several lines
constexpr std::string_view kStatements[] = {
    "ALTER TABLE work ADD COLUMN failures bigint NOT NULL DEFAULT 0",  // in a row
    "ALTER TABLE work ADD COLUMN error text NOT NULL DEFAULT ''",      // of the last one
    "CREATE INDEX work_failing ON work (kind, key) WHERE failures >= 5",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

}  // namespace

extern const Migration kFailures;
const Migration kFailures{4, 3, kStatements};

}  // namespace sickbay::store
