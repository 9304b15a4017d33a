// Operations, holds and slots: what a repair has of the world.
#include "store/operations.hpp"

#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

std::optional<Operation> get_operation(Tx& tx, std::string_view id) {
  return document<Operation>(tx, kOperation, "WHERE id = ?1", id);
}

std::vector<Operation> operations_of_repair(Tx& tx, std::string_view repair) {
  return documents<Operation>(tx, kOperation, "WHERE repair = ?1 ORDER BY planned_at, id", repair);
}

std::vector<Operation> open_operations_of_node(Tx& tx, std::string_view node) {
  return documents<Operation>(tx, kOperation, "WHERE node = ?1 AND is_open = 1 ORDER BY planned_at, id", node);
}

std::vector<Operation> open_acts_on_host(Tx& tx, std::string_view host) {
  return documents<Operation>(tx, kOperation, "WHERE host = ?1 AND is_open = 1 AND kind = 'act'", host);
}

std::vector<Operation> operations_of_node_since(Tx& tx, std::string_view node, Time concluded_since) {
  // No operation lasts longer than this from its plan to its end, but for open ones.
  constexpr Duration kLongest = hours{3};
  auto operations = documents<Operation>(tx, kOperation,
                                         "WHERE node = ?1 AND (is_open = 1 OR planned_at >= ?2) "
                                         "ORDER BY planned_at, id",
                                         node, concluded_since - kLongest);
  std::erase_if(operations, [&](const Operation& operation) {
    return operation.state == OperationState::concluded && operation.concluded_at < concluded_since;
  });
  return operations;
}

void add_operation(Tx& tx, const Operation& operation) {
  // The same id is the same intent: a repeated transaction adds it once.
  const std::string kind = name_of(operation.kind);
  const std::string doc = to_json_text(operation);
  const std::array<Param, 10> params{param(operation.id),
                                     text_or_null(operation.repair),
                                     param(operation.cluster),
                                     param(operation.node),
                                     text_or_null(operation.host),
                                     param(kind),
                                     param(operation.state != OperationState::concluded),
                                     param(operation.version),
                                     param(operation.planned_at),
                                     param(doc)};
  tx.connection().run(
      "INSERT INTO operation (id, repair, cluster, node, host, kind, is_open, version, planned_at, doc) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (id) DO NOTHING",
      params, 0);
}

bool swap_operation(Tx& tx, const Operation& operation) {
  const std::string doc = to_json_text(operation);
  const std::array<Param, 6> params{param(operation.id),          param(operation.version - 1),
                                    param(operation.version),     param(operation.state != OperationState::concluded),
                                    text_or_null(operation.host), param(doc)};
  tx.connection().run(
      "UPDATE operation SET version = ?3, is_open = ?4, host = ?5, doc = ?6 WHERE id = ?1 AND version = ?2", params, 0);
  return tx.connection().affected() == 1;
}

std::vector<Hold> holds_of(Tx& tx, std::string_view node) {
  return documents<Hold>(tx, kHold, "WHERE node = ?1 AND released = 0 ORDER BY scheduler", node);
}

void put_hold(Tx& tx, const Hold& hold) {
  put(tx, kHold, hold,
      {{"node", param(hold.node)},
       {"scheduler", param(hold.scheduler)},
       {"released", param(hold.released_at.has_value())}});
}

std::vector<Slot> slots_of(Tx& tx, std::string_view cluster) {
  std::vector<Slot> out;
  for (auto& [scope, repair, node, since] : select<std::string, std::string, std::string, Time>(
           tx, "SELECT scope, repair, node, since FROM slot WHERE cluster = ?1 ORDER BY since, scope, repair",
           cluster)) {
    out.push_back({std::string(cluster), slot_scope(scope), std::move(repair), std::move(node), since});
  }
  return out;
}

void take_slot(Tx& tx, const Slot& slot) {
  execute(tx,
          "INSERT INTO slot (cluster, scope, repair, node, since) VALUES (?1, ?2, ?3, ?4, ?5) "
          "ON CONFLICT (cluster, scope, repair) DO NOTHING",
          slot.cluster, text_of(slot.scope), slot.repair, slot.node, slot.since);
}

void free_slots(Tx& tx, std::string_view repair) {
  execute(tx, "DELETE FROM slot WHERE repair = ?1", repair);
}

std::uint32_t count_out_of_service(Tx& tx, std::string_view cluster, std::string_view except, Time silent_before) {
  return select_one<std::uint32_t>(
             tx,
             "SELECT COUNT(*) FROM node WHERE cluster = ?1 AND id <> ?2 AND removed = 0 AND (quarantined = 1 "
             "OR EXISTS (SELECT 1 FROM hold WHERE hold.node = node.id AND hold.released = 0) "
             "OR EXISTS (SELECT 1 FROM observation WHERE observation.node = node.id AND in_service = 0) "
             "OR EXISTS (SELECT 1 FROM heartbeat WHERE heartbeat.node = node.id AND heartbeat.at < ?3))",
             cluster, except, silent_before)
      .value_or(0);
}

}  // namespace sickbay::store
