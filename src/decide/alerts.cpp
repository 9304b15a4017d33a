// Findings become alerts: each finding is folded once, by the session it belongs to; and the agent's whole set of
// active faults is compared with the open alerts at every turn, so that a lost edge heals by itself (engine.md 6 and
// 7).
#include "decide/alerts.hpp"

#include <algorithm>

namespace sickbay::decide {

namespace {

constexpr std::size_t kMostJoined = 32;

Evidence evidence_of(const Finding& finding, Time at) {
  return {finding.id, finding.sentence, finding.evidence, at};
}

// Of an older agent start or an earlier boot: it is kept, and never fires.
bool is_history(const NodeFacts& facts, const Finding& finding, std::uint64_t epoch) {
  if (epoch == 0 || !facts.session) return false;
  if (epoch < facts.session->epoch) return true;
  return !finding.boot_id.empty() && finding.boot_id != facts.session->boot_id;
}

void fold_history(Turn& turn, const Finding& finding, std::uint64_t epoch, Time at) {
  if (finding.kind != FindingKind::fault) return;
  for (const Alert& alert : turn.alerts) {
    if (alert.fault == finding.fault && alert.device == finding.device && alert.boot_id == finding.boot_id) return;
  }
  Alert& alert = open(turn, finding, classify(turn.facts, finding), epoch, at);
  alert.boot_id = finding.boot_id;
  alert.state = AlertState::resolved;
  alert.resolved_at = turn.now;
  alert.resolved_by = "history: seen in an earlier boot, or by an earlier start of the agent";
  turn.say(alert, EventKind::alert_history,
           fmt::format("{} on {} came late, from an earlier boot or agent, and is kept as history: {}",
                       alert.fault.text(), turn.node.name, finding.sentence));
}

// The open alert on the same device that a secondary fault belongs to.
Alert* joined_by(Turn& turn, const Finding& finding, Time at) {
  Alert* best = nullptr;
  for (Alert& alert : turn.alerts) {
    if (alert.state == AlertState::resolved || alert.device != finding.device || alert.fault == finding.fault) continue;
    if (alert.boot_id.empty()) continue;  // seen from outside: no primary of a record on the node
    if (alert.last.at + kJoinWindow < at) continue;
    if (!best || alert.severity > best->severity) best = &alert;
  }
  return best;
}

// A better authority than the one the alert stands on says what to do (product.md 3.3 "Authority").
void upgrade_classification(Alert& alert, const Classification& means) {
  if (means.authority <= alert.authority || means.authority < Authority::decode_table) return;
  alert.authority = means.authority;
  alert.action = means.action;
  alert.severity = std::max(alert.severity, means.severity);
}

void fold_fault(Turn& turn, const Finding& finding, std::uint64_t epoch, Time at) {
  const Classification means = classify(turn.facts, finding);
  if (Alert* alert = open_alert(turn, finding.fault, finding.device)) {
    remember(*alert, finding, epoch, at);
    upgrade_classification(*alert, means);
    alert->good_since.reset();
    if (!finding.boot_id.empty()) alert->boot_id = finding.boot_id;
    return;
  }
  Alert* first = finding.joins ? joined_by(turn, finding, at) : nullptr;
  if (!first) {
    open(turn, finding, means, epoch, at);
    return;
  }
  remember(*first, finding, epoch, at);
  if (means.authority >= Authority::recovery_action) upgrade_classification(*first, means);
  if (std::ranges::find(first->joined, finding.fault) == first->joined.end() && first->joined.size() < kMostJoined) {
    first->joined.push_back(finding.fault);
    turn.say(*first, EventKind::alert_joined,
             fmt::format("{} joins {} on {}: {}", finding.fault.text(), first->fault.text(), turn.node.name,
                         finding.sentence));
  }
}

void fold_clear(Turn& turn, const Finding& finding, Time at) {
  for (Alert& alert : turn.alerts) {
    if (alert.state == AlertState::resolved || alert.fault.name != finding.fault.name) continue;
    if (!finding.fault.code.empty() && alert.fault.code != finding.fault.code) continue;
    if (alert.device != finding.device || alert.clears == ClearsOn::reboot || alert.good_since) continue;
    alert.good_since = at;
  }
}

void fold_note(Turn& turn, const Finding& finding, std::uint64_t epoch, Time at) {
  if (!finding.joins) return;
  Alert* alert = open_alert(turn, finding.fault, finding.device);
  if (!alert) alert = joined_by(turn, finding, at);
  if (alert) remember(*alert, finding, epoch, at);
}

// When the agent last saw it. Kernel records carry their time since boot; other detectors' faults are as old as the
// set.
Time seen_at(const Session& session, const Finding& finding) {
  if (finding.since_boot_us <= 0) return session.active_at;
  return std::min(session.active_at, session.boot_started_at + Duration{finding.since_boot_us});
}

// An active fault without an open alert: is it truly news, or older than what is known already? What an earlier start
// of the agent said, or another agent's boot made to seem over, does not count against this one's own word.
bool is_news(const Turn& turn, const Session& session, const ActiveFault& active, const Classification& means) {
  for (const Alert& alert : turn.alerts) {
    if (alert.fault == active.last.fault && alert.device == active.last.device && alert.boot_id == session.boot_id &&
        alert.epoch >= session.epoch && alert.resolved_at &&
        (*alert.resolved_at >= session.active_at || alert.clears == ClearsOn::reboot)) {
      return false;
    }
    if (alert.state != AlertState::resolved && alert.device == active.last.device &&
        std::ranges::find(alert.joined, active.last.fault) != alert.joined.end()) {
      return false;
    }
  }
  return means.rule.clears != ClearsOn::quiet || seen_at(session, active.last) + means.rule.quiet_for > turn.now;
}

void compare_active(Turn& turn) {
  if (!turn.facts.session) return;
  const Session& session = *turn.facts.session;
  for (const ActiveFault& active : session.active) {
    if (active.last.kind != FindingKind::fault || is_history(turn.facts, active.last, session.epoch)) continue;
    if (Alert* alert = open_alert(turn, active.last.fault, active.last.device)) {
      if (alert->good_since && session.active_at > *alert->good_since) alert->good_since.reset();
      if (active.count > alert->count) {
        alert->count = active.count;
        if (session.active_at > alert->last.at) alert->last = evidence_of(active.last, session.active_at);
      }
      continue;
    }
    const Classification means = classify(turn.facts, active.last);
    if (!is_news(turn, session, active, means)) continue;
    fold_fault(turn, active.first, session.epoch, session.active_at);
    if (Alert* alert = open_alert(turn, active.last.fault, active.last.device)) {
      alert->count = std::max(alert->count, active.count);
      alert->last = evidence_of(active.last, session.active_at);
    }
  }
  for (Alert& alert : turn.alerts) {
    if (alert.state == AlertState::resolved || alert.epoch == 0 || alert.clears != ClearsOn::condition) continue;
    if (alert.good_since || session.active_at <= alert.last.at) continue;
    const bool there = std::ranges::any_of(session.active, [&](const ActiveFault& active) {
      return active.last.fault == alert.fault && active.last.device == alert.device;
    });
    if (!there) alert.good_since = session.active_at;
  }
}

}  // namespace

void remember(Alert& alert, const Finding& finding, std::uint64_t epoch, Time at) {
  if (finding.id == alert.first.finding_id || finding.id == alert.last.finding_id) return;  // told twice
  alert.count += finding.count;
  alert.last = evidence_of(finding, at);
  alert.epoch = std::max(alert.epoch, epoch);
}

Classification classify(const NodeFacts& facts, const Finding& finding) {
  const Policy& policy = facts.policy.policy;
  return sickbay::classify(facts.faults, finding, policy.faults, policy.power_cycle_enabled);
}

Alert* open_alert(Turn& turn, const Fault& fault, std::string_view device) {
  for (Alert& alert : turn.alerts) {
    if (alert.state != AlertState::resolved && alert.fault == fault && alert.device == device) return &alert;
  }
  return nullptr;
}

Alert& open(Turn& turn, const Finding& finding, const Classification& means, std::uint64_t epoch, Time at) {
  Alert& alert = turn.alerts.emplace_back();
  alert.id = turn.ids.next("alr");
  alert.cluster = turn.node.cluster;
  alert.node = turn.node.id;
  alert.host = turn.node.host;
  alert.fault = finding.fault;
  alert.device = finding.device;
  alert.detector = finding.detector;
  alert.severity = means.severity;
  alert.action = means.action;
  alert.authority = means.authority;
  alert.always_ask = means.rule.always_ask;
  alert.clears = means.rule.clears;
  alert.quiet_for = means.rule.quiet_for;
  alert.repeats = std::max(means.rule.repeats, 1U);
  alert.boot_id = finding.boot_id;
  if (alert.boot_id.empty() && (epoch > 0 || alert.clears == ClearsOn::reboot)) {
    alert.boot_id = turn.facts.session ? turn.facts.session->boot_id : turn.node.boot_id;
  }
  alert.epoch = epoch;
  alert.started_at = at;
  alert.hold_until = at + means.rule.holds_for;
  alert.count = finding.count;
  alert.first = alert.last = evidence_of(finding, at);
  return alert;
}

void fold_findings(Turn& turn) {
  settle_boots(turn);  // first, or this boot's findings would be counted on an alert of the one before
  const std::size_t known = turn.alerts.size();
  for (const FreshFinding& fresh : turn.facts.fresh) {
    const Finding& finding = fresh.finding;
    turn.folded.push_back(finding.id);
    if (is_history(turn.facts, finding, fresh.epoch)) {
      fold_history(turn, finding, fresh.epoch, fresh.received_at);
    } else if (finding.kind == FindingKind::fault) {
      fold_fault(turn, finding, fresh.epoch, fresh.received_at);
    } else if (finding.kind == FindingKind::clear) {
      fold_clear(turn, finding, fresh.received_at);
    } else {
      fold_note(turn, finding, fresh.epoch, fresh.received_at);
    }
  }
  compare_active(turn);
  for (std::size_t i = known; i < turn.alerts.size(); ++i) {
    const Alert& alert = turn.alerts[i];
    if (alert.state == AlertState::resolved) continue;
    turn.say(alert, EventKind::alert_pending,
             fmt::format("{} on {}: {}", alert.fault.text(), turn.node.name, alert.first.sentence));
    turn.wake_cluster = turn.wake_cluster || is_unhealthy(alert);
  }
}

}  // namespace sickbay::decide
