// sickbay watch: the cluster as it is now, drawn anew at every event. Without a terminal it is `events --follow`.
#include <fmt/core.h>

#include <deque>
#include <ostream>

#include "cli/alerts.hpp"
#include "cli/follow.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kRows = 12;

struct View {
  json::value breaker;
  json::array repairs, alerts;
  std::deque<json::value> events;
};

Status refresh(Context& context, View& view) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(view.breaker, server->get(cluster + "/breaker"));
  SICKBAY_ASSIGN(view.repairs, server->list(cluster + "/instances/-/remediations",
                                            {{"state", "PENDING_APPROVAL,PENDING,QUARANTINING,QUARANTINED,RUNNING"}},
                                            "remediations", kRows));
  SICKBAY_ASSIGN(view.alerts, open_alerts(context, {}, kRows));
  return {};
}

void draw(Context& context, const View& view) {
  auto paper = context.paper();
  auto& out = context.around.out;
  out << "\033[H\033[2J" << paper.paint("sickbay watch", Colour::quiet) << "  "
      << format_time(std::chrono::floor<seconds>(context.now())) << "  (Ctrl-C ends)\n";
  if (text_at(view.breaker, "open") == "yes") {
    out << paper.paint("THE BREAKER IS OPEN: " + printable(text_at(view.breaker, "why")), Colour::bad) << '\n';
  }
  Table repairs({"REPAIR", "NODE", "ACTION", "STATE", "AGE", "WHAT"});
  for (const auto& repair : view.repairs) {
    repairs.row({short_id(text_at(repair, "id")), first_text(repair, {"instance_name", "instance_id"}),
                 action_of(text_at(repair, "mode")), text_at(repair, "state"),
                 age(text_at(repair, "create_time"), context.now()),
                 first_text(repair, {"sickbay.person", "error_message", "reason"})});
  }
  out << '\n';
  if (repairs.empty()) out << "no open repairs\n";
  if (!repairs.empty()) repairs.print(paper);
  Table alerts({"ALERT", "NODE", "STATE", "AGE", "WHAT"});
  for (const auto& alert : view.alerts) {
    alerts.row({fault_of(alert), first_text(alert, {"node_name", "node"}), text_at(alert, "state"),
                age(text_at(alert, "started_at"), context.now()), text_at(alert, "first.sentence")});
  }
  out << '\n';
  if (alerts.empty()) out << "no open alerts\n";
  if (!alerts.empty()) alerts.print(paper);
  Table events({"TIME", "NODE", "EVENT"});
  for (const auto& event : view.events) {
    events.row({clock_time(text_at(event, "at")), text_at(event, "node_name"), text_at(event, "message")});
  }
  out << '\n';
  events.print(paper);
  out.flush();
}

Status watch(Context& context) {
  View view;
  SICKBAY_ASSIGN(const json::array newest, newest_events(context, {}, kRows));
  for (const auto& event : newest) view.events.push_back(event);
  const std::string last = newest.empty() ? std::string() : text_at(newest.back(), "sequence");
  SICKBAY_CHECK(refresh(context, view));
  draw(context, view);
  // The stream's connection is busy, so what is drawn is asked for over a second one.
  Context second(context.around);
  second.settings = context.settings;
  return follow_events(context, last, [&](const json::value& event) {
    view.events.push_back(event);
    if (view.events.size() > kRows) view.events.pop_front();
    if (refresh(second, view)) draw(context, view);
    return static_cast<bool>(context.around.out);
  });
}

Status print_as_they_come(Context& context) {
  return follow_events(context, {}, [&](const json::value& event) {
    if (context.as_json) {
      context.print_json(event);
    } else {
      context.around.out << clock_time(text_at(event, "at")) << "  " << printable(text_at(event, "node_name")) << "  "
                         << printable(text_at(event, "message")) << '\n';
    }
    context.around.out.flush();
    return static_cast<bool>(context.around.out);
  });
}

}  // namespace

void add_watch(CLI::App& app, Context& context) {
  add_verb(app, context, "watch", "open repairs, alerts and events, live", [&context] {
    return context.around.terminal_out && !context.as_json ? watch(context) : print_as_they_come(context);
  });
}

}  // namespace sickbay::cli
