// sickbay status: one cluster at a glance: is it healthy, what waits for a person, how long do repairs take.
#include <fmt/core.h>

#include <ostream>

#include "cli/context.hpp"
#include "resources/summary.hpp"

namespace sickbay::cli {
namespace {

// "61 healthy, 3 unhealthy" of {"healthy": 61, "unhealthy": 3}.
std::string counts(const std::map<std::string, std::uint64_t>& by_name) {
  std::string text;
  for (const auto& [name, count] : by_name) {
    if (count != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

void print_summary(Context& context, const resources::Summary& summary) {
  auto paper = context.paper();
  context.around.out << printable(summary.headline) << '\n';
  FieldList sheet;
  sheet.line("cluster", summary.cluster_name);
  sheet.line("nodes", counts(summary.nodes_by_state));
  sheet.line("hosts", counts(summary.hosts_by_state));
  sheet.line("alerts", fmt::format("{} firing, {} pending", summary.firing, summary.pending));
  sheet.line("open repairs", counts(summary.open_repairs_by_state));
  sheet.line("breaker", summary.breaker.open ? "OPEN" : "closed");
  sheet.line("why", summary.breaker.why);
  sheet.line("time to return", length(summary.time_to_return.whole));
  sheet.line("policy", fmt::format("version {}", summary.policy_version));
  sheet.print(paper);
  if (summary.waiting_for_a_person.empty()) return;
  context.around.out << '\n';
  Table table({"WAITS FOR YOU", "NODE", "QUESTION"});
  for (const auto& one : summary.waiting_for_a_person) {
    table.row({short_id(one.remediation_id), one.node_name, one.question});
  }
  table.print(paper);
}

Status show(Context& context) {
  SICKBAY_ASSIGN(const json::value answer, context.get("/summary"));
  return context.show<resources::Summary>(answer, [&](const auto& summary) { print_summary(context, summary); });
}

}  // namespace

void add_status(CLI::App& app, Context& context) {
  add_verb(app, context, "status", "the cluster at a glance, and what waits for you", show);
}

}  // namespace sickbay::cli
