// Why a node is as it is and what it waits for, in sentences, what needs a person first. Everything here is computed
// from the same facts and by the same functions as the decisions, so it cannot tell another story.
#include <fmt/ranges.h>

#include <algorithm>

#include "decide/recommend.hpp"
#include "decide/session.hpp"

namespace sickbay::decide {

namespace {

using Lines = std::vector<std::string>;

void about_repair(const Repair& repair, Lines& lines) {
  if (repair.person) lines.push_back("A person must decide: " + *repair.person);
  std::string head = fmt::format("Repair {} ({}) is {}", repair.id, sentence(repair), name_of(repair.state));
  if (!repair.steps.empty()) {
    head += fmt::format(", step {}, since {}", name_of(repair.step), format_time(repair.steps.back().at));
  }
  lines.push_back(head + ".");
  for (const std::string& one : repair.waits_for) lines.push_back("It waits for " + one + ".");
  if (repair.wait_until && repair.step == RepairStep::wait) {
    lines.push_back("It waits until " + format_time(*repair.wait_until) + " at the latest.");
  }
  if (repair.cancel_requested_by) lines.push_back("It is to be cancelled: " + *repair.cancel_requested_by + ".");
  if (repair.force_drain) lines.push_back("The drain is by force, as " + *repair.force_drain + " said.");
  if (!repair.reason.empty()) lines.push_back("It was made because of " + repair.reason + ".");
  for (const std::string& reason : repair.reasons) lines.push_back("Rule: " + reason + ".");
  if (repair.review) {
    lines.push_back(fmt::format("Approved by {} at {}{}.", repair.review->by, format_time(repair.review->at),
                                repair.review->comment.empty() ? "" : ": " + repair.review->comment));
  }
  if (!repair.policy_rule.empty()) {
    lines.push_back(fmt::format("Policy version {}, rule: {}.", repair.policy_version, repair.policy_rule));
  }
}

// What becomes of the data on the node, before somebody decides: as the provider declares it.
void about_data(const NodeFacts& facts, Lines& lines) {
  if (!facts.repair || is_final(facts.repair->state) || has_acted(*facts.repair) || !facts.provider) return;
  const Action action = facts.repair->action;
  for (const KeptPaths& kept : facts.provider->kept_paths) {
    if (kept.action != action || kept.paths.empty()) continue;
    return lines.push_back(fmt::format("A {} keeps {}.", name_of(action), fmt::join(kept.paths, ", ")));
  }
  if (action >= Action::reprovision) lines.push_back(fmt::format("A {} loses all local data.", name_of(action)));
}

void about_quarantine(const NodeFacts& facts, Lines& lines) {
  if (!facts.node.quarantine || (facts.repair && !is_final(facts.repair->state))) return;
  const Quarantine& quarantine = *facts.node.quarantine;
  lines.push_back(fmt::format("The node is quarantined since {} by repair {}: {}.", format_time(quarantine.since),
                              quarantine.repair, quarantine.cause));
  for (const Repair& past : facts.history) {
    if (past.id == quarantine.repair && !past.error.empty()) lines.push_back("That repair failed: " + past.error + ".");
  }
  lines.push_back("An operator must retry it, ask for another action, or release the node.");
}

void about_alerts(const NodeFacts& facts, Lines& lines) {
  for (const Alert& alert : facts.alerts) {
    if (alert.state == AlertState::resolved || alert.node != facts.node.id) continue;
    std::string line =
        fmt::format("Alert {} ({}, {}){}: {}", alert.fault.text(), name_of(alert.severity), name_of(alert.state),
                    alert.device.empty() ? "" : " on " + alert.device, alert.first.sentence);
    if (alert.count > 1) line += fmt::format(" ({} times, last {})", alert.count, format_time(alert.last.at));
    if (alert.state == AlertState::pending) line += fmt::format("; it fires at {}", format_time(alert.hold_until));
    if (alert.action == Action::none) line += "; nothing is done about it by itself";
    lines.push_back(line);
  }
}

void about_schedulers(const NodeFacts& facts, Time now, Lines& lines) {
  for (const auto& [adapter, lost] : facts.unreachable) {
    lines.push_back(fmt::format("{} cannot be reached since {}: {}.", adapter, format_time(lost.since), lost.error));
  }
  for (const Observation& look : facts.observed) {
    if (!look.error.empty()) {
      lines.push_back(fmt::format("{} could not be asked: {}; last seen {}.", look.scheduler, look.error,
                                  format_time(look.seen_at)));
    } else if (!is_fresh(look, now)) {
      lines.push_back(fmt::format("{} was last looked at {}.", look.scheduler, format_time(look.seen_at)));
    } else if (!look.exists) {
      lines.push_back(fmt::format("{} does not know the node.", look.scheduler));
    } else if (look.foreign_mark && look.hold_owner.empty()) {
      lines.push_back(fmt::format("{} has it cordoned by somebody else; that is left alone.", look.scheduler));
    }
  }
}

// What the drain options of the policy, and force, come to at a scheduler that does not understand them.
void about_drain(const NodeFacts& facts, const std::string& scheduler, const SchedulerCapabilities& can, Lines& lines) {
  const DrainOptions& wanted = facts.policy.policy.wait.drain;
  const DrainOptions defaults;
  Lines missing;
  const auto need = [&](bool used, DrainOption option) {
    const bool known = std::ranges::find(can.drain_options, option) != can.drain_options.end();
    if (used && !known) missing.push_back(name_of(option));
  };
  need(wanted.grace.has_value(), DrainOption::grace);
  need(wanted.empty_dir != defaults.empty_dir, DrainOption::empty_dir);
  need(wanted.unmanaged_pods != defaults.unmanaged_pods, DrainOption::unmanaged_pods);
  need(wanted.force_after.has_value(), DrainOption::force_after);
  need(facts.repair->force_drain.has_value(), DrainOption::force);
  if (missing.empty()) return;
  lines.push_back(fmt::format("{} does not understand these options of a drain, which has no effect there: {}.",
                              scheduler, fmt::join(missing, ", ")));
}

// What the node's schedulers and provider do not promise, where people decide about it: while it is under repair.
void about_promises(const NodeFacts& facts, Lines& lines) {
  if (!facts.repair || is_final(facts.repair->state)) return;
  for (const std::string& scheduler : facts.node.schedulers) {
    const auto promise = facts.schedulers.find(scheduler);
    if (promise == facts.schedulers.end()) continue;
    if (!promise->second.foreign_cordon_visible) {
      lines.push_back(fmt::format(
          "{} cannot show a cordon that somebody else sets while ours stands: it ends with ours.", scheduler));
    }
    if (!promise->second.atomic_marks) {
      lines.push_back(fmt::format(
          "{} has no compare-and-swap: a change that somebody makes at the same moment as we do may be lost.",
          scheduler));
    }
    if (facts.provider && facts.provider->disturbs_marks(facts.repair->action, promise->second.kind)) {
      lines.push_back(fmt::format("A {} by {} ends our mark in {}: jobs may start there before it is placed again.",
                                  name_of(facts.repair->action), facts.node.provider, scheduler));
    }
    about_drain(facts, scheduler, promise->second, lines);
  }
  if (facts.provider && !facts.provider->is_fenced() && !has_acted(*facts.repair)) {
    lines.push_back(fmt::format(
        "{} does not refuse a second effect: should its answer be lost, a person must find out what became of it.",
        facts.node.provider));
  }
}

void about_recommendation(const NodeFacts& facts, Time now, Lines& lines) {
  if (facts.repair && !is_final(facts.repair->state)) return;
  const Recommendation wanted = recommendation(facts, facts.alerts, facts.node, now);
  if (wanted.action == Action::none) {
    if (!wanted.none_because.empty()) lines.push_back("No repair is recommended: " + wanted.none_because + ".");
    return;
  }
  const Withheld held = withheld(facts, facts.node, facts.alerts, wanted, now);
  if (!held.because.empty()) {
    lines.push_back(fmt::format("{} would be recommended, but: {}.", name_of(wanted.action), held.because));
  }
}

}  // namespace

std::vector<std::string> why(const NodeFacts& facts, Time now) {
  Lines lines;
  if (facts.node.removed_at) lines.push_back("The node was removed at " + format_time(*facts.node.removed_at) + ".");
  if (facts.caution.observe_only) {
    lines.push_back("Nothing is started: after a restore a person must confirm the state first.");
  }
  if (const auto conflict = identity_conflict(facts.node, now)) {
    lines.push_back("Two live agents claim this node, which bars actions: " + *conflict + ".");
  }
  if (facts.repair) about_repair(*facts.repair, lines);
  about_data(facts, lines);
  about_quarantine(facts, lines);
  if (facts.cluster.breaker.open) {
    lines.push_back("The circuit breaker is open, so nothing is approved automatically: " + facts.cluster.breaker.why +
                    ".");
  }
  about_recommendation(facts, now, lines);
  about_alerts(facts, lines);
  about_schedulers(facts, now, lines);
  about_promises(facts, lines);
  for (std::string& line : lines) {
    if (line.ends_with("..")) line.pop_back();  // a rule's sentence comes with its own full stop
  }
  if (lines.empty()) lines.push_back("Nothing is known against this node.");
  return lines;
}

}  // namespace sickbay::decide
