// The installation, and keeping times.
#include "store/upkeep.hpp"

#include "store/sql.hpp"

namespace sickbay::store {

std::string installation_id(Tx& tx) {
  return select_one<std::string>(tx, "SELECT id FROM installation").value_or("");
}

std::size_t prune(Tx& tx, Time older_than, std::size_t limit) {
  std::size_t pruned = 0;
  // Of the growing tables the oldest rows only: they came in order, more or less, and are found without an index on
  // time. What is still wanted (not folded, not published, not ended) stays.
  pruned += execute(tx,
                    "DELETE FROM finding WHERE n IN (SELECT n FROM (SELECT n, received_at, folded FROM finding "
                    "ORDER BY n LIMIT ?2) AS oldest WHERE received_at < ?1 AND folded = 1)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM event WHERE n IN (SELECT n FROM (SELECT n, at, sequence FROM event "
                    "ORDER BY n LIMIT ?2) AS oldest WHERE at < ?1 AND sequence IS NOT NULL)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE resolved_at < ?1 "
                    "ORDER BY resolved_at LIMIT ?2)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM repair WHERE id IN (SELECT id FROM repair WHERE is_open = 0 AND began_at < ?1 "
                    "AND NOT EXISTS (SELECT 1 FROM hold WHERE hold.node = repair.node AND hold.released = 0) "
                    "AND NOT EXISTS (SELECT 1 FROM operation WHERE operation.repair = repair.id AND "
                    "operation.is_open = 1) LIMIT ?2)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM session WHERE (node, epoch) IN (SELECT session.node, session.epoch FROM session "
                    "JOIN node ON node.id = session.node WHERE session.epoch < node.epoch AND hello_at < ?1 LIMIT ?2)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM answered WHERE (scope, id) IN (SELECT scope, id FROM answered WHERE at < ?1 "
                    "ORDER BY at LIMIT ?2)",
                    older_than, limit);
  return pruned;
}

}  // namespace sickbay::store
