// What follows from what schedulers and providers declare: the kind decides what a state means, objects and versions
// are preconditions, what a port cannot promise is said to people, and hosts may carry several nodes.
#include "decide/operation.hpp"
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

NodeFacts slurm_node(const std::string& adapter) {
  NodeFacts facts = healthy_node({adapter});
  FaultRule row;
  row.name = "SlurmNodeUnavailable", row.severity = Severity::warning, row.action = Action::none;
  row.holds_for = minutes{2}, row.clears = ClearsOn::condition;
  facts.faults.rules.push_back(row);
  Observation& look = facts.observed[0];
  look.kind = SchedulerKind::slurm;
  look.ready = false;
  look.conditions = {{"State", "DOWN", "bad PSU", "", {}}};
  return facts;
}

TEST(Declarations, ASlurmNodeThatIsDownIsUnavailableWhateverItsAdapterIsCalled) {
  for (const std::string adapter : {"slurm", "sim-slurm", "prod", "k8s"}) {
    World world(slurm_node(adapter));
    world.turn();
    ASSERT_TRUE(world.alert("SlurmNodeUnavailable")) << adapter;
    EXPECT_EQ(world.alert("SlurmNodeUnavailable")->action, Action::none);
    EXPECT_FALSE(world.alert("KubeNodeNotReady")) << adapter;
    const Evidence said = world.alert("SlurmNodeUnavailable")->first;
    EXPECT_EQ(said.sentence, adapter + " says: DOWN: bad PSU");
    EXPECT_EQ(said.evidence.at("conditions").as_array().size(), 1U);
  }
}

TEST(Declarations, AnAlertFollowsWhatTheSchedulerSaysOfTheNode) {
  World world(slurm_node("prod"));
  world.turn();
  ASSERT_TRUE(world.alert("SlurmNodeUnavailable"));
  EXPECT_EQ(world.alert("SlurmNodeUnavailable")->first.evidence.at("reason"), "bad PSU");
  world.now += seconds{20};
  world.facts.observed[0].conditions = {{"State", "DOWN*", "Not responding", "", {}}};
  world.facts.observed[0].seen_at = world.now;
  world.turn();
  const Alert& alert = *world.alert("SlurmNodeUnavailable");
  EXPECT_EQ(alert.first.sentence, "prod says: DOWN: bad PSU");
  EXPECT_EQ(alert.last.sentence, "prod says: DOWN*: Not responding");
  EXPECT_EQ(alert.last.evidence.at("reason"), "Not responding");
}

TEST(Declarations, WhatOurOwnDrainDidToASlurmNodeIsNoFinding) {
  NodeFacts facts = slurm_node("prod");
  facts.observed[0].hold_owner = "rep-9";
  World world(facts);
  world.turn();
  EXPECT_FALSE(world.alert("SlurmNodeUnavailable"));
}

TEST(Declarations, ACordonIsMeantForTheObjectAndTheMarksThatWereSeen) {
  NodeFacts facts = healthy_node();
  facts.observed[0].uid = "uid-7", facts.observed[0].version = "41";
  World world(facts);
  world.obey = false;
  world.sicken(finding("DmesgXidError", "119"));
  world.obey = false;
  for (int i = 0; i < 20 && world.facts.operations.empty(); ++i) world.step(), world.now += seconds{1};
  ASSERT_FALSE(world.facts.operations.empty());
  const Operation& cordon = world.facts.operations.front();
  EXPECT_EQ(cordon.kind, OperationKind::cordon);
  EXPECT_EQ(cordon.object_version, world.facts.observed[0].version);
  EXPECT_EQ(cordon.uid, world.facts.observed[0].uid);
}

TEST(Declarations, ADrainTakesItsOptionsFromThePolicy) {
  NodeFacts facts = healthy_node();
  facts.policy.policy.wait.drain = {seconds{90}, false, true, minutes{3}};
  World world(facts);
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::act));
  const auto drain = std::ranges::find(world.dispatched, OperationKind::drain, &Operation::kind);
  ASSERT_NE(drain, world.dispatched.end());
  EXPECT_EQ(drain->drain.grace, seconds{90});
  EXPECT_FALSE(drain->drain.empty_dir);
  EXPECT_TRUE(drain->drain.unmanaged_pods);
  EXPECT_EQ(drain->drain.force_after, minutes{3});
}

TEST(Declarations, AMarkThatTheActItselfEndedIsPlacedAgainAndBlamedOnNobody) {
  NodeFacts facts = healthy_node();
  facts.observed[0].kind = SchedulerKind::slurm;
  facts.provider->disturbs = {{Action::reboot, SchedulerKind::slurm}};
  World world(facts);
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::verify));
  world.run(seconds{40});
  world.marks["kube"].owner.clear();
  world.marks["kube"].cordoned = false;
  world.run(seconds{50});
  EXPECT_EQ(world.marks["kube"].owner, world.repair().id);
  const auto dropped = std::ranges::find(world.events, EventKind::hold_dropped, &Event::kind);
  ASSERT_NE(dropped, world.events.end());
  EXPECT_NE(dropped->message.find("was ended by the reboot itself, as sim does"), std::string::npos);
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Declarations, WhatIsNotPromisedIsSaidWherePeopleDecide) {
  NodeFacts facts = healthy_node();
  facts.schedulers["kube"] = {SchedulerKind::slurm, false, false, {DrainOption::grace}, {}};
  facts.provider->dedup_by_operation_id = facts.provider->fenced_by_boot = false;
  facts.policy.policy.wait.drain = {seconds{90}, true, false, minutes{3}};
  World world(facts);
  world.sicken(finding("DmesgXidError", "119"));
  world.turn();
  ASSERT_TRUE(world.facts.repair);
  ASSERT_LE(world.facts.repair->state, RepairState::PENDING) << "nothing is done yet";
  std::string all;
  for (const std::string& line : why(world.facts, world.now)) all += line + "\n";
  EXPECT_NE(all.find("it ends with ours"), std::string::npos) << all;
  EXPECT_NE(all.find("no compare-and-swap"), std::string::npos) << all;
  EXPECT_NE(all.find("no effect there: force-after."), std::string::npos) << all;
  EXPECT_NE(all.find("does not refuse a second effect"), std::string::npos) << all;
}

TEST(Declarations, ACancelThatCameTooLateToWithdrawAsksForARecallWhereTheProviderCan) {
  for (const bool can : {true, false}) {
    NodeFacts facts = healthy_node();
    if (can) facts.provider->cancellable = {Action::reboot};
    World world(facts);
    Operation* act = world.plan_act(finding("DmesgXidError", "119"));
    ASSERT_TRUE(act);
    act->state = OperationState::acknowledged;
    act->owner = "replica-1", act->dispatched_at = world.now;
    world.facts.repair->cancel_requested_by = "ann";
    world.turn();
    const Operation& now = *std::ranges::find(world.facts.operations, OperationKind::act, &Operation::kind);
    EXPECT_EQ(now.recall.has_value(), can);
    if (!can) continue;
    for (Operation& operation : world.facts.operations) {
      if (operation.kind == OperationKind::act)
        operation = recalled(operation, {Answer::done, "", "in time"}, world.now);
    }
    world.obey = true;
    EXPECT_TRUE(world.until_state(RepairState::CANCELLED));
  }
}

TEST(Declarations, ACancelledActThatWasSentOnceIsNotSentAgain) {
  NodeFacts facts = healthy_node();
  facts.provider->dedup_by_operation_id = true;
  World world(facts);
  Operation* act = world.plan_act(finding("DmesgXidError", "119"));
  ASSERT_TRUE(act);
  act->dispatched_at = world.now;  // sent, not seen, planned again: a fenced provider may be asked twice
  world.facts.repair->cancel_requested_by = "ann";
  world.turn();
  const Operation& now = *std::ranges::find(world.facts.operations, OperationKind::act, &Operation::kind);
  EXPECT_EQ(now.state, OperationState::dispatching) << "it is only looked for";
  EXPECT_TRUE(now.owner.empty());
  EXPECT_EQ(world.facts.repair->step, RepairStep::act) << "a wish, until the outcome is known";
}

TEST(Declarations, AnActWaitsForTheOtherNodeOnItsHost) {
  NodeFacts facts = healthy_node();
  World world(facts);
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::drain));
  world.facts.host_busy_with = "gpu-2";
  world.run(minutes{3});
  EXPECT_EQ(world.repair().step, RepairStep::act);
  EXPECT_FALSE(world.act());
  ASSERT_FALSE(world.repair().waits_for.empty());
  EXPECT_NE(world.repair().waits_for[0].find("gpu-2"), std::string::npos) << world.repair().waits_for[0];
  world.facts.host_busy_with.clear();
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Declarations, AHostThatStillCarriesOthersIsNotSentToInspection) {
  NodeFacts facts = healthy_node();
  facts.host_before_shared_with = {"gpu-2"};
  World world(facts);
  world.sicken(finding("DmesgXidError", "79"));
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
  ASSERT_EQ(world.repair().action, Action::migrate);
  EXPECT_EQ(world.said(EventKind::host_vacated), 0);
  EXPECT_EQ(world.said(EventKind::host_left), 1);
}

}  // namespace
}  // namespace sickbay::decide::testing
