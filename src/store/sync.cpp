#include "store/sync.hpp"

#include <algorithm>

#include "store/sql.hpp"

namespace sickbay::store {
namespace {

std::vector<Adapter> read_adapters(Tx& tx, std::string_view condition, std::string_view cluster,
                                   std::string_view name) {
  std::vector<Adapter> out;
  using Times = std::optional<Time>;
  for (auto& [in, adapter, role, kind, since, error, capabilities, at] :
       select<std::string, std::string, std::string, std::string, Times, std::string, std::string, Times>(
           tx,
           fmt::format("SELECT cluster, name, role, kind, unreachable_since, error, capabilities, listed_at "
                       "FROM adapter WHERE cluster = ?1 AND {} ORDER BY name",
                       condition),
           cluster, name)) {
    out.push_back({std::move(in), std::move(adapter), std::move(role), std::move(kind), since, std::move(error),
                   std::move(capabilities), at});
  }
  return out;
}

}  // namespace

std::optional<Adapter> get_adapter(Tx& tx, std::string_view cluster, std::string_view name) {
  auto found = read_adapters(tx, "name = ?2", cluster, name);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<Adapter> adapters_of(Tx& tx, std::string_view cluster) {
  return read_adapters(tx, "name <> ?2", cluster, "");
}

void put_adapter(Tx& tx, const Adapter& adapter) {
  execute(tx,
          "INSERT INTO adapter (cluster, name, role, kind, unreachable_since, error, capabilities, listed_at) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (cluster, name) DO UPDATE SET role = excluded.role, "
          "kind = excluded.kind, unreachable_since = excluded.unreachable_since, error = excluded.error, "
          "capabilities = excluded.capabilities, listed_at = excluded.listed_at",
          adapter.cluster, adapter.name, adapter.role, adapter.kind, adapter.unreachable_since, adapter.error,
          adapter.capabilities, adapter.listed_at);
}

std::vector<StoredNode> nodes_listed(Tx& tx, std::string_view cluster, std::string_view scheduler) {
  std::vector<StoredNode> out;
  for (auto& [id, name, host, digest] : select<std::string, std::string, std::string, std::optional<std::string>>(
           tx,
           "SELECT node.id, node.name, node.host, observation.listed FROM node LEFT JOIN observation "
           "ON observation.node = node.id AND observation.scheduler = ?2 "
           "WHERE node.cluster = ?1 AND node.removed = 0",
           cluster, scheduler)) {
    out.push_back({std::move(id), std::move(name), std::move(host), std::move(digest)});
  }
  return out;
}

std::optional<std::string> listed(Tx& tx, std::string_view node, std::string_view scheduler) {
  return select_one<std::string>(tx, "SELECT listed FROM observation WHERE node = ?1 AND scheduler = ?2", node,
                                 scheduler);
}

void set_listed(Tx& tx, std::string_view scheduler, std::vector<Listed> digests) {
  if (digests.empty()) return;
  std::ranges::sort(digests, {}, &Listed::node);
  json::array rows;
  for (const Listed& one : digests) rows.push_back({{"node", one.node}, {"listed", one.digest}});
  execute(tx,
          "UPDATE observation SET listed = e.value ->> 'listed' FROM ROWS(?1) "
          "WHERE observation.node = e.value ->> 'node' AND observation.scheduler = ?2",
          json::serialize(rows), scheduler);
}

std::map<std::string, Time> confirmed_by_lists(Tx& tx, std::string_view cluster, std::string_view node) {
  std::map<std::string, Time> out;
  for (const auto& [scheduler, at] : select<std::string, Time>(
           tx,
           "SELECT observation.scheduler, adapter.listed_at FROM observation JOIN adapter "
           "ON adapter.cluster = ?1 AND adapter.name = observation.scheduler "
           "WHERE observation.node = ?2 AND observation.listed <> '' AND adapter.listed_at IS NOT NULL",
           cluster, node)) {
    out[scheduler] = at;
  }
  return out;
}

std::vector<std::string> nodes_that_may_wait(Tx& tx, std::string_view cluster, std::string_view adapter) {
  return select_column<std::string>(
      tx,
      "SELECT node FROM repair WHERE cluster = ?1 AND is_open = 1 "
      "UNION SELECT node FROM alert WHERE cluster = ?1 AND resolved_at IS NULL "
      "UNION SELECT node.id FROM node JOIN observation ON observation.node = node.id AND observation.scheduler = ?2 "
      "WHERE node.cluster = ?1 AND node.removed = 0 AND observation.in_service = 0",
      cluster, adapter);
}

}  // namespace sickbay::store
