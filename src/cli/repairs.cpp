// sickbay repairs: what was recommended, what runs, what it waits for, and why. The verbs that change something are in
// repair_acts.cpp.
#include "cli/repairs.hpp"

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
struct RepairOptions {
  std::string id;
};

// "reboot,migrate" as the API's modes; a word that is no action goes to the server as it is, which says so.
std::string modes_of(const std::string& actions) {
  std::string modes;
  for (const auto word : split(actions, ',')) {
    if (word.empty()) continue;
    Action action{};
    const bool known = value_of(word, action);
    modes += (modes.empty() ? "" : ",") + (known ? name_of(resources::mode_of(action)) : std::string(word));
  }
  return modes;
}

// What a person needs to know next: the person asked, the error, what it waits for, or why it was recommended.
std::string headline(const resources::Remediation& repair) {
  if (repair.sickbay.person && !repair.sickbay.person->empty()) return *repair.sickbay.person;
  if (!repair.error_message.empty()) return repair.error_message;
  return repair.sickbay.waits_for.empty() ? repair.reason : "waits for " + repair.sickbay.waits_for.front();
}

void print_list(Context& context, const std::vector<resources::Remediation>& repairs) {
  Table table({"ID", "NODE", "ACTION", "STATE", "AGE", "WHAT"});
  for (const resources::Remediation& repair : repairs) {
    table.row({short_id(repair.id), node_of(repair), name_of(resources::action_of(repair.mode)), name_of(repair.state),
               age(repair.create_time, context.now()), headline(repair)});
  }
  auto paper = context.paper();
  if (table.empty()) {
    context.around.out << "no repairs\n";
  } else {
    table.print(paper);
  }
}

Status list_repairs(Context& context, const ListOptions& options) {
  std::string instance = "-", trigger;
  if (options.node != "-") {
    SICKBAY_ASSIGN(const auto node, context.node(options.node));
    instance = node.id;
  }
  Trigger wanted{};
  if (value_of(options.trigger, wanted)) trigger = name_of(resources::trigger_of(wanted));
  const Query query{{"state", options.open ? open_states() : options.state},
                    {"mode", modes_of(options.action)},
                    {"trigger", trigger}};
  const std::string path = fmt::format("/instances/{}/remediations", escape(instance));
  SICKBAY_ASSIGN(json::array items, context.list<resources::RemediationList>(path, query, options.limit));
  return context.show_list<resources::RemediationList>(std::move(items),
                                                       [&](const auto& repairs) { print_list(context, repairs); });
}

// The fault that the alert is of, and what its finding says.
void print_alerts(Context& context, Terminal& paper, const resources::Remediation& repair) {
  if (repair.linked_alerts.empty()) return;
  context.around.out << '\n' << paper.paint("alerts", Colour::quiet) << '\n';
  for (const resources::LinkedAlert& alert : repair.linked_alerts) {
    const resources::Annotation& annotation = alert.annotation;
    const std::string& says = annotation.summary_line.empty() ? annotation.description : annotation.summary_line;
    context.around.out << fmt::format("  {}  {}{}\n", printable(annotation.title), printable(says),
                                      alert.resolved_at.empty() ? "" : " (over)");
  }
}

void print_steps(Context& context, Terminal& paper, const resources::Remediation& repair) {
  if (repair.sickbay.steps.empty()) return;
  context.around.out << '\n' << paper.paint("steps", Colour::quiet) << '\n';
  for (const StepTime& step : repair.sickbay.steps) {
    context.around.out << fmt::format("  {}  {:<16} {:<9} {}\n", clock_time(step.at), name_of(step.state),
                                      name_of(step.step), printable(step.why));
  }
}

void print_repair(Context& context, const resources::Remediation& repair) {
  const resources::RemediationExtra& extra = repair.sickbay;
  FieldList sheet;
  sheet.line("repair", repair.id);
  sheet.line("node", node_of(repair));
  sheet.line("action", name_of(resources::action_of(repair.mode)));
  sheet.line("state", name_of(repair.state));
  sheet.line("step", name_of(extra.step));
  sheet.line("asks", extra.person.value_or(""));
  for (const std::string& what : extra.waits_for) sheet.line("waits for", what);
  sheet.line("error", repair.error_message);
  sheet.line("reason", repair.reason);
  for (const std::string& rule : extra.reasons) sheet.line("because", rule);
  sheet.line("requested by", repair.requested_by);
  sheet.line("reviewed by", repair.reviewed_by);
  sheet.line("comment", repair.review_comment);
  sheet.line("policy rule", extra.policy_rule);
  sheet.line("created", clock_time(repair.create_time));
  sheet.line("started", clock_time(repair.start_time));
  sheet.line("ended", clock_time(repair.end_time));
  auto paper = context.paper();
  sheet.print(paper);
  print_alerts(context, paper, repair);
  print_steps(context, paper, repair);
}

Status show_repair(Context& context, const RepairOptions& options) {
  SICKBAY_ASSIGN(const std::string path, context.repair_path(options.id));
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value answer, server->get(path));
  return context.show<resources::Remediation>(answer, [&](const auto& repair) { print_repair(context, repair); });
}

Status why_repair(Context& context, const RepairOptions& options) {
  SICKBAY_ASSIGN(const std::string path, context.repair_path(options.id));
  return print_why(context, path);
}

}  // namespace

std::string open_states() {
  std::string states;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<RepairState>>([&](auto state) {
    if (!is_final(state.value)) states += (states.empty() ? "" : ",") + name_of(state.value);
  });
  return states;
}

void add_repairs(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "repairs", "repairs: recommended, approved, run, recorded");
  add_default_verb<ListOptions>(
      *noun, context, "list", "repairs, newest first", list_repairs, [](CLI::App& verb, ListOptions& options) {
        verb.add_option("--node", options.node, "of this node only");
        verb.add_option("--state", options.state, "PENDING_APPROVAL, RUNNING, ...; several with commas");
        verb.add_option("--action", options.action, "reboot, migrate, ...; several with commas");
        verb.add_option("--trigger", options.trigger, "manual or automated")
            ->check(CLI::IsMember({"manual", "automated"}));
        verb.add_flag("--open", options.open, "only those that have not ended");
        verb.add_option("--limit", options.limit, "at most so many; 0: all")->capture_default_str();
      });
  const auto add_id = [](CLI::App& verb, RepairOptions& options) {
    verb.add_option("REPAIR", options.id, "id, or the beginning of one")->required();
  };
  add_verb<RepairOptions>(*noun, context, "show", "one repair with its alerts", show_repair, add_id);
  add_verb<RepairOptions>(*noun, context, "why", "why it is as it is, and what it waits for", why_repair, add_id);
  add_repair_acts(*noun, context);
}

}  // namespace sickbay::cli
