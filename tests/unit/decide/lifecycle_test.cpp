// The lifecycle of product.md 4.2, carried from finding to end in a world that does what it is told.
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

std::vector<RepairStep> steps_of(const Repair& repair) {
  std::vector<RepairStep> steps;
  for (const StepTime& one : repair.steps) steps.push_back(one.step);
  return steps;
}

TEST(Lifecycle, AnApprovedRebootPassesEveryStepAndSucceeds) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
  using enum RepairStep;
  EXPECT_EQ(steps_of(world.repair()), (std::vector{ask, queued, cordon, wait, drain, act, verify, give_back, done}));
  EXPECT_TRUE(world.facts.holds.empty());
  EXPECT_FALSE(world.facts.node.quarantine);
  EXPECT_FALSE(world.marks["kube"].cordoned);
  EXPECT_TRUE(world.slots.empty());
  EXPECT_TRUE(world.facts.node.cooldown_until);
  EXPECT_EQ(std::ranges::count(world.dispatched, OperationKind::act, &Operation::kind), 1);
}

TEST(Lifecycle, EveryActionEndsWellInTwoSchedulers) {
  for (const Action action :
       {Action::reboot, Action::reprovision, Action::migrate, Action::power_cycle, Action::remove}) {
    NodeFacts facts = healthy_node({"kube", "slurm"});
    facts.policy.policy.power_cycle_enabled = true;
    facts.provider->actions.push_back(Action::power_cycle);
    World world(facts);
    world.tell(finding("DmesgXidError", "119"));
    ASSERT_TRUE(world.until_state(RepairState::PENDING_APPROVAL));
    world.set_repair(*reject(*world.facts.repair, {"ann", Role::operator_}, "by hand", world.now));
    Request asked;
    asked.action = action, asked.request_id = "r1";
    const auto made = request(world.facts, {"ann", Role::operator_}, asked, world.now, world.ids);
    ASSERT_TRUE(made) << made.error().message;
    world.facts.repair = *made;
    ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED))
        << name_of(action) << ": " << world.repair().error
        << (world.repair().waits_for.empty() ? "" : world.repair().waits_for[0]);
    EXPECT_TRUE(world.facts.holds.empty()) << name_of(action);
    EXPECT_EQ(world.facts.node.removed_at.has_value(), action == Action::remove);
    const bool left = action == Action::migrate || action == Action::remove;
    EXPECT_EQ(std::ranges::count(world.hosts, HostState::vacated, &Host::state), left ? 1 : 0) << name_of(action);
    if (action == Action::remove) continue;
    std::vector<std::string> released;
    for (const Operation& op : world.dispatched) {
      if (op.kind == OperationKind::uncordon) released.push_back(op.adapter);
    }
    EXPECT_EQ(released, (std::vector<std::string>{"slurm", "kube"})) << "released in reverse order";
  }
}

TEST(Lifecycle, AFailedActionLeavesTheNodeQuarantinedAndSaysSo) {
  World world;
  world.act_outcome = Outcome::failed;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::FAILED));
  EXPECT_TRUE(world.facts.node.quarantine);
  ASSERT_EQ(world.facts.holds.size(), 1U);
  EXPECT_TRUE(world.facts.holds[0].wanted);
  EXPECT_TRUE(world.marks["kube"].cordoned);
  world.run(hours{2});
  EXPECT_FALSE(world.facts.repair) << "no new automatic recommendation while quarantined";
  const auto lines = why(world.facts, world.now);
  EXPECT_NE(lines[0].find("quarantined"), std::string::npos) << lines[0];
}

TEST(Lifecycle, ARetryInheritsTheQuarantineAndReturnsTheNode) {
  World world;
  world.act_outcome = Outcome::failed;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::FAILED));
  const Repair failed = world.repair();
  world.act_outcome = Outcome::succeeded;
  world.run(hours{1});
  const auto again = retry(world.facts, failed, {"ann", Role::operator_}, {}, "cable reseated", world.now, world.ids);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->retry_of, failed.id);
  world.facts.repair = *again;
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
  EXPECT_EQ(world.repair().id, again->id);
  EXPECT_TRUE(world.facts.holds.empty());
  EXPECT_FALSE(world.marks["kube"].cordoned);
}

TEST(Lifecycle, WorkIsWaitedForUntilTheLongestWaitThenDrained) {
  World world;
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  const Time began = world.now;
  EXPECT_EQ(*world.facts.repair->wait_until, began + hours{2});
  world.run(hours{1});
  EXPECT_EQ(world.facts.repair->step, RepairStep::wait);
  EXPECT_NE(world.facts.repair->waits_for.at(0).find("train-0"), std::string::npos);
  EXPECT_FALSE(world.act());
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
  EXPECT_GE(world.act()->planned_at, began + hours{2});
}

TEST(Lifecycle, JobsThatMustNotBeInterruptedAreWaitedForWithoutLimit) {
  NodeFacts facts = healthy_node();
  facts.policy.policy.wait.never_interrupt_jobs = true;
  World world(facts);
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  world.run(hours{48}, minutes{1});
  EXPECT_EQ(world.facts.repair->step, RepairStep::wait);
  EXPECT_FALSE(world.facts.repair->waits_for.empty());
  world.marks["kube"].busy = false;
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Lifecycle, ADrainThatDoesNotEndAsksAPersonWhoForcesIt) {
  World world;
  world.drain_works = false;
  world.marks["kube"].busy = true;
  world.marks["kube"].blockers = {"pod train-0: PodDisruptionBudget train"};
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.run_until(hours{6}, [&] { return world.repair().person.has_value(); }));
  EXPECT_EQ(world.facts.repair->step, RepairStep::drain);
  EXPECT_EQ(world.facts.repair->waits_for.at(0), "pod train-0: PodDisruptionBudget train");
  world.run(hours{5});
  EXPECT_EQ(world.facts.repair->step, RepairStep::drain) << "time alone decides nothing";
  EXPECT_EQ(world.said(EventKind::repair_person), 1);
  EXPECT_FALSE(world.act());
  world.facts.repair = *force_drain(*world.facts.repair, {"ann", Role::operator_}, world.now);
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Lifecycle, PolicyMayForceTheDrainAfterItsDeadline) {
  NodeFacts facts = healthy_node();
  facts.policy.policy.wait.force_drain_after_deadline = true;
  World world(facts);
  world.drain_works = false;
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
  EXPECT_EQ(world.repair().force_drain, "policy version 1");
}

TEST(Lifecycle, AForcedDrainThatWasRefusedDrainedNothing) {
  World world;
  world.drain_works = false;
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::drain));
  world.facts.repair = *force_drain(*world.facts.repair, {"ann", Role::operator_}, world.now);
  world.refuse_drains = true;
  world.run(minutes{20});
  EXPECT_EQ(world.facts.repair->step, RepairStep::drain);
  EXPECT_FALSE(world.act());
  world.refuse_drains = false;
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Lifecycle, AlertsThatClearBeforeTheFirstEvictionEndItWithoutARepair) {
  World world;
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("NpdXfsShutdown", "", "/scratch"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  Finding clear = finding("NpdXfsShutdown", "", "/scratch");
  clear.kind = FindingKind::clear;
  world.tell(clear);
  world.run(minutes{4});
  EXPECT_EQ(world.facts.repair->step, RepairStep::wait) << "clear for 5 minutes, not less";
  ASSERT_TRUE(world.until_state(RepairState::AUTO_RESOLVED, minutes{5}));
  EXPECT_FALSE(world.marks["kube"].cordoned);
  EXPECT_TRUE(world.facts.holds.empty());
  EXPECT_FALSE(world.act());
}

TEST(Lifecycle, IdleWithItsAlertsOverDoesNotBeginToDrain) {
  World world;
  world.sicken(finding("NpdXfsShutdown", "", "/scratch"));
  Finding clear = finding("NpdXfsShutdown", "", "/scratch");
  clear.kind = FindingKind::clear;
  world.tell(clear);
  ASSERT_TRUE(world.until_state(RepairState::AUTO_RESOLVED));
  EXPECT_EQ(std::ranges::count(world.dispatched, OperationKind::drain, &Operation::kind), 0);
}

TEST(Lifecycle, ACancelBeforeTheActIsUndoneAndAfterItComesTooLate) {
  World early;
  early.marks["kube"].busy = true;
  early.look();
  early.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(early.until_step(RepairStep::wait));
  early.facts.repair = *cancel(*early.facts.repair, {"ann", Role::operator_}, early.now);
  ASSERT_TRUE(early.until_state(RepairState::CANCELLED, minutes{3}));
  EXPECT_FALSE(early.marks["kube"].cordoned);

  World late;
  late.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(late.until_step(RepairStep::verify));
  late.facts.repair = *cancel(*late.facts.repair, {"ann", Role::operator_}, late.now);
  ASSERT_TRUE(late.until_state(RepairState::SUCCEEDED));
  EXPECT_EQ(late.said(EventKind::repair_cancel_late), 1);
}

TEST(Lifecycle, ANodeDeletedExternallyCancels) {
  World world;
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  world.marks["kube"].exists = false;
  ASSERT_TRUE(world.until_state(RepairState::CANCELLED, minutes{2}));
  EXPECT_NE(world.repair().steps.back().why.find("deleted"), std::string::npos);
  EXPECT_TRUE(world.facts.holds.empty());
}

TEST(Lifecycle, NothingIsActedOnWhileASchedulerCannotBeAsked) {
  NodeFacts facts = healthy_node({"kube", "slurm"});
  World world(facts);
  world.marks["slurm"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  world.marks["slurm"].busy = false;
  world.marks["slurm"].down = true;
  world.look();
  world.run(hours{5});
  EXPECT_FALSE(world.act());
  EXPECT_FALSE(world.facts.repair->waits_for.empty());
  world.marks["slurm"].down = false;
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Lifecycle, AnAmbiguousOperationWaitsForAPersonsWord) {
  World world;
  Operation* act = world.plan_act(finding("DmesgXidError", "119"));
  ASSERT_TRUE(act);
  act->state = OperationState::ambiguous, act->owner = "replica-2", act->dispatched_at = world.now;
  world.run(hours{3});
  EXPECT_EQ(world.facts.repair->step, RepairStep::act);
  ASSERT_TRUE(world.facts.repair->person);
  EXPECT_NE(why(world.facts, world.now)[0].find("person"), std::string::npos);
  for (Operation& op : world.facts.operations) {
    if (op.state == OperationState::ambiguous)
      op = *settle(op, {"ann", Role::operator_}, Outcome::undone, "BMC log", world.now);
  }
  world.step();
  EXPECT_EQ(world.repair().state, RepairState::FAILED);
  EXPECT_TRUE(world.facts.node.quarantine);
}

TEST(Lifecycle, AnActThatIsTakenOnButNeverEndsBecomesAPersonsMatter) {
  World world;
  Operation* planned = world.plan_act(finding("DmesgXidError", "119"));
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->state, OperationState::planned);
  Operation& act = *planned;
  act.state = OperationState::acknowledged, act.owner = "replica-1", act.dispatched_at = world.now;
  world.run(minutes{14});
  EXPECT_FALSE(world.facts.repair->person);
  world.run(minutes{2});
  EXPECT_EQ(act.state, OperationState::ambiguous);
  EXPECT_TRUE(world.facts.repair->person);
}

TEST(Lifecycle, AnActThatMayBeOnItsWayIsNeverTakenBackNorSentAgainToABusyNode) {
  World world;
  Operation* act = world.plan_act(finding("DmesgXidError", "119"));
  ASSERT_TRUE(act);
  act->dispatched_at = world.now;  // sent, not seen, planned again for a provider that refuses a second effect
  world.turn();
  EXPECT_EQ(act->state, OperationState::planned);
  EXPECT_TRUE(world.facts.repair->acted_at);
  world.marks["kube"].busy = true;
  world.look();
  world.turn();
  EXPECT_EQ(act->state, OperationState::dispatching) << "looked for, not sent again";
  world.run(minutes{20});
  EXPECT_EQ(act->state, OperationState::ambiguous);
  EXPECT_TRUE(world.facts.repair->person);
}

TEST(Lifecycle, ARebootThatNeverComesBackFailsAtTheVerifyDeadline) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::verify));
  world.facts.session->epoch = 1;
  world.facts.session->boot_id = "boot-1";
  world.agent_lives = false;
  ASSERT_TRUE(world.until_state(RepairState::FAILED, minutes{40}));
  EXPECT_NE(world.repair().error.find("agent"), std::string::npos);
  EXPECT_TRUE(world.facts.node.quarantine);
}

TEST(Lifecycle, FewerDevicesThanBeforeIsNotHealthy) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::verify));
  world.facts.session->shape.gpus = 7;
  ASSERT_TRUE(world.until_state(RepairState::FAILED, minutes{40}));
  EXPECT_NE(world.repair().error.find("8 GPUs, of which the agent sees 7"), std::string::npos) << world.repair().error;
}

TEST(Lifecycle, AFaultThatComesBackDuringVerifyIsNotHealthy) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::verify));
  world.run(minutes{1});
  world.tell(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::FAILED, minutes{40}));
  EXPECT_NE(world.repair().error.find("DmesgXidError/119"), std::string::npos);
  EXPECT_EQ(world.repair().alerts.size(), 2U) << "it joined the open repair";
}

TEST(Lifecycle, ObserveOnlySendsNothing) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  world.facts.caution.observe_only = true;
  world.run(hours{1});
  EXPECT_TRUE(world.dispatched.empty());
  EXPECT_EQ(world.facts.repair->state, RepairState::PENDING);
  world.facts.caution.observe_only = false;
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Lifecycle, AClockThatStepsAheadMakesEveryOpenWaitLongerByTheStep) {
  World world;
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  const Time until = *world.facts.repair->wait_until;
  world.now += hours{3};
  world.facts.clock_steps = hours{3};
  world.facts.last_heartbeat = world.now;
  world.look();
  world.turn();
  EXPECT_EQ(world.facts.repair->wait_until, until + hours{3});
  world.run(minutes{30});
  EXPECT_EQ(world.facts.repair->step, RepairStep::wait) << "its jobs were promised two hours";
  EXPECT_EQ(world.facts.repair->wait_until, until + hours{3}) << "once";
}

TEST(Lifecycle, AnActWhoseTimeIsNotOverByTheSteadyClockIsNotCalledUnknown) {
  World world;
  Operation* act = world.plan_act(finding("DmesgXidError", "119"));
  ASSERT_TRUE(act);
  act->state = OperationState::acknowledged, act->dispatched_at = world.now, act->owner = "replica-1";
  const Time deadline = act->deadline;
  world.now += hours{3};
  world.facts.clock_steps = hours{3};
  world.turn();
  EXPECT_EQ(act->state, OperationState::acknowledged);
  EXPECT_EQ(act->deadline, deadline + hours{3});
}

TEST(Lifecycle, AFrozenClockExpiresNoWait) {
  World world;
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  world.facts.caution.deadlines_frozen = true;
  world.run(hours{4});
  EXPECT_EQ(world.facts.repair->step, RepairStep::wait);
}

}  // namespace
}  // namespace sickbay::decide::testing
