// sickbay status: one cluster at a glance: is it healthy, what waits for a person, how long do repairs take.
#include "cli/status.hpp"

#include <fmt/core.h>

#include <ostream>

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

// What an adapter says of its own failure is somebody else's text: one line, and not a whole page.
constexpr std::size_t kErrorColumns = 300;

// "slurm of cluster demo cannot be reached since 2026-05-01 10:00:07: timed out; what it says of its nodes is as of
// 2026-05-01 10:00:01".
std::string what_is_unseen(const resources::UnreachableAdapter& lost, const std::string& cluster) {
  const std::string_view what = lost.role == "provider" ? "hosts" : "nodes";
  const std::string name = fmt::format("{} of cluster {}", lost.adapter, cluster);
  if (!lost.since) return fmt::format("{} has not answered yet; nothing it says of its {} is known", name, what);
  return fmt::format("{} cannot be reached since {}: {}; {}", name, clock_time(lost.since),
                     cut(printable(lost.because), kErrorColumns),
                     lost.listed_at
                         ? fmt::format("what it says of its {} is as of {}", what, clock_time(lost.listed_at))
                         : fmt::format("it has never said how its {} are", what));
}

void print_summary(Context& context, const resources::Summary& summary) {
  auto paper = context.paper();
  print_unseen(context, summary);
  for (const resources::FailingTurn& failing : summary.failing_turns) {
    const std::string sentence =
        fmt::format("nothing is decided about {}{} since {} turns in a row have failed, tried again at {}: {}",
                    name_of(failing.kind), failing.node_name.empty() ? "" : " " + failing.node_name, failing.failures,
                    clock_time(failing.next_at), cut(printable(failing.error), kErrorColumns));
    context.around.out << paper.paint(printable(sentence), Colour::bad) << '\n';
  }
  context.around.out << printable(summary.headline) << '\n';
  FieldList sheet;
  sheet.line("cluster", summary.cluster_name);
  const std::string_view doubt = summary.unreachable.empty() || summary.nodes == 0 ? "" : ", as far as is known";
  sheet.line("nodes", counts(summary.nodes_by_state) + std::string(doubt));
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

void print_unseen(Context& context, const resources::Summary& summary) {
  auto paper = context.paper();
  for (const resources::UnreachableAdapter& lost : summary.unreachable) {
    const std::string sentence = what_is_unseen(lost, summary.cluster_name);
    context.around.out << paper.paint(printable(sentence), Colour::bad) << '\n';
  }
}

void add_status(CLI::App& app, Context& context) {
  add_verb(app, context, "status", "the cluster at a glance, and what waits for you", show);
}

}  // namespace sickbay::cli
