// Repairs.
#include "store/repairs.hpp"

#include "store/page_of.hpp"
#include "store/tables.hpp"

namespace sickbay::store {
namespace {

template <class E>
std::string names(const std::vector<E>& values) {
  std::vector<std::string> out;
  for (const E value : values) out.push_back(name_of(value));
  return out.empty() ? std::string() : json_texts(out);
}

}  // namespace

std::optional<Repair> get_repair(Tx& tx, std::string_view id) {
  return document<Repair>(tx, kRepair, "WHERE id = ?1", id);
}

std::optional<Repair> open_repair_of(Tx& tx, std::string_view node) {
  return document<Repair>(tx, kRepair, "WHERE node = ?1 AND is_open = 1", node);
}

std::optional<Repair> repair_by_request(Tx& tx, std::string_view cluster, std::string_view request_id) {
  if (request_id.empty()) return std::nullopt;
  return document<Repair>(tx, kRepair, "WHERE cluster = ?1 AND request_id = ?2", cluster, request_id);
}

std::vector<Repair> ended_repairs(Tx& tx, std::string_view node, std::string_view host, Time started_since) {
  return documents<Repair>(tx, kRepair,
                           "WHERE is_open = 0 AND began_at >= ?3 AND (node = ?1 OR (host = ?2 AND host <> '')) "
                           "ORDER BY began_at DESC, id DESC LIMIT 1000",
                           node, host, started_since);
}

std::vector<std::string> nodes_with_open_repairs(Tx& tx, std::string_view cluster) {
  return select_column<std::string>(tx, "SELECT node FROM repair WHERE cluster = ?1 AND is_open = 1 ORDER BY node",
                                    cluster);
}

void put_repair(Tx& tx, const Repair& repair) {
  const std::string action = name_of(repair.action);
  const std::string state = name_of(repair.state);
  const std::string trigger = name_of(repair.trigger);
  // A recommendation that was rejected never started; it is remembered by when it ended.
  const Time began_at = repair.started_at.value_or(repair.ended_at.value_or(repair.created_at));
  put(tx, kRepair, repair,
      {{"id", param(repair.id)},
       {"cluster", param(repair.cluster)},
       {"node", param(repair.node)},
       {"host", param(repair.host)},
       {"request_id", text_or_null(repair.request_id)},
       {"action", param(action)},
       {"state", param(state)},
       {"triggered", param(trigger)},
       {"is_open", param(!is_final(repair.state))},
       {"created_at", param(repair.created_at)},
       {"began_at", param(began_at)}});
}

Paged<Repair> list_repairs(Tx& tx, const RepairFilter& filter, const Page& page) {
  const std::string actions = names(filter.actions);
  const std::string states = names(filter.states);
  const std::string triggers = names(filter.triggers);
  Where where;
  where.add_if_set("cluster = {}", filter.cluster);
  where.add_if_set("node = {}", filter.node);
  where.add_if_set("action IN (SELECT e.value FROM EACH({}))", actions);
  where.add_if_set("state IN (SELECT e.value FROM EACH({}))", states);
  where.add_if_set("triggered IN (SELECT e.value FROM EACH({}))", triggers);
  return page_of<Repair>(tx, kRepair, std::move(where), "created_at", filter.oldest_first, page);
}

}  // namespace sickbay::store
