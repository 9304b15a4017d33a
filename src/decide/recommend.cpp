// What should be done about the alerts that fire now: the six rules of product.md 4, each leaving a sentence behind.
#include "decide/recommend.hpp"

#include <algorithm>

#include "decide/alerts.hpp"

namespace sickbay::decide {

namespace {

// The next rung (product.md 4, rule 2): the third reboot becomes reprovision, the third reprovision becomes migrate.
Action climb(Action action) {
  if (action == Action::reboot || action == Action::power_cycle) return Action::reprovision;
  if (action == Action::reprovision) return Action::migrate;
  return action;
}

// How often this action was executed for this fault on this host within 7 days, whether or not it helped.
int executed(const NodeFacts& facts, const Node& node, const Fault& fault, Action action, Time now) {
  return static_cast<int>(std::ranges::count_if(facts.history, [&](const Repair& past) {
    return past.host == node.host && past.fault == fault && past.action == action && past.acted_at &&
           *past.acted_at + kEscalationWindow >= now &&
           (past.state == RepairState::SUCCEEDED || past.state == RepairState::FAILED);
  }));
}

// The same fault fired on this host before, within 7 days.
bool fired_before(const NodeFacts& facts, const std::vector<Alert>& alerts, const Alert& alert, Time now) {
  const bool alerted = std::ranges::any_of(alerts, [&](const Alert& other) {
    return other.id != alert.id && other.fault == alert.fault && other.host == alert.host && other.firing_at &&
           other.started_at < alert.started_at && *other.firing_at + kEscalationWindow >= now;
  });
  return alerted || std::ranges::any_of(facts.history, [&](const Repair& past) {
           return past.host == alert.host && past.fault == alert.fault && past.acted_at &&
                  *past.acted_at + kEscalationWindow >= now && *past.acted_at < alert.started_at;
         });
}

// The action one alert calls for: its own, "at the second" where its row says so, then escalation.
Action action_of(const NodeFacts& facts, const std::vector<Alert>& alerts, const Alert& alert, const Node& node,
                 Time now, std::vector<std::string>& reasons) {
  Action action = alert.action;
  const FaultRule rule = facts.faults.find(alert.fault);
  if (rule.action_again && *rule.action_again > action && fired_before(facts, alerts, alert, now)) {
    reasons.push_back(fmt::format("{} came a second time on this host within 7 days: {} instead of {}",
                                  alert.fault.text(), name_of(*rule.action_again), name_of(action)));
    action = *rule.action_again;
  }
  while (climb(action) != action) {
    const int times = executed(facts, node, alert.fault, action, now);
    if (times < 2) break;
    reasons.push_back(fmt::format("{} was executed {} times for {} on this host within 7 days: {} instead",
                                  name_of(action), times, alert.fault.text(), name_of(climb(action))));
    action = climb(action);
  }
  return action;
}

// Rule 3: a critical alert now, or on this host in the last 10 days.
bool may_migrate(const std::vector<Alert>& alerts, const Node& node, Time now) {
  return std::ranges::any_of(alerts, [&](const Alert& alert) {
    if (alert.severity != Severity::critical || !alert.firing_at || alert.host != node.host) return false;
    return alert.state == AlertState::firing || (alert.resolved_at && *alert.resolved_at + kEvidenceWindow >= now);
  });
}

// The action itself, or the next heavier one that the provider can do; none if there is none.
Action possible(const NodeFacts& facts, Action action) {
  if (!facts.provider) return action;  // it has not said yet what it can: unknown is not "cannot"
  for (const Action heavier : {Action::reboot, Action::power_cycle, Action::reprovision, Action::migrate}) {
    if (heavier < action) continue;
    if (heavier == Action::power_cycle && !facts.policy.policy.power_cycle_enabled) continue;
    if (facts.provider->can(heavier)) return heavier;
  }
  return Action::none;
}

Action weigh(const NodeFacts& facts, const std::vector<Alert>& alerts, const Node& node, Action action, Time now,
             Recommendation& out) {
  const auto failed_migrates = std::ranges::count_if(facts.history, [&](const Repair& past) {
    return past.node == node.id && past.action == Action::migrate && past.state == RepairState::FAILED;
  });
  if (facts.host.open_ticket || failed_migrates >= 2) {
    out.reasons.push_back(facts.host.open_ticket ? fmt::format("host {} has an open hardware ticket: remove", node.host)
                                                 : "two migrates of this node failed: remove");
    return Action::remove;  // rule 4; consent always asks a person
  }
  const bool evidence = may_migrate(alerts, node, now);
  if (action == Action::migrate && !evidence) {
    out.reasons.push_back("migrate needs a critical alert firing now or on this host in the last 10 days: reprovision");
    action = Action::reprovision;
  }
  const Action can = possible(facts, action);
  if (can == action) return action;
  if (can == Action::none || (can == Action::migrate && !evidence)) {
    out.none_because = fmt::format(
        "{} is due, but provider '{}' can do neither that nor a heavier action that the "
        "evidence allows: a person must act",
        name_of(action), node.provider);
    return Action::none;
  }
  out.reasons.push_back(
      fmt::format("provider '{}' cannot do {}: {} instead", node.provider, name_of(action), name_of(can)));
  return can;
}

}  // namespace

Recommendation recommendation(const NodeFacts& facts, const std::vector<Alert>& alerts, const Node& node, Time now) {
  Recommendation out;
  const Alert* lead = nullptr;
  std::vector<const Alert*> wanted;
  for (const Alert& alert : alerts) {
    if (!fires_with_action(alert) || alert.node != node.id) continue;
    std::vector<std::string> reasons;
    const Action action = action_of(facts, alerts, alert, node, now, reasons);
    const ConsentDecision own = consent(facts.policy.policy, {alert}, action, node);
    if (own.answer == ConsentAnswer::never) {
      out.none_because =
          fmt::format("{} for {} is not to be done here ({})", name_of(action), alert.fault.text(), own.rule);
      continue;
    }
    wanted.push_back(&alert);
    const bool heavier =
        !lead || action > out.action || (action == out.action && alert.started_at < lead->started_at);  // rule 1
    if (heavier) lead = &alert, out.action = action, out.reasons = std::move(reasons);
  }
  if (!lead) {
    out.action = Action::none;
    return out;
  }
  out.none_because.clear();
  out.fault = lead->fault;
  out.action = weigh(facts, alerts, node, out.action, now, out);
  std::vector<Alert> linked;
  for (const Alert* alert : wanted) {
    const bool never = consent(facts.policy.policy, {*alert}, out.action, node).answer == ConsentAnswer::never;
    if (never && alert == lead) {
      out.none_because = fmt::format("{} for {} is not to be done here", name_of(out.action), alert->fault.text());
      out.action = Action::none;
    }
    if (never) continue;
    linked.push_back(*alert);
    out.alerts.push_back(alert->id);
  }
  if (out.action == Action::none) return out;
  out.consent = consent(facts.policy.policy, linked, out.action, node);
  out.reason = fmt::format("{} since {}: {}", lead->fault.text(), format_time(lead->started_at), lead->first.sentence);
  out.reasons.insert(out.reasons.begin(), fmt::format("{} ({}) leads: {}", lead->fault.text(), name_of(lead->severity),
                                                      name_of(lead->action)));
  return out;
}

Withheld withheld(const NodeFacts& facts, const Node& node, const std::vector<Alert>& alerts,
                  const Recommendation& wanted, Time now) {
  if (node.removed_at) return {"the node was removed", {}};
  if (!node.auto_repair) return {"the node is opted out of automatic repair; people can still repair it", {}};
  if (node.quarantine) {
    return {fmt::format("repair {} left the node quarantined: a person retries it, picks another action or releases "
                        "the node",
                        node.quarantine->repair),
            {}};
  }
  std::optional<Time> until = node.cooldown_until;
  for (const Repair& past : facts.history) {
    if (past.node != node.id || !past.ended_at) continue;
    // Not again at the very instant one ended; the pause for those who ended by acting or by a person's cancel (rule
    // 6).
    const bool pause = past.state != RepairState::AUTO_RESOLVED && !was_rejected(past);
    const Time end = *past.ended_at + (pause ? facts.policy.policy.limits.cooldown : Duration{});
    until = until ? std::max(*until, end) : end;
    if (!was_rejected(past) || wanted.action > past.action) continue;
    const bool stands = std::ranges::any_of(past.alerts, [&](const std::string& id) {
      return std::ranges::any_of(
          alerts, [&](const Alert& alert) { return alert.id == id && alert.state != AlertState::resolved; });
    });
    if (stands) {
      return {fmt::format("{} rejected {}; it is not recommended again until its alerts clear, a heavier action is due "
                          "or a person asks",
                          past.review->by, name_of(past.action)),
              {}};
    }
  }
  if (until && now <= *until) return {"cooldown after the last repair until " + format_time(*until), until};
  return {};
}

namespace {

void create(Turn& turn, const Recommendation& wanted) {
  Repair repair;
  repair.id = turn.ids.next("rep");
  repair.cluster = turn.node.cluster;
  repair.node = turn.node.id;
  repair.node_name = turn.node.name;
  repair.pool = turn.node.pool;
  repair.host = turn.node.host;
  repair.created_at = repair.updated_at = turn.now;
  repair.recommended_at = turn.now;
  repair.requested_by = "sickbay";
  repair.recommended = repair.action = wanted.action;
  repair.fault = wanted.fault;
  repair.alerts = wanted.alerts;
  repair.reason = wanted.reason;
  repair.reasons = wanted.reasons;
  repair.policy_version = turn.facts.policy.version;
  repair.policy_rule = wanted.consent.rule;
  repair.steps.push_back({repair.state, repair.step, turn.now, wanted.reason});
  turn.repair = std::move(repair);
  turn.say(EventKind::repair_recommended, fmt::format("{} is recommended: {}", sentence(*turn.repair), wanted.reason))
      .data["action"] = name_of(wanted.action);
}

// More alerts on the node join its open repair; only while it waits for approval may they raise it.
void join(Turn& turn, const Recommendation& wanted) {
  Repair& repair = *turn.repair;
  if (is_final(repair.state) || repair.step == RepairStep::undo || repair.step == RepairStep::give_back) return;
  const bool asked = repair.state == RepairState::PENDING_APPROVAL;
  for (const std::string& id : wanted.alerts) {
    if (std::ranges::find(repair.alerts, id) != repair.alerts.end()) continue;
    repair.alerts.push_back(id);
    repair.updated_at = turn.now;
    if (asked) ++repair.revision;
    const auto alert = std::ranges::find(turn.alerts, id, &Alert::id);
    turn.say(*alert, EventKind::repair_alert_joined,
             fmt::format("{} joins the open repair: {}", alert->fault.text(), sentence(repair)));
  }
  if (!asked || wanted.action <= repair.action) return;
  const Action before = repair.action;
  repair.recommended = repair.action = wanted.action;
  repair.fault = wanted.fault;
  repair.reason = wanted.reason;
  repair.reasons = wanted.reasons;
  repair.reasons.push_back(fmt::format("raised from {}", name_of(before)));
  repair.recommended_at = repair.updated_at = turn.now;
  repair.review.reset();
  repair.policy_version = turn.facts.policy.version;
  repair.policy_rule = wanted.consent.rule;
  ++repair.revision;
  turn.say(EventKind::repair_raised,
           fmt::format("{} is recommended now, {} was before: {}", sentence(repair), name_of(before), wanted.reason));
}

}  // namespace

void recommend(Turn& turn) {
  const Recommendation wanted = recommendation(turn.facts, turn.alerts, turn.node, turn.now);
  if (wanted.action == Action::none) return;
  if (turn.repair) {
    join(turn, wanted);
    return;
  }
  const Withheld held = withheld(turn.facts, turn.node, turn.alerts, wanted, turn.now);
  if (held.because.empty()) {
    create(turn, wanted);
  } else if (held.until) {
    turn.look_again(*held.until + Duration{1});
  }
}

}  // namespace sickbay::decide
