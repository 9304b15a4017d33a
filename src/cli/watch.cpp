// sickbay watch: the cluster as it is now, drawn anew at every event. Without a terminal it is `events --follow`.
#include <fmt/core.h>

#include <deque>
#include <ostream>

#include "cli/alerts.hpp"
#include "cli/follow.hpp"
#include "cli/repairs.hpp"
#include "cli/status.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kRows = 12;

struct View {
  resources::Summary summary;
  std::vector<resources::Remediation> repairs;
  std::vector<resources::Alert> alerts;
  std::deque<Event> events;
};

Status refresh(Context& context, View& view) {
  SICKBAY_ASSIGN(const json::value summary, context.get("/summary"));
  SICKBAY_ASSIGN(view.summary, read_as<resources::Summary>(summary));
  SICKBAY_ASSIGN(const json::array repairs, context.list<resources::RemediationList>(
                                                "/instances/-/remediations", {{"state", open_states()}}, kRows));
  SICKBAY_ASSIGN(view.repairs, read_as<std::vector<resources::Remediation>>(repairs));
  SICKBAY_ASSIGN(const json::array alerts, open_alerts(context, {}, kRows));
  SICKBAY_ASSIGN(view.alerts, read_as<std::vector<resources::Alert>>(alerts));
  return {};
}

// The person asked, the error, or why it was recommended.
std::string what_of(const resources::Remediation& repair) {
  if (repair.sickbay.person && !repair.sickbay.person->empty()) return *repair.sickbay.person;
  return repair.error_message.empty() ? repair.reason : repair.error_message;
}

void draw(Context& context, const View& view) {
  auto paper = context.paper();
  auto& out = context.around.out;
  out << "\033[H\033[2J" << paper.paint("sickbay watch", Colour::quiet) << "  "
      << format_time(std::chrono::floor<seconds>(context.now())) << "  (Ctrl-C ends)\n";
  print_unseen(context, view.summary);
  if (view.summary.breaker.open) {
    out << paper.paint("THE BREAKER IS OPEN: " + printable(view.summary.breaker.why), Colour::bad) << '\n';
  }
  Table repairs({"REPAIR", "NODE", "ACTION", "STATE", "AGE", "WHAT"});
  for (const auto& repair : view.repairs) {
    repairs.row({short_id(repair.id), node_of(repair), name_of(resources::action_of(repair.mode)),
                 name_of(repair.state), age(repair.create_time, context.now()), what_of(repair)});
  }
  out << '\n';
  if (repairs.empty()) out << "no open repairs\n";
  if (!repairs.empty()) repairs.print(paper);
  Table alerts({"ALERT", "NODE", "STATE", "AGE", "WHAT"});
  for (const auto& alert : view.alerts) {
    alerts.row({alert.fault.text(), alert.node_name.empty() ? alert.node : alert.node_name, name_of(alert.state),
                age(alert.started_at, context.now()), alert.first.sentence});
  }
  out << '\n';
  if (alerts.empty()) out << "no open alerts\n";
  if (!alerts.empty()) alerts.print(paper);
  Table events({"TIME", "NODE", "EVENT"});
  for (const auto& event : view.events) {
    events.row({clock_time(event.at), event.node_name, event.message});
  }
  out << '\n';
  events.print(paper);
  out.flush();
}

Status watch(Context& context) {
  View view;
  SICKBAY_ASSIGN(const auto newest, newest_events(context, {}, kRows));
  for (const Told& told : newest) view.events.push_back(told.event);
  const auto last = newest.empty() ? std::nullopt : newest.back().event.sequence;
  SICKBAY_CHECK(refresh(context, view));
  draw(context, view);
  // The stream's connection is busy, so what is drawn is asked for over a second one.
  Context second(context.around);
  second.settings = context.settings;
  return follow_events(context, last, [&](const Told& told) {
    view.events.push_back(told.event);
    if (view.events.size() > kRows) view.events.pop_front();
    if (refresh(second, view)) draw(context, view);
    return static_cast<bool>(context.around.out);
  });
}

Status print_as_they_come(Context& context) {
  return follow_events(context, {}, [&](const Told& told) {
    if (context.as_json) {
      context.print_json(told.document);
    } else {
      context.around.out << clock_time(told.event.at) << "  " << printable(told.event.node_name) << "  "
                         << printable(told.event.message) << '\n';
    }
    context.around.out.flush();
    return static_cast<bool>(context.around.out);
  });
}

Status watch_or_print(Context& context) {
  return context.around.terminal_out && !context.as_json ? watch(context) : print_as_they_come(context);
}

}  // namespace

void add_watch(CLI::App& app, Context& context) {
  add_verb(app, context, "watch", "open repairs, alerts and events, live", watch_or_print);
}

}  // namespace sickbay::cli
