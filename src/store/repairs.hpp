// Repairs. Unique indexes hold what must never break: one open repair per node, one repair per (cluster, request id).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/repair.hpp"
#include "store/paging.hpp"
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

}  // namespace sickbay::store
