// What people start: a repair of their own, a retry of a failed one, and the release of a quarantined node. Limits
// queue such a repair; missing evidence or capacity refuses it, saying what is missing (product.md 4.4).
#include <algorithm>
#include <tuple>

#include "decide/session.hpp"
#include "decide/turn.hpp"

namespace sickbay::decide {

namespace {

Status may_start(const NodeFacts& facts, const Person& who, Action action, Time now) {
  if (who.role < Role::operator_) {
    return fail(Errc::forbidden,
                fmt::format("{} is a {}; to start a repair takes the role operator", who.name, name_of(who.role)));
  }
  if (action == Action::none) return fail(Errc::invalid, "a repair needs an action", "mode");
  if (facts.node.removed_at) return fail(Errc::refused, fmt::format("node {} was removed", facts.node.name));
  if (const auto conflict = identity_conflict(facts.node, now)) {
    return fail(Errc::refused, "two live agents claim this node, which bars actions until one is gone: " + *conflict);
  }
  if (facts.repair && !is_final(facts.repair->state)) {
    return fail(Errc::conflict, fmt::format("node {} has an open repair, {} ({}): approve, cancel or reject it first",
                                            facts.node.name, facts.repair->id, name_of(facts.repair->state)));
  }
  return {};
}

Status has_capacity(const NodeFacts& facts, Action action) {
  if (action == Action::power_cycle && !facts.policy.policy.power_cycle_enabled) {
    return fail(Errc::refused, "power-cycle is not enabled in this cluster's policy (power_cycle_enabled)", "mode");
  }
  if (facts.provider && !facts.provider->can(action)) {
    std::string can;
    for (const Action one : facts.provider->actions) can += (can.empty() ? "" : ", ") + name_of(one);
    return fail(Errc::refused,
                fmt::format("provider '{}' cannot {}; it can: {}", facts.node.provider, name_of(action),
                            can.empty() ? "nothing" : can),
                "mode");
  }
  if (action == Action::migrate && facts.spares == 0) {
    return fail(Errc::refused,
                fmt::format("capacity is missing: migrate needs a spare host of the same shape that passed its checks "
                            "in the last {} days",
                            kSpareChecked / hours{24}),
                "mode");
  }
  return {};
}

std::vector<const Alert*> evidence_of(const NodeFacts& facts) {
  std::vector<const Alert*> found;
  for (const Alert& alert : facts.alerts) {
    const bool failing = alert.state == AlertState::firing && alert.severity != Severity::info;
    if (failing && alert.node == facts.node.id) found.push_back(&alert);
  }
  std::ranges::sort(found, [](const Alert* a, const Alert* b) {
    return std::tuple(b->severity, b->action, a->started_at, a->id) <
           std::tuple(a->severity, a->action, b->started_at, b->id);
  });
  return found;
}

Repair begin(const NodeFacts& facts, const Person& who, Action action, std::string reason, Time now, Ids& ids) {
  Repair repair;
  repair.id = ids.next("rep");
  repair.cluster = facts.node.cluster;
  repair.node = facts.node.id;
  repair.node_name = facts.node.name;
  repair.pool = facts.node.pool;
  repair.host = facts.node.host;
  repair.trigger = Trigger::manual;
  repair.recommended = repair.action = action;
  repair.created_at = now;
  repair.requested_by = who.name;
  repair.reason = std::move(reason);
  repair.policy_version = facts.policy.version;
  if (facts.node.quarantine) repair.retry_of = facts.node.quarantine->repair;
  const auto evidence = evidence_of(facts);
  if (!evidence.empty()) repair.fault = evidence.front()->fault;
  for (const Alert* alert : evidence) repair.alerts.push_back(alert->id);
  repair.by_evidence = !evidence.empty();
  set_step(repair, RepairState::PENDING, RepairStep::queued, now, "asked for by " + who.name);
  return repair;
}

}  // namespace

Result<Repair> request(const NodeFacts& facts, const Person& who, const Request& asked, Time now, Ids& ids) {
  if (!asked.request_id.empty()) {
    const auto same_id = [&](const Repair& repair) { return repair.request_id == asked.request_id; };
    const Repair* known = facts.repair && same_id(*facts.repair) ? &*facts.repair : nullptr;
    if (const auto past = std::ranges::find_if(facts.history, same_id); !known && past != facts.history.end()) {
      known = &*past;
    }
    if (known && known->action == asked.action) return *known;
    if (known) {
      return fail(Errc::conflict,
                  fmt::format("request '{}' was made before with another action ({}), as repair {}", asked.request_id,
                              name_of(known->action), known->id),
                  "remediation_id");
    }
  }
  SICKBAY_CHECK(may_start(facts, who, asked.action, now));
  SICKBAY_CHECK(has_capacity(facts, asked.action));
  const bool evident = !evidence_of(facts).empty();
  if (!evident && asked.override_evidence) {
    if (who.role < Role::admin) return fail(Errc::forbidden, "only an admin may override the evidence check");
    if (asked.reason.empty()) return fail(Errc::refused, "overriding the evidence check takes a reason", "reason");
  } else if (!evident) {
    return fail(Errc::refused,
                fmt::format("evidence is missing: no health check fails on {} now; an admin may override "
                            "this with a reason",
                            facts.node.name));
  }
  Repair repair = begin(facts, who, asked.action, asked.reason, now, ids);
  repair.request_id = asked.request_id;
  repair.evidence_overridden = !evident;
  repair.policy_rule = evident ? "requested with evidence" : "admin override: " + asked.reason;
  if (!evident) repair.reasons.push_back(fmt::format("{} overrode the evidence check: {}", who.name, asked.reason));
  return repair;
}

Result<Repair> retry(const NodeFacts& facts, const Repair& failed, const Person& who, std::optional<Action> action,
                     std::string_view comment, Time now, Ids& ids) {
  const Action what = action.value_or(failed.action);
  SICKBAY_CHECK(may_start(facts, who, what, now));
  if (failed.state != RepairState::FAILED) {
    return fail(Errc::conflict,
                fmt::format("repair {} is {}; only a FAILED one is retried", failed.id, name_of(failed.state)));
  }
  if (!facts.node.quarantine || facts.node.quarantine->repair != failed.id) {
    return fail(Errc::conflict, fmt::format("node {} is not quarantined by repair {} any more: ask for a new repair",
                                            facts.node.name, failed.id));
  }
  SICKBAY_CHECK(has_capacity(facts, what));
  Repair repair = begin(facts, who, what, failed.reason, now, ids);
  repair.by_evidence = false;  // the quarantine is the reason: it does not end because an alert is quiet meanwhile
  if (!failed.fault.name.empty()) repair.fault = failed.fault;
  repair.retry_of = failed.id;
  repair.policy_rule = "retry of " + failed.id;
  repair.reasons.push_back(fmt::format("{} retries repair {}, which failed: {}", who.name, failed.id, failed.error));
  if (!comment.empty()) repair.reasons.push_back(fmt::format("{}: {}", who.name, comment));
  return repair;
}

Result<Release> release(const NodeFacts& facts, const Person& who, std::string_view reason, Time now) {
  if (who.role < Role::operator_) {
    return fail(Errc::forbidden,
                fmt::format("{} is a {}; to release a node takes the role operator", who.name, name_of(who.role)));
  }
  if (facts.repair && !is_final(facts.repair->state)) {
    return fail(Errc::conflict, fmt::format("repair {} of this node is open ({}): cancel it instead", facts.repair->id,
                                            name_of(facts.repair->state)));
  }
  if (!facts.node.quarantine && facts.holds.empty()) {
    return fail(Errc::conflict, fmt::format("node {} is not quarantined", facts.node.name));
  }
  if (reason.empty()) return fail(Errc::refused, "releasing a node as it is takes a reason", "reason");
  Release out{facts.node, facts.holds};
  out.node.quarantine.reset();
  out.node.cooldown_until =
      std::max(facts.node.cooldown_until.value_or(now), now + facts.policy.policy.limits.cooldown);
  for (Hold& hold : out.holds) hold.wanted = false;
  return out;
}

}  // namespace sickbay::decide
