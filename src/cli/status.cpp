// sickbay status: one cluster at a glance: is it healthy, what waits for a person, how long do repairs take.
#include <fmt/core.h>

#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

// "61 healthy, 3 unhealthy" of {"healthy": 61, "unhealthy": 3}.
std::string counts(const json::value& summary, std::string_view member) {
  const json::value* map = summary.is_object() ? summary.get_object().if_contains(member) : nullptr;
  std::string text;
  if (!map || !map->is_object()) return text;
  for (const auto& [name, count] : map->get_object()) {
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", json::serialize(count), std::string_view(name));
  }
  return text;
}

Status show(Context& context) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value summary, server->get(cluster + "/summary"));
  if (context.as_json) {
    context.print_json(summary);
    return {};
  }
  auto paper = context.paper();
  context.around.out << printable(text_at(summary, "headline")) << '\n';
  Sheet sheet;
  sheet.line("cluster", text_at(summary, "cluster_name"));
  sheet.line("nodes", counts(summary, "nodes_by_state"));
  sheet.line("hosts", counts(summary, "hosts_by_state"));
  sheet.line("alerts", fmt::format("{} firing, {} pending", text_at(summary, "firing"), text_at(summary, "pending")));
  sheet.line("open repairs", counts(summary, "open_repairs_by_state"));
  sheet.line("breaker", text_at(summary, "breaker.open") == "yes" ? "OPEN" : "closed");
  sheet.line("why", text_at(summary, "breaker.why"));
  sheet.line("time to return", length(text_at(summary, "time_to_return.whole")));
  sheet.line("policy", "version " + text_at(summary, "policy_version"));
  sheet.print(paper);
  const json::array& waiting = list_at(summary, "waiting_for_a_person");
  if (waiting.empty()) return {};
  context.around.out << '\n';
  Table table({"WAITS FOR YOU", "NODE", "QUESTION"});
  for (const auto& one : waiting) {
    table.row({short_id(text_at(one, "remediation_id")), text_at(one, "node_name"), text_at(one, "question")});
  }
  table.print(paper);
  return {};
}

}  // namespace

void add_status(CLI::App& app, Context& context) {
  add_verb(app, context, "status", "the cluster at a glance, and what waits for you",
           [&context] { return show(context); });
}

}  // namespace sickbay::cli
