// sickbay repairs: what was recommended, what runs, what it waits for, and why. The verbs that change something are in
// repair_acts.cpp.
#include <fmt/core.h>

#include <ostream>

#include "base/text.hpp"
#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

struct ListOptions {
  std::string node = "-", state, action, trigger;
  bool open = false;
  std::size_t limit = 50;
};

// "reboot,migrate" as the API's modes.
std::string modes_of(const std::string& actions) {
  std::string modes;
  for (const auto action : split(actions, ',')) {
    if (!action.empty()) modes += (modes.empty() ? "" : ",") + mode_of(action);
  }
  return modes;
}

// What a person needs to know next: the person asked, the error, what it waits for, or why it was recommended.
std::string headline(const json::value& repair) {
  if (const auto text = first_text(repair, {"sickbay.person", "error_message"}); !text.empty()) return text;
  const json::array& waits = list_at(repair, "sickbay.waits_for");
  if (!waits.empty() && waits.front().is_string()) return "waits for " + std::string(waits.front().get_string());
  return text_at(repair, "reason");
}

Status list_repairs(Context& context, const ListOptions& options) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  std::string instance = "-";
  if (options.node != "-") {
    SICKBAY_ASSIGN(const json::value node, context.node(options.node));
    instance = text_at(node, "id");
  }
  const std::string state = options.open ? "PENDING_APPROVAL,PENDING,QUARANTINING,QUARANTINED,RUNNING" : options.state;
  const std::string trigger = options.trigger.empty()       ? ""
                              : options.trigger == "manual" ? "REMEDIATION_TRIGGER_MANUAL"
                                                            : "REMEDIATION_TRIGGER_AUTOMATED";
  const Query query{{"state", state}, {"mode", modes_of(options.action)}, {"trigger", trigger}};
  const std::string path = fmt::format("{}/instances/{}/remediations", cluster, escape(instance));
  SICKBAY_ASSIGN(json::array repairs, server->list(path, query, "remediations", options.limit));
  if (context.as_json) {
    context.print_json(json::object{{"remediations", std::move(repairs)}});
    return {};
  }
  Table table({"ID", "NODE", "ACTION", "STATE", "AGE", "WHAT"});
  for (const auto& repair : repairs) {
    table.row({short_id(text_at(repair, "id")), first_text(repair, {"instance_name", "instance_id"}),
               action_of(text_at(repair, "mode")), text_at(repair, "state"),
               age(text_at(repair, "create_time"), context.now()), headline(repair)});
  }
  auto paper = context.paper();
  if (table.empty()) {
    context.around.out << "no repairs\n";
  } else {
    table.print(paper);
  }
  return {};
}

void print_alerts(Context& context, Paper& paper, const json::value& repair) {
  const json::array& alerts = list_at(repair, "linked_alerts");
  if (alerts.empty()) return;
  context.around.out << '\n' << paper.paint("alerts", Colour::quiet) << '\n';
  for (const auto& alert : alerts) {
    const bool over = !text_at(alert, "resolved_at").empty();
    context.around.out << fmt::format(
        "  {}  {}{}\n", printable(first_text(alert, {"annotations.fault", "alert_name"})),
        printable(first_text(alert, {"annotation.summary_line", "annotation.description", "annotation.title"})),
        over ? " (over)" : "");
  }
}

void print_steps(Context& context, Paper& paper, const json::value& repair) {
  const json::array& steps = list_at(repair, "sickbay.steps");
  if (steps.empty()) return;
  context.around.out << '\n' << paper.paint("steps", Colour::quiet) << '\n';
  for (const auto& step : steps) {
    context.around.out << fmt::format("  {}  {:<16} {:<9} {}\n", clock_time(text_at(step, "at")),
                                      text_at(step, "state"), text_at(step, "step"), printable(text_at(step, "why")));
  }
}

Status show_repair(Context& context, const std::string& id) {
  SICKBAY_ASSIGN(const std::string path, context.repair_path(id));
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value repair, server->get(path));
  if (context.as_json) {
    context.print_json(repair);
    return {};
  }
  Sheet sheet;
  sheet.line("repair", text_at(repair, "id"));
  sheet.line("node", first_text(repair, {"instance_name", "instance_id"}));
  sheet.line("action", action_of(text_at(repair, "mode")));
  sheet.line("state", text_at(repair, "state"));
  sheet.line("step", text_at(repair, "sickbay.step"));
  sheet.line("asks", text_at(repair, "sickbay.person"));
  for (const auto& what : list_at(repair, "sickbay.waits_for")) {
    if (what.is_string()) sheet.line("waits for", std::string(what.get_string()));
  }
  sheet.line("error", text_at(repair, "error_message"));
  sheet.line("reason", text_at(repair, "reason"));
  for (const auto& rule : list_at(repair, "sickbay.reasons")) {
    if (rule.is_string()) sheet.line("because", std::string(rule.get_string()));
  }
  sheet.line("requested by", text_at(repair, "requested_by"));
  sheet.line("reviewed by", text_at(repair, "reviewed_by"));
  sheet.line("comment", text_at(repair, "review_comment"));
  sheet.line("policy rule", text_at(repair, "sickbay.policy_rule"));
  sheet.line("created", clock_time(text_at(repair, "create_time")));
  sheet.line("started", clock_time(text_at(repair, "start_time")));
  sheet.line("ended", clock_time(text_at(repair, "end_time")));
  auto paper = context.paper();
  sheet.print(paper);
  print_alerts(context, paper, repair);
  print_steps(context, paper, repair);
  return {};
}

Status why_repair(Context& context, const std::string& id) {
  SICKBAY_ASSIGN(const std::string path, context.repair_path(id));
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value why, server->get(path + "/why"));
  if (context.as_json) {
    context.print_json(why);
    return {};
  }
  print_sentences(context, why);
  return {};
}

}  // namespace

void add_repairs(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "repairs", "repairs: recommended, approved, run, recorded");
  const auto options = std::make_shared<ListOptions>();  // lives as long as the parsed command
  const auto id = std::make_shared<std::string>();
  const auto list = [&context, options] { return list_repairs(context, *options); };
  for (CLI::App* to : {noun, add_verb(*noun, context, "list", "repairs, newest first", list)}) {
    to->add_option("--node", options->node, "of this node only");
    to->add_option("--state", options->state, "PENDING_APPROVAL, RUNNING, ...; several with commas");
    to->add_option("--action", options->action, "reboot, migrate, ...; several with commas");
    to->add_option("--trigger", options->trigger, "manual or automated")->check(CLI::IsMember({"manual", "automated"}));
    to->add_flag("--open", options->open, "only those that have not ended");
    to->add_option("--limit", options->limit, "at most so many; 0: all")->capture_default_str();
  }
  set_default(*noun, context, list);
  add_verb(*noun, context, "show", "one repair with its alerts", [&context, id] { return show_repair(context, *id); })
      ->add_option("REPAIR", *id, "id, or the beginning of one")
      ->required();
  add_verb(*noun, context, "why", "why it is as it is, and what it waits for",
           [&context, id] { return why_repair(context, *id); })
      ->add_option("REPAIR", *id, "id, or the beginning of one")
      ->required();
  add_repair_acts(*noun, context);
}

}  // namespace sickbay::cli
