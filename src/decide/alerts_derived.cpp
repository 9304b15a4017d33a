// Alerts that no detector on the node can send: its agent is silent, two agents claim it, its scheduler does not have
// it ready. What our own operation brings about (a rebooting node is silent and not ready) is never a finding.
#include <algorithm>

#include "decide/alerts.hpp"
#include "model/fault_names.hpp"
#include "model/json.hpp"

namespace sickbay::decide {

namespace {

Finding derived(const Turn& turn, std::string detector, std::string name, std::string sentence) {
  Finding finding;
  finding.id = fmt::format("derived/{}/{}/{}", turn.node.id, name, to_micros(turn.now));
  finding.detector = std::move(detector);
  finding.fault.name = std::move(name);
  finding.sentence = std::move(sentence);
  return finding;
}

void raise(Turn& turn, const Finding& finding, std::optional<Duration> holds_for = {}) {
  Classification means = classify(turn.facts, finding);
  means.rule.clears = ClearsOn::condition;  // these are conditions we look at ourselves
  if (holds_for) means.rule.holds_for = *holds_for;
  const Alert& alert = open(turn, finding, means, 0, turn.now);
  turn.say(alert, EventKind::alert_pending,
           fmt::format("{} on {}: {}", alert.fault.text(), turn.node.name, alert.first.sentence));
  turn.wake_cluster = turn.wake_cluster || is_unhealthy(alert);
}

// Our own action is under way, or was and is not verified yet (up to and with the instant its repair ended).
bool is_ours(const Turn& turn) {
  for (const Repair& past : turn.facts.history) {
    if (past.node == turn.node.id && has_acted(past) && past.ended_at && *past.ended_at >= turn.now) return true;
  }
  if (turn.repair && !is_final(turn.repair->state) && has_acted(*turn.repair)) return true;
  return std::ranges::any_of(turn.operations, [](const Operation& operation) {
    return operation.kind == OperationKind::act && operation.state != OperationState::concluded &&
           operation.state != OperationState::planned;
  });
}

void silence(Turn& turn) {
  if (!turn.facts.session) return;
  Time heard = turn.facts.session->hello_at;
  if (turn.facts.last_heartbeat) heard = std::max(heard, *turn.facts.last_heartbeat);
  if (Alert* alert = open_alert(turn, {fault_names::kAgentSilent, ""}, "")) {
    if (heard > alert->last.at && !alert->good_since) alert->good_since = heard;
    return;
  }
  const Duration limit = kSilentIntervals * turn.facts.heartbeat_interval;
  if (!turn.facts.listening_since) return turn.look_in(limit);  // nobody listened yet: silence proves nothing
  const Time silent_at = std::max(heard, *turn.facts.listening_since) + limit;
  if (turn.now < silent_at) {
    turn.look_again(silent_at);
  } else if (!is_ours(turn)) {
    raise(turn, derived(turn, "host", fault_names::kAgentSilent,
                        fmt::format("the agent has not been heard of since {}", format_time(heard))));
  }
}

void identity(Turn& turn) {
  Alert* alert = open_alert(turn, {fault_names::kIdentityConflict, ""}, "");
  if (!turn.node.identity_conflict) {
    if (alert && !alert->good_since) alert->good_since = turn.now;
  } else if (!alert) {
    raise(turn,
          derived(turn, "host", fault_names::kIdentityConflict,
                  "two live agents claim this node: " + *turn.node.identity_conflict),
          Duration{});
  }
}

void unknown_marks(Turn& turn) {
  Alert* alert = open_alert(turn, {fault_names::kUnknownMark, ""}, "");
  if (turn.facts.unknown_marks.empty()) {
    if (alert && !alert->good_since) alert->good_since = turn.now;
  } else if (alert) {
    alert->good_since.reset();
  } else {
    const auto& [scheduler, repair] = *turn.facts.unknown_marks.begin();
    raise(
        turn,
        derived(turn, "host", fault_names::kUnknownMark,
                fmt::format("{} carries our mark of repair {}, which this database does not know: it was restored, or "
                            "another copy of it works here. Once nobody works on the node, uncordon it by hand",
                            scheduler, repair)),
        Duration{});
  }
}

Finding not_ready(const Turn& turn, const Observation& look, std::string detector, std::string name) {
  const ReadyState state = ready_state(look);
  const std::string said = sentence(state);
  Finding finding = derived(turn, std::move(detector), std::move(name),
                            fmt::format("{} says: {}", look.scheduler, said.empty() ? "the node is not ready" : said));
  finding.evidence["scheduler"] = look.scheduler;
  finding.evidence["conditions"] = to_json(look.conditions);
  finding.evidence["reason"] = state.reason;
  return finding;
}

bool is_in(const Node& node, const std::string& scheduler) {
  return std::ranges::find(node.schedulers, scheduler) != node.schedulers.end();
}

// One alert for each kind of scheduler, whatever its adapters are called.
void readiness(Turn& turn, SchedulerKind kind, std::string_view detector, std::string_view name) {
  const Observation* missing = nullptr;
  std::optional<Time> ready_at;
  bool all_ready = true, any = false, unsure = false;
  Alert* alert = open_alert(turn, {std::string(name), ""}, "");
  for (const Observation& look : turn.facts.observed) {
    if (look.kind != kind || !is_in(turn.node, look.scheduler)) continue;
    any = true;
    const bool fresh = is_fresh(look, turn.now) && look.exists;
    const bool drained_by_us = kind == SchedulerKind::slurm && !look.hold_owner.empty();  // what we did is no finding
    if (fresh && !look.ready && !drained_by_us) missing = &look;
    all_ready = all_ready && fresh && look.ready;
    const bool would_matter = look.ready == (alert != nullptr) && !turn.facts.unreachable.contains(look.scheduler);
    unsure = unsure || (would_matter && look.exists && !is_fresh(look, turn.now) && !drained_by_us);
    ready_at = ready_at ? std::min(*ready_at, look.seen_at) : look.seen_at;
  }
  if (!any) {  // it left the last of them
    if (alert && !alert->good_since && !turn.facts.observed.empty()) alert->good_since = turn.now;
    return;
  }
  // A list that changes nothing wakes nobody: what an old view leaves open is looked at again when it may be newer.
  if (unsure) turn.look_in(kFresh);
  if (alert) {
    if (!all_ready && missing) alert->good_since.reset();
    if (missing) {  // it may say something else by now
      const Finding now = not_ready(turn, *missing, std::string(detector), std::string(name));
      if (now.sentence != alert->last.sentence) remember(*alert, now, 0, turn.now);
    }
    if (all_ready && *ready_at > alert->last.at && !alert->good_since) alert->good_since = *ready_at;
  } else if (missing && !is_ours(turn)) {
    raise(turn, not_ready(turn, *missing, std::string(detector), std::string(name)));
  }
}

}  // namespace

void derive_alerts(Turn& turn) {
  if (turn.node.removed_at) return;
  silence(turn);
  identity(turn);
  unknown_marks(turn);
  readiness(turn, SchedulerKind::kubernetes, "kubernetes", fault_names::kKubeNodeNotReady);
  readiness(turn, SchedulerKind::slurm, "slurm", fault_names::kSlurmNodeUnavailable);
}

}  // namespace sickbay::decide
