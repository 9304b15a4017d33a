// Repairs, operations, holds and slots. Unique indexes hold what must never break: one open repair per node, one
// operation that is not concluded per node and per host (of kind act), one repair per (cluster, request id).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/repair.hpp"
#include "store/nodes.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

std::optional<Repair> get_repair(Tx& tx, std::string_view id);
std::optional<Repair> open_repair_of(Tx& tx, std::string_view node);
std::optional<Repair> repair_by_request(Tx& tx, std::string_view cluster, std::string_view request_id);
std::vector<Repair> ended_repairs(Tx& tx, std::string_view node, std::string_view host, Time started_since);
std::vector<std::string> nodes_with_open_repairs(Tx& tx, std::string_view cluster);
void put_repair(Tx& tx, const Repair& repair);

struct RepairFilter {
  std::string cluster, node;
  std::vector<Action> actions;
  std::vector<RepairState> states;
  std::vector<Trigger> triggers;
  bool oldest_first = false;
};
Paged<Repair> list_repairs(Tx& tx, const RepairFilter& filter, const Page& page);

std::optional<Operation> get_operation(Tx& tx, std::string_view id);
std::vector<Operation> operations_of_repair(Tx& tx, std::string_view repair);
std::vector<Operation> open_operations_of_node(Tx& tx, std::string_view node);  // not concluded (ambiguous included)
// The open ones and those concluded since then.
std::vector<Operation> operations_of_node_since(Tx& tx, std::string_view node, Time concluded_since);
void add_operation(Tx& tx, const Operation& operation);
// Replaces it if its version is still `operation.version - 1`; false: another replica was there first.
bool swap_operation(Tx& tx, const Operation& operation);

std::vector<Hold> holds_of(Tx& tx, std::string_view node);  // not released
void put_hold(Tx& tx, const Hold& hold);

std::vector<Slot> slots_of(Tx& tx, std::string_view cluster);
void take_slot(Tx& tx, const Slot& slot);
void free_slots(Tx& tx, std::string_view repair);
// Nodes of the cluster out of service for any cause (quarantined, held, cordoned by anyone, not ready, silent), without
// `except`. `silent_before`: an agent whose last heartbeat is older is silent.
std::uint32_t count_out_of_service(Tx& tx, std::string_view cluster, std::string_view except, Time silent_before);

}  // namespace sickbay::store
