// What real schedulers and clouds do, and no simulated world did for long.
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

TEST(Field, APodWithoutAcceleratorsWhoseBudgetAllowsNoEvictionHoldsBackTheAct) {
  World world;
  world.drain_works = false;
  world.marks["kube"].leftovers = true;
  world.marks["kube"].blockers = {"pod db-0: PodDisruptionBudget db"};
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::drain)) << "nobody waits for it: no accelerator is in use";
  world.run(hours{1});
  EXPECT_EQ(world.facts.repair->step, RepairStep::drain);
  EXPECT_FALSE(world.act());
  EXPECT_EQ(world.facts.repair->waits_for.at(0), "pod db-0: PodDisruptionBudget db");
  EXPECT_EQ(world.said(EventKind::repair_person), 1) << "a person is asked at the drain's deadline";
  world.drain_works = true;
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Field, ANodeMadeAnewUnderItsNameIsNoUncordonByHand) {
  World world;
  world.marks["kube"].uid = "uid-1";
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  world.marks["kube"].uid = "uid-2";  // deleted, and registered again, between two looks
  world.marks["kube"].owner.clear();
  world.marks["kube"].cordoned = false;
  world.run(seconds{50});
  EXPECT_FALSE(world.facts.repair->cancel_requested_by);
  EXPECT_EQ(world.marks["kube"].owner, world.repair().id) << "our mark is placed again";
}

TEST(Field, ANodeThatLeftOneOfItsSchedulersIsRepairedInTheOther) {
  World world(healthy_node({"kube", "slurm"}));
  world.marks["slurm"].exists = false;
  for (int i = 0; i < 4; ++i) world.now += seconds{20}, world.look(), world.turn();
  EXPECT_EQ(world.facts.node.schedulers, std::vector<std::string>{"kube"});
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Field, ANodeThatIsGoneFromItsOnlySchedulerIsStillInIt) {
  World world;
  world.marks["kube"].exists = false;
  for (int i = 0; i < 4; ++i) world.now += seconds{20}, world.look(), world.turn();
  EXPECT_EQ(world.facts.node.schedulers, std::vector<std::string>{"kube"});
}

// ReturnToService=0: slurmd registered after the boot, and the node stays DOWN until it is told otherwise.
TEST(Field, ASlurmNodeThatRegisteredIsProvedThoughItsStateIsDown) {
  NodeFacts facts = healthy_node({"slurm"});
  facts.observed[0].kind = SchedulerKind::slurm;
  World world(facts);
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::verify));
  world.marks["slurm"].ready = false;
  world.marks["slurm"].registered = true;
  ASSERT_TRUE(world.until_step(RepairStep::give_back));
}

TEST(Field, AMigrateInACloudThatNamesNoHostsIsProvedByTheNewInstallation) {
  NodeFacts facts = healthy_node();
  facts.node.host.clear();
  facts.session->host.clear();
  facts.host = Host{};
  World world(facts);
  world.names_hosts = false;
  world.look();
  Request asked;
  asked.action = Action::migrate, asked.request_id = "r1";
  asked.override_evidence = true, asked.reason = "a bad board";
  const auto made = request(world.facts, {"ann", Role::admin}, asked, world.now, world.ids);
  ASSERT_TRUE(made) << made.error().message;
  world.facts.repair = *made;
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED)) << world.repair().error;
}

}  // namespace
}  // namespace sickbay::decide::testing
