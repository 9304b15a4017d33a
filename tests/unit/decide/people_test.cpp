// What people may decide, in which state, and what they are told when they may not.
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

const Person kAnn{"ann", Role::operator_};
const Person kBob{"bob", Role::operator_};
const Person kEve{"eve", Role::viewer};
const Person kRoot{"root", Role::admin};

Repair recommendation() {
  Repair repair;
  repair.id = "rep-1", repair.node = "node-1", repair.node_name = "gpu-1";
  repair.action = repair.recommended = Action::reboot;
  repair.created_at = repair.updated_at = kStart - hours{1};
  repair.recommended_at = repair.created_at;
  return repair;
}

template <class T>
Errc code(const Result<T>& result) {
  return result ? Errc::internal : result.error().code;
}

TEST(People, ApprovalNeedsTheRoleTheStateAndTheRevisionSeen) {
  const Repair repair = recommendation();
  EXPECT_EQ(code(approve(repair, {}, kEve, {}, kStart)), Errc::forbidden);
  Approval old;
  old.revision = 7;
  EXPECT_EQ(code(approve(repair, {}, kAnn, old, kStart)), Errc::changed);
  const auto approved = approve(repair, {}, kAnn, {}, kStart);
  ASSERT_TRUE(approved);
  EXPECT_EQ(approved->state, RepairState::PENDING);
  EXPECT_EQ(approved->review->by, "ann");
  const auto again = approve(*approved, {}, kAnn, {}, kStart + hours{1});
  ASSERT_TRUE(again) << "the same decision by the same person";
  EXPECT_EQ(again->updated_at, approved->updated_at);
  EXPECT_EQ(code(approve(*approved, {}, kBob, {}, kStart)), Errc::conflict);
  Repair running = *approved;
  running.state = RepairState::RUNNING;
  EXPECT_TRUE(approve(running, {}, kAnn, {}, kStart));
  EXPECT_EQ(code(approve(running, {}, kBob, {}, kStart)), Errc::conflict);
}

TEST(People, AnotherActionTakesACommentAndIsNeverPowerCycle) {
  Approval other;
  other.action = Action::reprovision;
  EXPECT_EQ(code(approve(recommendation(), {}, kAnn, other, kStart)), Errc::refused);
  other.comment = "the image is old anyway";
  const auto approved = approve(recommendation(), {}, kAnn, other, kStart);
  ASSERT_TRUE(approved);
  EXPECT_EQ(approved->action, Action::reprovision);
  EXPECT_EQ(approved->recommended, Action::reboot);
  EXPECT_NE(approved->reasons.back().find("ann chose reprovision"), std::string::npos);
  other.action = Action::power_cycle;
  EXPECT_EQ(code(approve(recommendation(), {}, kAnn, other, kStart)), Errc::refused);
  other.action = Action::none;
  EXPECT_EQ(code(approve(recommendation(), {}, kAnn, other, kStart)), Errc::refused);
}

TEST(People, ABlindApprovalOfWhatWasJustRaisedIsRefused) {
  Repair raised = recommendation();
  raised.revision = 2;
  raised.recommended_at = kStart - seconds{30};
  EXPECT_EQ(code(approve(raised, {}, kAnn, {}, kStart)), Errc::conflict);
  Approval seen;
  seen.revision = 2;
  EXPECT_TRUE(approve(raised, {}, kAnn, seen, kStart));
  EXPECT_TRUE(approve(raised, {}, kAnn, {}, kStart + minutes{1}));
  Repair fresh = recommendation();
  fresh.created_at = kStart;
  fresh.recommended_at = kStart;
  EXPECT_TRUE(approve(fresh, {}, kAnn, {}, kStart)) << "new, not raised";
}

TEST(People, TheRequesterMayNotApproveWherePolicySaysSo) {
  Policy policy;
  policy.requester_may_not_approve = true;
  Repair repair = recommendation();
  repair.requested_by = "ann";
  EXPECT_EQ(code(approve(repair, policy, kAnn, {}, kStart)), Errc::forbidden);
  EXPECT_TRUE(approve(repair, policy, kBob, {}, kStart));
}

TEST(People, RejectEndsARecommendationOnce) {
  const auto rejected = reject(recommendation(), kAnn, "no", kStart);
  ASSERT_TRUE(rejected);
  EXPECT_EQ(rejected->state, RepairState::CANCELLED);
  EXPECT_EQ(rejected->ended_at, kStart);
  EXPECT_TRUE(reject(*rejected, kAnn, "no", kStart + hours{1}));
  EXPECT_EQ(code(reject(*rejected, kBob, "no", kStart)), Errc::conflict);
  EXPECT_EQ(code(approve(*rejected, {}, kAnn, {}, kStart)), Errc::conflict) << "a no is not a yes";
}

TEST(People, CancelEndsWhatHasNotBegunAndIsAWishAfter) {
  const auto before = cancel(recommendation(), kAnn, kStart);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->state, RepairState::CANCELLED);
  EXPECT_TRUE(cancel(*before, kAnn, kStart));
  EXPECT_EQ(code(cancel(*before, kBob, kStart)), Errc::conflict);
  Repair waiting = recommendation();
  waiting.state = RepairState::QUARANTINED, waiting.step = RepairStep::wait;
  const auto wish = cancel(waiting, kAnn, kStart);
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->state, RepairState::QUARANTINED);
  EXPECT_EQ(wish->cancel_requested_by, "ann");
  EXPECT_EQ(code(cancel(waiting, kEve, kStart)), Errc::forbidden);
}

TEST(People, ForceDrainIsForAWaitOrADrain) {
  Repair repair = recommendation();
  EXPECT_EQ(code(force_drain(repair, kAnn, kStart)), Errc::conflict);
  repair.state = RepairState::RUNNING, repair.step = RepairStep::drain;
  EXPECT_EQ(force_drain(repair, kAnn, kStart)->force_drain, "ann");
  repair.step = RepairStep::act;
  EXPECT_EQ(code(force_drain(repair, kAnn, kStart)), Errc::conflict);
}

TEST(People, OnlyAnAmbiguousOperationTakesAPersonsWord) {
  Operation operation;
  operation.state = OperationState::dispatching;
  EXPECT_EQ(code(settle(operation, kAnn, Outcome::undone, "", kStart)), Errc::conflict);
  operation.state = OperationState::ambiguous;
  const auto settled = settle(operation, kAnn, Outcome::succeeded, "saw the boot", kStart);
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->version, operation.version + 1);
  EXPECT_EQ(settled->state, OperationState::concluded);
  EXPECT_TRUE(settle(*settled, kAnn, Outcome::succeeded, "", kStart));
}

NodeFacts failing_node() {
  NodeFacts facts = healthy_node();
  Alert alert;
  alert.id = "alr-1", alert.node = "node-1", alert.host = "host-1", alert.fault = {"DmesgXidError", "119"};
  alert.severity = Severity::critical, alert.action = Action::reboot, alert.state = AlertState::firing;
  alert.firing_at = kStart;
  facts.alerts = {alert};
  return facts;
}

Request reboot() {
  Request request;
  request.action = Action::reboot, request.request_id = "r-1", request.reason = "looks bad";
  return request;
}

TEST(People, ARequestWithEvidenceGoesStraightToPending) {
  SeededIds ids(1);
  const auto made = request(failing_node(), kAnn, reboot(), kStart, ids);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->state, RepairState::PENDING);
  EXPECT_EQ(made->trigger, Trigger::manual);
  EXPECT_EQ(made->fault.text(), "DmesgXidError/119");
  EXPECT_TRUE(made->by_evidence);
}

TEST(People, ARequestWithoutEvidenceIsForAnAdminWithAReason) {
  SeededIds ids(1);
  const NodeFacts facts = healthy_node();
  Request asked = reboot();
  EXPECT_EQ(code(request(facts, kAnn, asked, kStart, ids)), Errc::refused);
  asked.override_evidence = true;
  EXPECT_EQ(code(request(facts, kAnn, asked, kStart, ids)), Errc::forbidden);
  const auto made = request(facts, kRoot, asked, kStart, ids);
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->evidence_overridden);
  EXPECT_FALSE(made->by_evidence);
  EXPECT_EQ(made->policy_rule, "admin override: looks bad");
  asked.reason.clear();
  EXPECT_EQ(code(request(facts, kRoot, asked, kStart, ids)), Errc::refused);
}

TEST(People, ARequestIsRefusedSayingWhatIsMissing) {
  SeededIds ids(1);
  NodeFacts facts = failing_node();
  Request asked = reboot();
  asked.action = Action::migrate;
  facts.spares = 0;
  EXPECT_NE(request(facts, kRoot, asked, kStart, ids).error().message.find("spare host"), std::string::npos);
  asked.action = Action::power_cycle;
  EXPECT_NE(request(facts, kRoot, asked, kStart, ids).error().message.find("not enabled"), std::string::npos);
  facts.provider = ProviderCapabilities{.actions = {Action::reboot}};
  asked.action = Action::reprovision;
  EXPECT_NE(request(facts, kRoot, asked, kStart, ids).error().message.find("it can: reboot"), std::string::npos);
  facts.node.identity_conflict = "two";
  EXPECT_EQ(code(request(facts, kRoot, reboot(), kStart, ids)), Errc::refused);
  facts.node.identity_conflict.reset();
  facts.repair = recommendation();
  EXPECT_EQ(code(request(facts, kRoot, reboot(), kStart, ids)), Errc::conflict);
  EXPECT_EQ(code(request(failing_node(), kEve, reboot(), kStart, ids)), Errc::forbidden);
}

TEST(People, ARepeatedRequestIsOneRepair) {
  SeededIds ids(1);
  NodeFacts facts = failing_node();
  facts.repair = *request(facts, kAnn, reboot(), kStart, ids);
  EXPECT_EQ(request(facts, kAnn, reboot(), kStart, ids)->id, facts.repair->id);
  Request other = reboot();
  other.action = Action::reprovision;
  EXPECT_EQ(code(request(facts, kAnn, other, kStart, ids)), Errc::conflict);
  facts.history = {*facts.repair};
  facts.repair.reset();
  EXPECT_EQ(request(facts, kAnn, reboot(), kStart, ids)->id, facts.history[0].id);
}

TEST(People, OnlyAFailedRepairThatHoldsTheNodeIsRetried) {
  SeededIds ids(1);
  NodeFacts facts = healthy_node();
  Repair failed = recommendation();
  failed.state = RepairState::FAILED, failed.step = RepairStep::done;
  EXPECT_EQ(code(retry(facts, failed, kAnn, {}, "", kStart, ids)), Errc::conflict) << "not quarantined";
  facts.node.quarantine = Quarantine{"rep-1", "xid", kStart};
  const auto again = retry(facts, failed, kAnn, Action::migrate, "enough", kStart, ids);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->action, Action::migrate);
  EXPECT_FALSE(again->by_evidence);
  failed.state = RepairState::SUCCEEDED;
  EXPECT_EQ(code(retry(facts, failed, kAnn, {}, "", kStart, ids)), Errc::conflict);
}

TEST(PolicyCheck, TheDefaultsAreRightAndEachBoundIsNamed) {
  EXPECT_TRUE(check_policy({}).errors.empty());
  Policy policy;
  policy.wait.at_most = hours{25};
  policy.limits.slots_per_pool = 0;
  policy.limits.out_of_service_percent = 101;
  policy.breaker.unhealthy_percent = -1;
  policy.deadlines.verify_quiet = hours{1};
  policy.consent = {{{"*Xid"}, {Action::none}, {}, {}, ConsentAnswer::auto_}};
  policy.faults.resize(1);
  std::vector<std::string> fields;
  for (const Error& error : check_policy(policy).errors) fields.push_back(error.field);
  EXPECT_EQ(fields, (std::vector<std::string>{"wait.at_most", "limits.slots_per_pool", "limits.out_of_service_percent",
                                              "breaker.unhealthy_percent", "deadlines.verify_quiet",
                                              "consent[0].faults[0]", "consent[0].actions[0]", "faults[0].name"}));
}

TEST(PolicyCheck, WhatHasNoEffectIsNoted) {
  Policy policy;
  policy.consent = {{{}, {}, {}, {}, ConsentAnswer::ask}, {{}, {Action::remove}, {}, {}, ConsentAnswer::auto_}};
  policy.faults.resize(1);
  policy.faults[0].name = "GpuMissing";
  policy.faults[0].look = "pci";
  const PolicyCheck check = check_policy(policy);
  EXPECT_TRUE(check.errors.empty());
  EXPECT_EQ(check.notes.size(), 3U);
}

TEST(Policy, OptionsOfADrainAreBounded) {
  Policy policy;
  policy.wait.drain.grace = seconds{-1};
  policy.wait.drain.force_after = hours{1000};
  const PolicyCheck check = check_policy(policy);
  ASSERT_EQ(check.errors.size(), 2U);
  EXPECT_EQ(check.errors[0].field, "wait.drain.grace");
  EXPECT_EQ(check.errors[1].field, "wait.drain.force_after");
}

TEST(Look, IdleNeedsTwoLooksFifteenSecondsApart) {
  Observation idle;
  idle.idleness = Idleness::idle;
  std::optional<Observation> seen;
  const auto look = [&](int second, Observation now_seen) {
    now_seen.seen_at = kStart + seconds{second};
    seen = fold_observation(seen, now_seen);
    return seen->idle_looks;
  };
  EXPECT_EQ(look(0, idle), 1U);
  EXPECT_EQ(look(5, idle), 1U);
  EXPECT_EQ(look(14, idle), 1U);
  EXPECT_EQ(look(15, idle), 2U);
  Observation busy;
  busy.idleness = Idleness::busy;
  EXPECT_EQ(look(20, busy), 0U);
  EXPECT_EQ(look(40, idle), 1U);
  Observation failed;
  failed.error = "time-out";
  EXPECT_EQ(look(60, failed), 0U);
  EXPECT_EQ(seen->seen_at, kStart + seconds{40}) << "a failed look keeps what was seen and when";
  EXPECT_EQ(seen->idleness, Idleness::idle);
  EXPECT_FALSE(is_fresh(*seen, kStart + seconds{60}));
  EXPECT_EQ(look(70, idle), 1U) << "a failed look breaks the row";
  EXPECT_TRUE(is_fresh(*seen, kStart + seconds{130}));
  EXPECT_FALSE(is_fresh(*seen, kStart + seconds{131}));
}

TEST(Look, AnOlderViewThanTheOneKnownChangesNothing) {
  Observation newer;
  newer.seen_at = kStart + seconds{60};
  newer.idleness = Idleness::busy;
  Observation cached = newer;
  cached.seen_at = kStart + seconds{20};
  cached.idleness = Idleness::idle;
  const Observation seen = fold_observation(newer, cached);
  EXPECT_EQ(seen.idleness, Idleness::busy);
  EXPECT_EQ(seen.seen_at, newer.seen_at);
}

TEST(Look, IdleLooksBeforeOurMarkWasSeenInPlaceDoNotCount) {
  Observation idle;
  idle.idleness = Idleness::idle;
  idle.seen_at = kStart;
  Observation marked = idle;
  marked.cordoned = true, marked.hold_owner = "rep-1";
  std::optional<Observation> seen = fold_observation({}, idle);
  marked.seen_at = kStart + seconds{30};
  seen = fold_observation(seen, marked);
  EXPECT_EQ(seen->idle_looks, 1U);
  marked.seen_at = kStart + seconds{44};
  seen = fold_observation(seen, marked);
  EXPECT_EQ(seen->idle_looks, 1U);
  marked.seen_at = kStart + seconds{45};
  seen = fold_observation(seen, marked);
  EXPECT_EQ(seen->idle_looks, 2U) << "15 s after the first look that saw our mark";
}

// A replica that slept in the middle of its look: what it saw may be as new as its answer.
TEST(Look, AStreakCountsFromTheLatestMomentThatItsFirstLookMayHaveSeen) {
  Observation idle;
  idle.idleness = Idleness::idle;
  idle.seen_at = kStart;
  std::optional<Observation> seen = fold_observation({}, idle, seconds{33});
  idle.seen_at = kStart + seconds{40};
  seen = fold_observation(seen, idle);
  EXPECT_EQ(seen->idle_looks, 1U);
  idle.seen_at = kStart + seconds{48};
  seen = fold_observation(seen, idle);
  EXPECT_EQ(seen->idle_looks, 2U);
}

TEST(Look, TheFirstLookThatFailsKnowsNothing) {
  Observation failed;
  failed.error = "time-out";
  failed.idleness = Idleness::idle;
  failed.seen_at = kStart;
  const Observation seen = fold_observation({}, failed);
  EXPECT_EQ(seen.idleness, Idleness::unknown);
  EXPECT_FALSE(is_fresh(seen, kStart));
}

}  // namespace
}  // namespace sickbay::decide::testing
