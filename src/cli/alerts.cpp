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

Status list_alerts(Context& context, const ListOptions& options) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  const Query query{{"state", options.state}, {"node", options.node}, {"severity", options.severity}};
  json::array alerts;
  if (options.all || !options.state.empty()) {
    SICKBAY_ASSIGN(alerts, server->list(cluster + "/alerts", query, "alerts", options.limit));
  } else {
    SICKBAY_ASSIGN(alerts, open_alerts(context, query, options.limit));
  }
  if (context.as_json) {
    context.print_json(json::object{{"alerts", std::move(alerts)}});
    return {};
  }
  Table table({"ID", "NODE", "FAULT", "SEVERITY", "STATE", "COUNT", "AGE", "WHAT"});
  for (const auto& alert : alerts) {
    table.row({short_id(text_at(alert, "id")), first_text(alert, {"node_name", "node"}), fault_of(alert),
               text_at(alert, "severity"), text_at(alert, "state"), text_at(alert, "count"),
               age(text_at(alert, "started_at"), context.now()), first_text(alert, {"first.sentence", "summary"})});
  }
  auto paper = context.paper();
  if (table.empty()) {
    context.around.out << "no alerts" << (options.all ? "" : " are open; --all shows those that are over") << '\n';
  } else {
    table.print(paper);
  }
  return {};
}

void print_evidence(Context& context, Paper& paper, const json::value& alert, const char* which) {
  const std::string sentence = text_at(alert, fmt::format("{}.sentence", which));
  if (sentence.empty()) return;
  auto& out = context.around.out;
  out << '\n' << paper.paint(fmt::format("{} finding", which), Colour::quiet) << '\n' << printable(sentence) << '\n';
  const json::value* evidence = alert.get_object().at(which).as_object().if_contains("evidence");
  if (!evidence || !evidence->is_object()) return;
  for (const auto& [name, value] : evidence->get_object()) {
    const std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    out << "  " << printable(name) << ": " << printable(text) << '\n';
  }
}

Status show_alert(Context& context, const std::string& id) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  std::string full = id;
  if (id.size() < 20) {  // an abbreviation, as `alerts list` shows
    SICKBAY_ASSIGN(const json::array alerts, server->list(cluster + "/alerts", {}, "alerts", 0));
    for (const auto& alert : alerts) {
      if (text_at(alert, "id").starts_with(id)) full = text_at(alert, "id");
    }
  }
  SICKBAY_ASSIGN(const json::value alert, server->get(fmt::format("{}/alerts/{}", cluster, escape(full))));
  if (context.as_json) {
    context.print_json(alert);
    return {};
  }
  Sheet sheet;
  sheet.line("alert", text_at(alert, "id"));
  sheet.line("fault", fault_of(alert));
  sheet.line("node", first_text(alert, {"node_name", "node"}));
  sheet.line("device", text_at(alert, "device"));
  sheet.line("severity", text_at(alert, "severity"));
  sheet.line("state", text_at(alert, "state"));
  sheet.line("action", text_at(alert, "action"));
  sheet.line("started", clock_time(text_at(alert, "started_at")));
  sheet.line("firing since", clock_time(text_at(alert, "firing_at")));
  sheet.line("resolved", clock_time(text_at(alert, "resolved_at")));
  sheet.line("resolved by", text_at(alert, "resolved_by"));
  sheet.line("count", text_at(alert, "count"));
  sheet.line("detector", text_at(alert, "detector"));
  auto paper = context.paper();
  sheet.print(paper);
  if (alert.is_object()) {
    print_evidence(context, paper, alert, "first");
    if (text_at(alert, "count") != "1") print_evidence(context, paper, alert, "last");
  }
  return {};
}

}  // namespace

Result<json::array> open_alerts(Context& context, const Query& query, std::size_t limit) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  json::array open;
  for (const std::string state : {"firing", "pending"}) {
    if (limit != 0 && open.size() >= limit) break;
    Query one = query;
    one.emplace_back("state", state);
    SICKBAY_ASSIGN(const json::array alerts,
                   server->list(cluster + "/alerts", one, "alerts", limit == 0 ? 0 : limit - open.size()));
    open.insert(open.end(), alerts.begin(), alerts.end());
  }
  return open;
}

std::string fault_of(const json::value& alert) {
  const std::string name = text_at(alert, "fault.name"), code = text_at(alert, "fault.code");
  return code.empty() ? name : name + "/" + code;
}

void add_alerts(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "alerts", "faults with their evidence");
  const auto options = std::make_shared<ListOptions>();  // lives as long as the parsed command
  const auto id = std::make_shared<std::string>();
  const auto list = [&context, options] { return list_alerts(context, *options); };
  for (CLI::App* to : {noun, add_verb(*noun, context, "list", "open alerts, newest first", list)}) {
    to->add_option("--node", options->node, "of this node only");
    to->add_option("--state", options->state, "pending, firing or resolved");
    to->add_option("--severity", options->severity, "info, warning or critical");
    to->add_flag("--all", options->all, "also those that are over");
    to->add_option("--limit", options->limit, "at most so many; 0: all")->capture_default_str();
  }
  set_default(*noun, context, list);
  add_verb(*noun, context, "show", "one alert with its evidence", [&context, id] { return show_alert(context, *id); })
      ->add_option("ALERT", *id, "id, or the beginning of one")
      ->required();
}

}  // namespace sickbay::cli
