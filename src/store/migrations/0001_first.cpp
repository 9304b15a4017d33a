// The first schema. Narrow columns hold what is queried, constrained or counted; everything else of an aggregate is in
// `doc`, JSON of model/json.hpp, as text: PostgreSQL's jsonb would refuse the NULs that evidence may hold. Times are
// microseconds UTC, flags 0 or 1. Unique indexes hold what must never break; their names are in failure.cpp.
#include <array>

#include "store/migrations.hpp"

namespace sickbay::store {
namespace {

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long statements go on over several lines
constexpr std::string_view kStatements[] = {
    // observe_only: after a restore, why nothing is started or sent.
    "CREATE TABLE installation (one bigint PRIMARY KEY CHECK (one = 1), id text NOT NULL, observe_only text)",
    // The highest time ever given out, more or less: the clock does not go back across restarts.
    "CREATE TABLE clock (one bigint PRIMARY KEY CHECK (one = 1), high_water bigint NOT NULL)",
    "INSERT INTO clock (one, high_water) VALUES (1, 0)",
    // Numbers that only grow: session epochs, and the last published event and audit row with the audit chain's hash.
    "CREATE TABLE counter (name text PRIMARY KEY, value bigint NOT NULL, hash text NOT NULL DEFAULT '') SLIM",
    "INSERT INTO counter (name, value) VALUES ('epoch', 0), ('event', 0), ('audit', 0)",

    "CREATE TABLE work (kind text NOT NULL, key text NOT NULL, due bigint NOT NULL, version bigint NOT NULL, "
    "claimed_until bigint NOT NULL, PRIMARY KEY (kind, key)) SLIM",
    "CREATE INDEX work_by_due ON work (due, kind, key)",
    "CREATE TABLE lease (name text PRIMARY KEY, owner text NOT NULL, epoch bigint NOT NULL, "
    "expires_at bigint NOT NULL) SLIM",

    "CREATE TABLE cluster (id text PRIMARY KEY, doc text NOT NULL)",
    "CREATE TABLE policy (cluster text NOT NULL REFERENCES cluster (id) ON DELETE CASCADE, version bigint NOT NULL, "
    "doc text NOT NULL, CONSTRAINT policy_pkey PRIMARY KEY (cluster, version))",
    "CREATE TABLE node (id text PRIMARY KEY, cluster text NOT NULL REFERENCES cluster (id) ON DELETE CASCADE, "
    "name text NOT NULL, epoch bigint NOT NULL, removed bigint NOT NULL, quarantined bigint NOT NULL, "
    "doc text NOT NULL)",
    "CREATE UNIQUE INDEX node_one_per_name ON node (cluster, name)",
    "CREATE TABLE host (id text PRIMARY KEY, cluster text NOT NULL REFERENCES cluster (id) ON DELETE CASCADE, "
    "state text NOT NULL, reserved_for_pool text NOT NULL, shape text NOT NULL, checked_at bigint, "
    "open_ticket bigint NOT NULL, doc text NOT NULL)",
    "CREATE INDEX host_by_cluster ON host (cluster, state)",
    "CREATE TABLE session (node text NOT NULL REFERENCES node (id) ON DELETE CASCADE, epoch bigint NOT NULL, "
    "hello_at bigint NOT NULL, doc text NOT NULL, PRIMARY KEY (node, epoch))",
    // The rows every heartbeat writes: no index but the key, no foreign key, so that an update stays in its page.
    "CREATE TABLE heartbeat (node text PRIMARY KEY, epoch bigint NOT NULL, at bigint NOT NULL) SLIM",
    "CREATE TABLE listening (replica text PRIMARY KEY, since bigint NOT NULL, at bigint NOT NULL) SLIM",
    "CREATE TABLE observation (node text NOT NULL REFERENCES node (id) ON DELETE CASCADE, scheduler text NOT NULL, "
    "in_service bigint NOT NULL, doc text NOT NULL, PRIMARY KEY (node, scheduler))",

    "CREATE TABLE finding (n IDENTITY, id text NOT NULL UNIQUE, node text NOT NULL, epoch bigint NOT NULL, "
    "received_at bigint NOT NULL, folded bigint NOT NULL, doc text NOT NULL)",
    "CREATE INDEX finding_by_node ON finding (node, n)",
    "CREATE INDEX finding_unfolded ON finding (node, n) WHERE folded = 0",
    "CREATE TABLE alert (id text PRIMARY KEY, cluster text NOT NULL, node text NOT NULL, host text NOT NULL, "
    "name text NOT NULL, severity text NOT NULL, state text NOT NULL, acting bigint NOT NULL, "
    "started_at bigint NOT NULL, resolved_at bigint, doc text NOT NULL)",
    "CREATE INDEX alert_by_start ON alert (cluster, started_at, id)",
    "CREATE INDEX alert_by_node ON alert (node, started_at, id)",
    "CREATE INDEX alert_by_host ON alert (host, resolved_at)",
    "CREATE INDEX alert_open ON alert (node) WHERE resolved_at IS NULL",
    "CREATE INDEX alert_open_by_cluster ON alert (cluster, node, started_at) WHERE resolved_at IS NULL",

    "CREATE TABLE repair (id text PRIMARY KEY, cluster text NOT NULL, node text NOT NULL REFERENCES node (id) "
    "ON DELETE CASCADE, host text NOT NULL, request_id text, action text NOT NULL, state text NOT NULL, "
    "triggered text NOT NULL, is_open bigint NOT NULL, created_at bigint NOT NULL, began_at bigint NOT NULL, "
    "doc text NOT NULL)",
    "CREATE UNIQUE INDEX repair_one_open_per_node ON repair (node) WHERE is_open = 1",
    "CREATE UNIQUE INDEX repair_one_per_request ON repair (cluster, request_id)",
    "CREATE INDEX repair_by_creation ON repair (cluster, created_at, id)",
    "CREATE INDEX repair_by_node ON repair (node, began_at)",
    "CREATE INDEX repair_by_host ON repair (host, began_at)",
    "CREATE TABLE operation (id text PRIMARY KEY, repair text REFERENCES repair (id) ON DELETE CASCADE, "
    "cluster text NOT NULL, node text NOT NULL, host text, kind text NOT NULL, is_open bigint NOT NULL, "
    "version bigint NOT NULL, planned_at bigint NOT NULL, doc text NOT NULL)",
    "CREATE UNIQUE INDEX operation_one_open_per_node ON operation (node) WHERE is_open = 1 AND kind = 'act'",
    "CREATE UNIQUE INDEX operation_one_open_per_host ON operation (host) WHERE is_open = 1 AND kind = 'act'",
    "CREATE INDEX operation_open ON operation (node) WHERE is_open = 1",
    "CREATE INDEX operation_by_node ON operation (node, planned_at)",
    "CREATE INDEX operation_by_repair ON operation (repair)",
    "CREATE TABLE hold (node text NOT NULL REFERENCES node (id) ON DELETE CASCADE, scheduler text NOT NULL, "
    "released bigint NOT NULL, doc text NOT NULL, PRIMARY KEY (node, scheduler))",
    "CREATE TABLE slot (cluster text NOT NULL, scope text NOT NULL, repair text NOT NULL REFERENCES repair (id) "
    "ON DELETE CASCADE, node text NOT NULL, since bigint NOT NULL, PRIMARY KEY (cluster, scope, repair)) SLIM",
    "CREATE INDEX slot_by_repair ON slot (repair)",

    "CREATE TABLE event (n IDENTITY, id text NOT NULL UNIQUE, sequence bigint UNIQUE, at bigint NOT NULL, "
    "cluster text NOT NULL, node text NOT NULL, repair text NOT NULL, kind text NOT NULL, doc text NOT NULL)",
    "CREATE INDEX event_unpublished ON event (n) WHERE sequence IS NULL",
    "CREATE INDEX event_by_cluster ON event (cluster, n)",
    "CREATE INDEX event_by_node ON event (node, n)",
    "CREATE INDEX event_by_repair ON event (repair, n)",
    "CREATE TABLE audit (n IDENTITY, id text NOT NULL UNIQUE, sequence bigint UNIQUE, at bigint NOT NULL, "
    "doc text NOT NULL)",
    "CREATE INDEX audit_unpublished ON audit (n) WHERE sequence IS NULL",
    "CREATE TABLE answered (scope text NOT NULL, id text NOT NULL, body_hash text NOT NULL, answer text NOT NULL, "
    "at bigint NOT NULL, CONSTRAINT answered_pkey PRIMARY KEY (scope, id))",
    "CREATE INDEX answered_by_time ON answered (at)",
    "CREATE TABLE principal (id text PRIMARY KEY, doc text NOT NULL)",
    "CREATE TABLE token (hash text PRIMARY KEY, node text NOT NULL, purpose text NOT NULL, doc text NOT NULL)",
    "CREATE INDEX token_by_node ON token (node)",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

}  // namespace

extern const Migration kFirst;
const Migration kFirst{1, 1, kStatements};

}  // namespace sickbay::store
