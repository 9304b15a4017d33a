// Operations, holds and slots: what a repair has of the world. Unique indexes hold what must never break: one
// operation that is not concluded per node and per host (of kind act).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/repair.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

std::optional<Operation> get_operation(Tx& tx, std::string_view id);
std::vector<Operation> operations_of_repair(Tx& tx, std::string_view repair);
std::vector<Operation> open_operations_of_node(Tx& tx, std::string_view node);  // not concluded (ambiguous included)
// The acts that are not concluded on a host, of any cluster: a host is one thing for all of them.
std::vector<Operation> open_acts_on_host(Tx& tx, std::string_view host);
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
