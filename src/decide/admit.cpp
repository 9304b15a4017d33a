// Admission (product.md 4.3, engine.md 4): automatic approval, and the start of a repair within slots, availability and
// capacity. Its facts are counted after the locks, so what it takes it may have.
#include <algorithm>
#include <cmath>

#include "decide/breaker.hpp"
#include "decide/session.hpp"

namespace sickbay::decide {

namespace {

constexpr Duration kApprovalWindow = minutes{10};
constexpr Duration kGradualFor = minutes{10};  // after a reset: at most one automatic approval a minute
constexpr Duration kGradualApart = minutes{1};
constexpr Duration kAskAgain = seconds{15};

struct Admission {
  const AdmissionFacts& facts;
  const Policy& policy;
  const Time now;
  Ids& ids;
  Repair repair;
  Cluster cluster;
  AdmissionChanges out;
  bool repair_changed = false, cluster_changed = false;

  void say(EventKind kind, std::string message) {
    Event event = event_of(facts.node, kind, ids.next("ev"), now, std::move(message));
    event.repair = repair.id;
    event.data["state"] = name_of(repair.state);
    event.data["step"] = name_of(repair.step);
    out.events.push_back(std::move(event));
  }
  void look_again(Time at) { out.due = out.due ? std::min(*out.due, at) : at; }
  void open(std::string why) {
    out.events.push_back(open_breaker(cluster, std::move(why), now, ids));
    cluster_changed = true;
  }
};

// When the next automatic approval may be; nullopt: now.
std::optional<Time> gradual(const Admission& a) {
  const Breaker& breaker = a.cluster.breaker;
  if (!breaker.reset_at || a.now >= *breaker.reset_at + kGradualFor) return {};
  std::optional<Time> last;
  for (const Time at : breaker.automatic_approvals) {
    if (at >= *breaker.reset_at) last = last ? std::max(*last, at) : at;
  }
  if (!last || a.now >= *last + kGradualApart) return {};
  return *last + kGradualApart;
}

void approve_automatically(Admission& a) {
  const ConsentDecision decision = consent(a.policy, a.facts.alerts, a.repair.action, a.facts.node);
  if (decision.answer != ConsentAnswer::auto_ || a.repair.trigger != Trigger::automated) return;
  if (a.cluster.breaker.open || a.facts.caution.observe_only || a.facts.caution.ingest_lagging) return;
  if (a.facts.caution.deadlines_frozen)
    return a.look_again(a.now + kAskAgain);  // nobody knows how long ago the first was
  if (identity_conflict(a.facts.node, a.now) || a.repair.cancel_requested_by || a.facts.alerts.empty()) return;
  Time first = a.now;
  for (const Alert& alert : a.facts.alerts) first = std::min(first, alert.started_at);
  if (a.now < first + kApprovalDelay) return a.look_again(first + kApprovalDelay);
  std::string why = trips_because(a.cluster, a.policy.breaker, a.facts.nodes, a.facts.turned_unhealthy, a.now);
  if (!why.empty()) return a.open(std::move(why));
  if (const auto later = gradual(a)) return a.look_again(*later);
  auto& approvals = a.cluster.breaker.automatic_approvals;
  std::erase_if(approvals, [&](Time at) { return at + kApprovalWindow <= a.now; });
  const auto since_reset = std::ranges::count_if(
      approvals, [&](Time at) { return !a.cluster.breaker.reset_at || at > *a.cluster.breaker.reset_at; });
  const double limit = breaker_limit(a.cluster, a.facts.nodes, a.policy.breaker.approvals_percent);
  if (static_cast<double>(since_reset + 1) > limit) {
    return a.open(fmt::format("automatic approvals would pass {} in 10 minutes", static_cast<int>(limit)));
  }
  approvals.push_back(a.now);
  a.cluster_changed = a.repair_changed = true;
  a.repair.review = Review{std::string(kAuto), a.now, decision.rule, ReviewHow::automatically};
  a.repair.policy_version = a.facts.policy.version;
  a.repair.policy_rule = decision.rule;
  set_step(a.repair, RepairState::PENDING, RepairStep::queued, a.now, "approved by policy: " + decision.rule);
  a.say(EventKind::repair_state, fmt::format("{} is approved automatically by {} of policy version {}",
                                             sentence(a.repair), decision.rule, a.facts.policy.version));
}

void wait_for_slot(const Admission& a, const SlotScope& scope, std::uint32_t limit, std::vector<Slot>& take,
                   std::vector<std::string>& waits) {
  std::vector<const Slot*> held;
  bool ours = false;
  for (const Slot& slot : a.facts.slots) {
    if (slot.scope != scope) continue;
    if (slot.repair == a.repair.id)
      ours = true;
    else
      held.push_back(&slot);
  }
  if (ours) return;
  if (held.size() < limit) {
    take.push_back({a.cluster.id, scope, a.repair.id, a.facts.node.id, a.now});
    return;
  }
  constexpr std::size_t kNamed = 5;
  std::string holders;
  for (std::size_t i = 0; i < std::min(held.size(), kNamed); ++i) {
    holders += fmt::format("{}repair {} of node {}", holders.empty() ? "" : ", ", held[i]->repair, held[i]->node);
  }
  if (held.size() > kNamed) holders += fmt::format(" and {} more", held.size() - kNamed);
  waits.push_back(fmt::format("a slot of {} ({}), held by {}", text_of(scope), limit, holders));
}

std::uint32_t cluster_slots(const Admission& a) {
  if (a.policy.limits.slots_per_cluster) return *a.policy.limits.slots_per_cluster;
  return std::max(1U, static_cast<std::uint32_t>(std::ceil(0.02 * a.facts.nodes)));  // product.md 4.3
}

void start(Admission& a) {
  std::vector<std::string> waits;
  std::vector<Slot> take;
  const bool automatic = is_automatic(a.repair);
  if (a.facts.caution.observe_only) waits.push_back("a person, who must confirm the state after a restore");
  if (automatic && a.facts.caution.ingest_lagging) waits.push_back("finding ingest, which lags more than 30 s");
  if (automatic && a.cluster.breaker.open)
    waits.push_back("the reset of the circuit breaker: " + a.cluster.breaker.why);
  if (automatic) {
    // Policy may have changed since: the node's own turn, which that woke, cancels it.
    const ConsentDecision now = consent(a.policy, a.facts.alerts, a.repair.action, a.facts.node);
    if (now.answer != ConsentAnswer::auto_) waits.push_back(fmt::format("consent, which is withdrawn ({})", now.rule));
  }
  if (const auto conflict = identity_conflict(a.facts.node, a.now)) {
    waits.push_back("the end of the identity conflict: " + *conflict);
  }
  const double limit = std::max(2.0, a.policy.limits.out_of_service_percent / 100.0 * a.facts.nodes);
  if (!a.facts.node_out_of_service && a.facts.out_of_service > limit) {
    waits.push_back(
        fmt::format("other nodes to come back: more than {:g} of {} are out of service", limit, a.facts.nodes));
  }
  if (a.repair.action == Action::migrate && a.facts.spares == 0) {
    waits.push_back(fmt::format("a spare host of the same shape that passed its checks in the last {} days",
                                kSpareChecked / hours{24}));
  }
  wait_for_slot(a, SlotScope{a.facts.node.pool}, a.policy.limits.slots_per_pool, take, waits);
  wait_for_slot(a, SlotScope{}, cluster_slots(a), take, waits);
  if (!waits.empty()) {
    if (a.repair.waits_for != waits) {
      a.repair.waits_for = std::move(waits);
      a.repair.updated_at = a.now;
      a.repair_changed = true;
    }
    return a.look_again(a.now + kAskAgain);
  }
  a.out.take = std::move(take);
  a.repair.started_at = a.repair.admitted_at = a.now;
  a.repair_changed = true;
  set_step(a.repair, RepairState::QUARANTINING, RepairStep::cordon, a.now, "started");
  a.say(EventKind::repair_state, fmt::format("{} starts: the node is taken out of service", sentence(a.repair)));
}

}  // namespace

std::uint32_t reserved_spares(const std::vector<Repair>& admitted, std::string_view except) {
  return static_cast<std::uint32_t>(std::ranges::count_if(admitted, [&](const Repair& repair) {
    return repair.id != except && repair.action == Action::migrate && repair.step <= RepairStep::act;
  }));
}

AdmissionChanges admit(const AdmissionFacts& facts, Time now, Ids& ids) {
  Admission a{facts, facts.policy.policy, now, ids, facts.repair, facts.cluster, {}};
  if (a.repair.state == RepairState::PENDING_APPROVAL) approve_automatically(a);
  if (a.repair.state == RepairState::PENDING && !a.repair.cancel_requested_by) start(a);
  if (a.repair_changed) a.out.repair = std::move(a.repair);
  if (a.cluster_changed) a.out.cluster = std::move(a.cluster);
  return std::move(a.out);
}

}  // namespace sickbay::decide
