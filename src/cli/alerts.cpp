// sickbay alerts: faults that are there or were, with the evidence as the node wrote it.
#include "cli/alerts.hpp"

#include <fmt/core.h>

#include <ostream>

namespace sickbay::cli {
namespace {

struct ListOptions {
  std::string node, state, severity;
  bool all = false;
  std::size_t limit = 50;
};
struct ShowOptions {
  std::string id;
};

void print_list(Context& context, const std::vector<resources::Alert>& alerts, bool all) {
  Table table({"ID", "NODE", "FAULT", "SEVERITY", "STATE", "COUNT", "AGE", "WHAT"});
  for (const resources::Alert& alert : alerts) {
    table.row({short_id(alert.id), alert.node_name.empty() ? alert.node : alert.node_name, alert.fault.text(),
               name_of(alert.severity), name_of(alert.state), std::to_string(alert.count),
               age(alert.started_at, context.now()), alert.first.sentence});
  }
  auto paper = context.paper();
  if (table.empty()) {
    context.around.out << "no alerts" << (all ? "" : " are open; --all shows those that are over") << '\n';
  } else {
    table.print(paper);
  }
}

Status list_alerts(Context& context, const ListOptions& options) {
  const Query query{{"state", options.state}, {"node", options.node}, {"severity", options.severity}};
  json::array items;
  if (options.all || !options.state.empty()) {
    SICKBAY_ASSIGN(items, context.list<resources::AlertList>("/alerts", query, options.limit));
  } else {
    SICKBAY_ASSIGN(items, open_alerts(context, query, options.limit));
  }
  return context.show_list<resources::AlertList>(std::move(items),
                                                 [&](const auto& alerts) { print_list(context, alerts, options.all); });
}

void print_evidence(Context& context, Terminal& paper, const Evidence& evidence, std::string_view which) {
  if (evidence.sentence.empty()) return;
  auto& out = context.around.out;
  out << '\n'
      << paper.paint(fmt::format("{} finding", which), Colour::quiet) << '\n'
      << printable(evidence.sentence) << '\n';
  for (const auto& [name, value] : evidence.evidence) {
    const std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    out << "  " << printable(name) << ": " << printable(text) << '\n';
  }
}

void print_alert(Context& context, const resources::Alert& alert) {
  FieldList sheet;
  sheet.line("alert", alert.id);
  sheet.line("fault", alert.fault.text());
  sheet.line("node", alert.node_name.empty() ? alert.node : alert.node_name);
  sheet.line("device", alert.device);
  sheet.line("severity", name_of(alert.severity));
  sheet.line("state", name_of(alert.state));
  sheet.line("action", name_of(alert.action));
  sheet.line("started", clock_time(alert.started_at));
  sheet.line("firing since", clock_time(alert.firing_at));
  sheet.line("resolved", clock_time(alert.resolved_at));
  sheet.line("resolved by", alert.resolved_by);
  sheet.line("count", std::to_string(alert.count));
  sheet.line("detector", alert.detector);
  auto paper = context.paper();
  sheet.print(paper);
  print_evidence(context, paper, alert.first, "first");
  if (alert.count != 1) print_evidence(context, paper, alert.last, "last");
}

Status show_alert(Context& context, const ShowOptions& options) {
  std::string full = options.id;
  if (full.size() < 20) {  // an abbreviation, as `alerts list` shows
    SICKBAY_ASSIGN(const json::array items, context.list<resources::AlertList>("/alerts", {}));
    SICKBAY_ASSIGN(const auto alerts, read_as<std::vector<resources::Alert>>(items));
    for (const resources::Alert& alert : alerts) {
      if (alert.id.starts_with(options.id)) full = alert.id;
    }
  }
  SICKBAY_ASSIGN(const json::value answer, context.get("/alerts/" + escape(full)));
  return context.show<resources::Alert>(answer, [&](const auto& alert) { print_alert(context, alert); });
}

}  // namespace

Result<json::array> open_alerts(Context& context, const Query& query, std::size_t limit) {
  json::array open;
  for (const AlertState state : {AlertState::firing, AlertState::pending}) {
    if (limit != 0 && open.size() >= limit) break;
    Query one = query;
    one.emplace_back("state", name_of(state));
    SICKBAY_ASSIGN(const json::array alerts,
                   context.list<resources::AlertList>("/alerts", one, limit == 0 ? 0 : limit - open.size()));
    open.insert(open.end(), alerts.begin(), alerts.end());
  }
  return open;
}

void add_alerts(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "alerts", "faults with their evidence");
  add_default_verb<ListOptions>(
      *noun, context, "list", "open alerts, newest first", list_alerts, [](CLI::App& verb, ListOptions& options) {
        verb.add_option("--node", options.node, "of this node only");
        verb.add_option("--state", options.state, "pending, firing or resolved");
        verb.add_option("--severity", options.severity, "info, warning or critical");
        verb.add_flag("--all", options.all, "also those that are over");
        verb.add_option("--limit", options.limit, "at most so many; 0: all")->capture_default_str();
      });
  add_verb<ShowOptions>(*noun, context, "show", "one alert with its evidence", show_alert,
                        [](CLI::App& verb, ShowOptions& options) {
                          verb.add_option("ALERT", options.id, "id, or the beginning of one")->required();
                        });
}

}  // namespace sickbay::cli
