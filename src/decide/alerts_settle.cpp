// When alerts fire and what makes them over (product.md 3.3, columns "holds for" and "clears on").
#include "decide/alerts.hpp"
#include "model/fault_names.hpp"

namespace sickbay::decide {

namespace {

// Over because another machine, or another run of it, is under the node now.
std::string left_behind_because(const Turn& turn, const Alert& alert) {
  if (turn.node.removed_at) return "the node was removed";
  if (!alert.host.empty() && !turn.node.host.empty() && alert.host != turn.node.host) {
    return fmt::format("the node is on another host now; the fault stayed with {}", alert.host);
  }
  const auto& session = turn.facts.session;
  if (alert.clears == ClearsOn::reboot && session && !alert.boot_id.empty() && session->boot_id != alert.boot_id &&
      session->epoch > alert.epoch) {
    return "new boot";
  }
  return {};
}

// Why it is over now; empty if it is not. Asks for a look when time alone will end it.
std::string over_because(Turn& turn, const Alert& alert) {
  switch (alert.clears) {
    case ClearsOn::reboot:
      return {};
    case ClearsOn::quiet:
      if (turn.now >= alert.last.at + alert.quiet_for) return "quiet for " + format_duration(alert.quiet_for);
      turn.look_again(alert.last.at + alert.quiet_for);
      return {};
    case ClearsOn::condition:
    case ClearsOn::load:
    case ClearsOn::check:
      if (!alert.good_since) return {};
      if (turn.now >= *alert.good_since + alert.quiet_for) {
        return alert.clears == ClearsOn::check ? "check passed" : "condition over";
      }
      turn.look_again(*alert.good_since + alert.quiet_for);
      return {};
  }
  return {};
}

void fire(Turn& turn, Alert& alert) {
  alert.state = AlertState::firing;
  alert.firing_at = turn.now;
  Event& event = turn.say(alert, EventKind::alert_firing,
                          fmt::format("{} fires on {}: {}", alert.fault.text(), turn.node.name, alert.first.sentence));
  event.data["action"] = name_of(alert.action);
  // Without an action nobody would come, so support hears of it once (product.md 3.3).
  if (alert.action == Action::none && alert.severity != Severity::info &&
      alert.fault.name != fault_names::kKubeNodeDiskPressure) {
    event.data["route"] = "support";
  }
}

}  // namespace

bool is_unhealthy(const Alert& alert) {
  return alert.state != AlertState::resolved &&
         (alert.action != Action::none || alert.fault.name == fault_names::kAgentSilent);
}

bool fires_with_action(const Alert& alert) {
  return alert.state == AlertState::firing && alert.action != Action::none && alert.severity != Severity::info;
}

void resolve(Turn& turn, Alert& alert, std::string why) {
  turn.wake_cluster = turn.wake_cluster || is_unhealthy(alert);
  alert.state = AlertState::resolved;
  alert.resolved_at = turn.now;
  alert.resolved_by = why;
  turn.say(alert, EventKind::alert_resolved,
           fmt::format("{} on {} is over: {}", alert.fault.text(), turn.node.name, why));
}

void settle_boots(Turn& turn) {
  for (Alert& alert : turn.alerts) {
    if (alert.state == AlertState::resolved) continue;
    std::string why = left_behind_because(turn, alert);
    if (!why.empty()) resolve(turn, alert, std::move(why));
  }
}

void settle_alerts(Turn& turn) {
  for (Alert& alert : turn.alerts) {
    if (alert.state == AlertState::resolved) continue;
    std::string why = over_because(turn, alert);
    if (!why.empty()) {
      resolve(turn, alert, std::move(why));
      continue;
    }
    if (alert.state != AlertState::pending || alert.good_since || alert.count < alert.repeats) continue;
    if (turn.now >= alert.hold_until) {
      fire(turn, alert);
    } else {
      turn.look_again(alert.hold_until);
    }
  }
}

}  // namespace sickbay::decide
