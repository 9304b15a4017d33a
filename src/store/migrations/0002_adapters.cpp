// What is known of each adapter, and of each node in it from complete lists, so that a list in which nothing changed
// writes nothing about nodes. `listed`: a digest of what the last complete list said of the node, if the row agrees
// with it; empty: it does not, or there was none. Programs that do not know it must not write observations.
#include <array>

#include "store/migrations.hpp"

namespace sickbay::store {
namespace {

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long statements go on over several lines
constexpr std::string_view kStatements[] = {
    "CREATE TABLE adapter (cluster text NOT NULL REFERENCES cluster (id) ON DELETE CASCADE, name text NOT NULL, "
    "role text NOT NULL, kind text NOT NULL, unreachable_since bigint, error text NOT NULL, "
    "capabilities text NOT NULL, listed_at bigint, PRIMARY KEY (cluster, name)) SLIM",
    "ALTER TABLE node ADD COLUMN host text NOT NULL DEFAULT ''",  // filled as nodes are written
    "CREATE INDEX node_by_host ON node (host)",
    // What documents call otherwise since then.
    "UPDATE repair SET doc = replace(doc, '\"cancel_wish\":', '\"cancel_requested_by\":')",
    "UPDATE repair SET doc = replace(doc, '\"by\":\"Auto-Approved\",', "
    "'\"by\":\"Auto-Approved\",\"how\":\"automatically\",')",
    "DELETE FROM work WHERE kind = 'watch'",  // the kind is 'sync' since then, and every start wakes it
    "ALTER TABLE observation ADD COLUMN listed text NOT NULL DEFAULT ''",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

}  // namespace

extern const Migration kAdapters;
const Migration kAdapters{2, 2, kStatements};

}  // namespace sickbay::store
