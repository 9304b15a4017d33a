// Admission and the circuit breaker (product.md 4.3): what waits, for whom, and what opens the breaker.
#include "decide/turn.hpp"
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

AdmissionFacts pending(Action action = Action::reboot) {
  AdmissionFacts facts;
  facts.cluster.id = "c1";
  facts.node = healthy_node().node;
  facts.repair.id = "rep-1", facts.repair.node = "node-1", facts.repair.node_name = "gpu-1";
  facts.repair.action = facts.repair.recommended = action;
  facts.repair.state = RepairState::PENDING, facts.repair.step = RepairStep::queued;
  facts.repair.review = Review{"ann", kStart, ""};
  facts.nodes = 100;
  facts.spares = 1;
  return facts;
}

AdmissionFacts recommended() {
  AdmissionFacts facts = pending();
  facts.repair.state = RepairState::PENDING_APPROVAL, facts.repair.step = RepairStep::ask;
  facts.repair.review.reset();
  facts.policy.policy.confirmation = Confirmation::automatic;
  Alert alert;
  alert.id = "alr-1", alert.fault = {"DmesgXidError", "119"}, alert.state = AlertState::firing;
  alert.started_at = kStart - seconds{60};
  facts.alerts = {alert};
  return facts;
}

AdmissionChanges admitted(const AdmissionFacts& facts, Time now = kStart) {
  SeededIds ids(1);
  return admit(facts, now, ids);
}

bool starts(const AdmissionFacts& facts) {
  const AdmissionChanges changes = admitted(facts);
  return changes.repair && changes.repair->state == RepairState::QUARANTINING;
}

std::string waits(const AdmissionFacts& facts) {
  const AdmissionChanges changes = admitted(facts);
  if (!changes.repair || changes.repair->waits_for.empty()) return "nothing";
  EXPECT_TRUE(changes.take.empty()) << "who waits takes no slot";
  return changes.repair->waits_for[0];
}

// A text in the place of a scope would be a pool of that name, unseen.
static_assert(!std::is_convertible_v<const char*, SlotScope> && !std::is_convertible_v<std::string, SlotScope>);

TEST(Admit, AStartTakesASlotOfThePoolAndOfTheCluster) {
  const AdmissionChanges changes = admitted(pending());
  ASSERT_TRUE(changes.repair);
  EXPECT_EQ(changes.repair->state, RepairState::QUARANTINING);
  EXPECT_EQ(changes.repair->admitted_at, kStart);
  ASSERT_EQ(changes.take.size(), 2U);
  EXPECT_EQ(changes.take[0].scope, SlotScope{"gpu"});
  EXPECT_EQ(changes.take[1].scope, SlotScope{});
  EXPECT_EQ(changes.events.size(), 1U);
}

TEST(Admit, WhoWaitsForASlotNamesItsHolder) {
  AdmissionFacts facts = pending();
  facts.slots = {{"c1", SlotScope{"gpu"}, "rep-9", "node-9", kStart}, {"c1", SlotScope{}, "rep-9", "node-9", kStart}};
  EXPECT_NE(waits(facts).find("repair rep-9 of node node-9"), std::string::npos) << waits(facts);
  facts.slots[0].scope.pool = "other";
  EXPECT_TRUE(starts(facts)) << "2 % of 100 nodes is 2 slots";
  facts.nodes = 50;
  EXPECT_FALSE(starts(facts)) << "2 % of 50 nodes is 1 slot";
  facts.nodes = 51;
  EXPECT_TRUE(starts(facts)) << "rounded up";
  facts.policy.policy.limits.slots_per_cluster = 1;
  EXPECT_FALSE(starts(facts));
  facts.slots[1].repair = "rep-1";
  EXPECT_TRUE(starts(facts)) << "a slot of its own is no obstacle";
}

TEST(Admit, TooManyNodesOutOfServiceHoldTheStart) {
  const std::vector<std::tuple<std::uint32_t, std::uint32_t, bool>> cases{
      {100, 10, true}, {100, 11, false}, {10, 2, true}, {10, 3, false}, {3, 2, true}};
  for (const auto& [nodes, out, expected] : cases) {
    AdmissionFacts facts = pending();
    facts.nodes = nodes, facts.out_of_service = out;
    EXPECT_EQ(starts(facts), expected) << out << " of " << nodes;
    facts.node_out_of_service = true;
    EXPECT_TRUE(starts(facts)) << "repairing an unavailable node costs no availability";
  }
}

TEST(Admit, AMigrateWithoutASpareWaitsAndSaysSo) {
  AdmissionFacts facts = pending(Action::migrate);
  facts.spares = 0;
  EXPECT_NE(waits(facts).find("spare host"), std::string::npos);
  facts.spares = 1;
  EXPECT_TRUE(starts(facts));
}

TEST(Admit, WaitingTwiceForTheSameChangesNothing) {
  AdmissionFacts facts = pending(Action::migrate);
  facts.spares = 0;
  facts.repair = *admitted(facts).repair;
  const AdmissionChanges again = admitted(facts);
  EXPECT_FALSE(again.repair);
  EXPECT_TRUE(again.events.empty());
  EXPECT_TRUE(again.due);
}

TEST(Admit, PolicyApprovesAMinuteAfterTheFirstAlert) {
  AdmissionFacts facts = recommended();
  const AdmissionChanges changes = admitted(facts);
  ASSERT_TRUE(changes.repair);
  EXPECT_EQ(changes.repair->review->by, "Auto-Approved");
  EXPECT_EQ(changes.repair->state, RepairState::QUARANTINING) << "approved and started at once";
  ASSERT_TRUE(changes.cluster);
  EXPECT_EQ(changes.cluster->breaker.automatic_approvals.size(), 1U);
  facts.alerts[0].started_at = kStart - seconds{59};
  const AdmissionChanges early = admitted(facts);
  EXPECT_FALSE(early.repair);
  EXPECT_EQ(early.due, kStart + seconds{1});
}

TEST(Admit, NothingIsApprovedThatPolicyDoesNotApprove) {
  const auto approves = [](const AdmissionFacts& facts) { return admitted(facts).repair.has_value(); };
  ASSERT_TRUE(approves(recommended()));
  AdmissionFacts facts = recommended();
  facts.policy.policy.confirmation = Confirmation::approve;
  EXPECT_FALSE(approves(facts));
  facts = recommended();
  facts.alerts[0].always_ask = true;
  EXPECT_FALSE(approves(facts));
  facts = recommended();
  facts.repair.action = Action::remove;
  EXPECT_FALSE(approves(facts));
  facts = recommended();
  facts.repair.trigger = Trigger::manual;
  EXPECT_FALSE(approves(facts));
  facts = recommended();
  facts.cluster.breaker.open = true;
  EXPECT_FALSE(approves(facts));
  facts = recommended();
  facts.caution.ingest_lagging = true;
  EXPECT_FALSE(approves(facts));
  facts = recommended();
  facts.caution.observe_only = true;
  EXPECT_FALSE(approves(facts));
  facts = recommended();
  facts.node.auto_repair = false;
  EXPECT_FALSE(approves(facts));
  facts = recommended();
  facts.node.identity_conflict = "two";
  EXPECT_FALSE(approves(facts));
}

TEST(Admit, TheApprovalThatWouldPassTheRateOpensTheBreakerInstead) {
  AdmissionFacts facts = recommended();
  auto& approvals = facts.cluster.breaker.automatic_approvals;
  approvals = {kStart - minutes{11}, kStart - minutes{3}, kStart - minutes{2}};
  EXPECT_TRUE(admitted(facts).repair) << "the third in 10 minutes";
  approvals.push_back(kStart - minutes{1});
  const AdmissionChanges changes = admitted(facts);
  EXPECT_FALSE(changes.repair) << "the fourth";
  ASSERT_TRUE(changes.cluster);
  EXPECT_TRUE(changes.cluster->breaker.open);
  EXPECT_FALSE(changes.cluster->breaker.why.empty());
  facts.nodes = 200;
  EXPECT_TRUE(admitted(facts).repair) << "2 % of 200 nodes is 4";
}

TEST(Admit, AfterAResetAutomaticApprovalsComeOneAMinute) {
  AdmissionFacts facts = recommended();
  facts.cluster.breaker.reset_at = kStart - minutes{2};
  facts.cluster.breaker.automatic_approvals = {kStart - seconds{59}};
  const AdmissionChanges early = admitted(facts);
  EXPECT_FALSE(early.repair);
  EXPECT_EQ(early.due, kStart + seconds{1});
  EXPECT_TRUE(admitted(facts, kStart + seconds{1}).repair);
  facts.cluster.breaker.reset_at = kStart - minutes{11};
  EXPECT_TRUE(admitted(facts).repair) << "ten minutes after the reset it is as before";
}

TEST(Admit, AnOpenBreakerStopsAutomaticRepairsButNotHumanOnes) {
  AdmissionFacts facts = pending();
  facts.cluster.breaker.open = true;
  facts.cluster.breaker.why = "many";
  EXPECT_TRUE(starts(facts));
  facts.repair.review->how = ReviewHow::automatically;
  EXPECT_NE(waits(facts).find("circuit breaker"), std::string::npos);
}

TEST(Admit, ApprovalByAPersonWhoseNameIsAutoApprovedIsAPersons) {
  const AdmissionFacts facts = pending();
  Repair asked = facts.repair;
  asked.state = RepairState::PENDING_APPROVAL;
  asked.review.reset();
  const auto approved = approve(asked, facts.policy.policy, Person{"Auto-Approved", Role::operator_}, {}, kStart);
  ASSERT_TRUE(approved) << approved.error().message;
  EXPECT_FALSE(is_automatic(*approved));
}

TEST(Breaker, OpensWhenManyNodesTurnUnhealthyTogether) {
  SeededIds ids(1);
  ClusterFacts facts;
  facts.cluster.id = "c1";
  facts.nodes = 100;
  facts.turned_unhealthy.assign(19, kStart - minutes{1});
  EXPECT_FALSE(cluster_turn(facts, kStart, ids).cluster->breaker.open);
  facts.turned_unhealthy.push_back(kStart);
  const ClusterChanges changes = cluster_turn(facts, kStart, ids);
  ASSERT_TRUE(changes.cluster);
  EXPECT_TRUE(changes.cluster->breaker.open);
  EXPECT_EQ(changes.events.size(), 1U);
  facts.cluster = *changes.cluster;
  EXPECT_FALSE(cluster_turn(facts, kStart, ids).cluster) << "open already";
  facts.cluster.breaker.open = false;
  facts.cluster.breaker.reset_at = kStart + seconds{10};
  EXPECT_FALSE(cluster_turn(facts, kStart + seconds{20}, ids).cluster) << "whoever reset it knew of these";
}

TEST(Breaker, CountsAgainstTheMostNodesOfTheDayAndNeverOpensForFewerThanThree) {
  SeededIds ids(1);
  ClusterFacts facts;
  facts.nodes = 5;
  facts.turned_unhealthy.assign(2, kStart);
  EXPECT_TRUE(cluster_turn(facts, kStart, ids).events.empty());
  facts.turned_unhealthy.assign(3, kStart);
  EXPECT_FALSE(cluster_turn(facts, kStart, ids).events.empty());
  facts.cluster.most_nodes_24h = 100, facts.cluster.most_nodes_at = kStart - hours{2};
  EXPECT_TRUE(cluster_turn(facts, kStart, ids).events.empty()) << "the lister shows 5 of 100";
  EXPECT_EQ(cluster_turn(facts, kStart + hours{23}, ids).cluster->most_nodes_24h, 5U) << "a day later they are gone";
}

TEST(Breaker, ManyUnhealthyNodesOpenItAtTheApprovalToo) {
  AdmissionFacts facts = recommended();
  facts.turned_unhealthy.assign(20, kStart);
  const AdmissionChanges changes = admitted(facts);
  EXPECT_FALSE(changes.repair);
  ASSERT_TRUE(changes.cluster);
  EXPECT_TRUE(changes.cluster->breaker.open);
}

TEST(Breaker, AnAutomaticRepairThatHasNotBegunToActStopsWhereItIs) {
  NodeFacts facts = healthy_node();
  facts.policy.policy.confirmation = Confirmation::automatic;
  World world(facts);
  world.marks["kube"].busy = true;
  world.look();
  world.tell(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  EXPECT_EQ(world.facts.repair->review->by, "Auto-Approved");
  EXPECT_EQ(world.facts.repair->policy_rule, "confirmation");
  world.facts.cluster.breaker.open = true;
  world.marks["kube"].busy = false;
  world.run(hours{4});
  EXPECT_EQ(world.facts.repair->step, RepairStep::wait);
  EXPECT_NE(world.facts.repair->waits_for.at(0).find("circuit breaker"), std::string::npos);
  world.facts.cluster.breaker.open = false;
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

// A call that waits in its lane when the breaker opens: a cordon, and a drain.
TEST(Breaker, AMarkOrDrainThatNobodyTookYetIsTakenBackWhenItOpens) {
  for (const auto& [before, kind] :
       {std::pair{RepairStep::queued, OperationKind::cordon}, std::pair{RepairStep::wait, OperationKind::drain}}) {
    NodeFacts facts = healthy_node();
    facts.policy.policy.confirmation = Confirmation::automatic;
    World world(facts);
    world.marks["kube"].busy = true;
    world.look();
    world.tell(finding("DmesgXidError", "119"));
    world.out_of_service = before == RepairStep::queued ? 99 : 0;
    ASSERT_TRUE(world.until_step(before));
    world.out_of_service = 0;
    world.obey = false;
    world.marks["kube"].busy = false;
    const auto planned = [&, kind = kind]() -> Operation* {
      const auto found = std::ranges::find_if(world.facts.operations, [&](const Operation& operation) {
        return operation.kind == kind && operation.state == OperationState::planned;
      });
      return found == world.facts.operations.end() ? nullptr : &*found;
    };
    ASSERT_TRUE(world.run_until(minutes{5}, [&] { return planned() != nullptr; })) << name_of(kind);
    const std::string id = planned()->id;
    world.facts.cluster.breaker.open = true;
    EXPECT_TRUE(must_not_leave(world.facts, *planned())) << "it waits in its lane";
    world.turn();
    EXPECT_FALSE(planned()) << name_of(kind);
    EXPECT_EQ(std::ranges::find(world.facts.operations, id, &Operation::id)->outcome, Outcome::undone);
    world.facts.cluster.breaker.open = false;
    world.obey = true;
    EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
  }
}

// It may have arrived, so it is not taken back; but nothing goes out a second time either.
TEST(Breaker, WhatIsPlannedAgainAfterItWasSentDoesNotLeaveWhileItIsOpen) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::drain));
  world.facts.repair->review->how = ReviewHow::automatically;
  Operation drain;
  drain.repair = world.facts.repair->id, drain.kind = OperationKind::drain, drain.dispatched_at = world.now;
  EXPECT_FALSE(must_not_leave(world.facts, drain));
  world.facts.cluster.breaker.open = true;
  EXPECT_TRUE(must_not_leave(world.facts, drain));
  drain.kind = OperationKind::uncordon;
  EXPECT_FALSE(must_not_leave(world.facts, drain)) << "giving back is always allowed";
  drain.kind = OperationKind::drain;
  world.facts.repair->review->how = ReviewHow::by_person;
  EXPECT_FALSE(must_not_leave(world.facts, drain)) << "a person's repair goes on";
}

TEST(Admit, AnAutomaticRepairWhoseConsentIsGoneDoesNotStart) {
  AdmissionFacts facts = pending();
  facts.repair.review->how = ReviewHow::automatically;
  facts.policy.policy.confirmation = Confirmation::automatic;
  EXPECT_TRUE(starts(facts));
  facts.node.auto_repair = false;
  EXPECT_NE(waits(facts).find("opted out"), std::string::npos);
  facts.node.auto_repair = true;
  facts.policy.policy.confirmation = Confirmation::approve;
  EXPECT_NE(waits(facts).find("consent, which is withdrawn"), std::string::npos);
}

TEST(Breaker, AnActThatNobodyTookYetIsTakenBackWhenItOpens) {
  NodeFacts facts = healthy_node();
  World world(facts);
  Operation* act = world.plan_act(finding("DmesgXidError", "119"));
  ASSERT_TRUE(act);
  world.facts.repair->review->how = ReviewHow::automatically;
  world.facts.policy.policy.confirmation = Confirmation::automatic;
  world.facts.cluster.breaker.open = true;
  world.turn();
  EXPECT_EQ(act->state, OperationState::concluded);
  EXPECT_EQ(act->outcome, Outcome::undone);
  EXPECT_EQ(world.facts.repair->step, RepairStep::act);
  world.facts.cluster.breaker.open = false;
  world.obey = true;
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
  EXPECT_EQ(std::ranges::count(world.dispatched, OperationKind::act, &Operation::kind), 1);
}

TEST(Admit, AMigrateThatWasAdmittedAndHasNotMovedYetHasASpareSpokenFor) {
  std::vector<Repair> admitted(5);
  for (std::size_t i = 0; i < admitted.size(); ++i) {
    admitted[i].id = "rep-" + std::to_string(i);
    admitted[i].action = Action::migrate;
    admitted[i].step = RepairStep::wait;
  }
  admitted[1].step = RepairStep::act;
  admitted[2].step = RepairStep::verify;  // it is on its host
  admitted[3].action = Action::reboot;    // it takes none
  EXPECT_EQ(reserved_spares(admitted, ""), 3U);
  EXPECT_EQ(reserved_spares(admitted, "rep-4"), 2U) << "who asks does not stand in its own way";
  EXPECT_EQ(reserved_spares({}, ""), 0U);
}

}  // namespace
}  // namespace sickbay::decide::testing
