// Holds: what becomes of our marks when other hands touch them, and that foreign ones are never touched (engine.md 5).
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

TEST(Holds, AReleasedNodeGoesBackWithItsMarksTaken) {
  World world;
  world.act_outcome = Outcome::failed;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::FAILED));
  EXPECT_FALSE(release(world.facts, {"ann", Role::operator_}, "", world.now)) << "a reason is needed";
  const auto out = release(world.facts, {"ann", Role::operator_}, "needed for a demo", world.now);
  ASSERT_TRUE(out) << out.error().message;
  world.facts.node = out->node;
  world.facts.holds = out->holds;
  world.run(minutes{2});
  EXPECT_TRUE(world.facts.holds.empty());
  EXPECT_FALSE(world.marks["kube"].cordoned);
}

TEST(Holds, AnUncordonByHandDuringTheWaitCancels) {
  World world;
  world.marks["kube"].busy = true;
  world.look();
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  world.run(minutes{2});
  world.marks["kube"].owner.clear();
  world.marks["kube"].cordoned = false;
  ASSERT_TRUE(world.until_state(RepairState::CANCELLED, minutes{5}));
  EXPECT_NE(world.repair().steps.back().why.find("uncordon by hand"), std::string::npos);
  EXPECT_TRUE(world.facts.holds.empty());
  EXPECT_FALSE(world.act());
}

TEST(Holds, AMarkDroppedAfterTheActIsPlacedAgain) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::verify));
  world.run(seconds{40});
  world.marks["kube"].owner.clear();
  world.marks["kube"].cordoned = false;
  world.run(seconds{50});
  EXPECT_EQ(world.marks["kube"].owner, world.repair().id);
  EXPECT_EQ(world.said(EventKind::hold_dropped), 1);
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Holds, AMarkOfAFailedRepairIsPlacedAgain) {
  World world;
  world.act_outcome = Outcome::failed;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::FAILED));
  world.run(minutes{1});
  world.marks["kube"].owner.clear();
  world.marks["kube"].cordoned = false;
  world.run(minutes{1});
  EXPECT_EQ(world.marks["kube"].owner, world.repair().id);
}

TEST(Holds, AFailedCordonIsAskedAgain) {
  World world;
  world.marks["kube"].down = true;
  world.sicken(finding("DmesgXidError", "119"));
  world.run(minutes{2});
  EXPECT_EQ(world.facts.repair->step, RepairStep::cordon);
  EXPECT_GT(world.dispatched.size(), 2U);
  world.marks["kube"].down = false;
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Holds, OurMarkWithoutARepairIsTakenAway) {
  World world;
  world.marks["kube"].owner = "rep-forgotten";
  world.marks["kube"].cordoned = true;
  world.look();
  world.run(minutes{1});
  EXPECT_FALSE(world.marks["kube"].cordoned);
  EXPECT_EQ(world.dispatched.size(), 1U);
  EXPECT_EQ(world.dispatched[0].repair, "rep-forgotten");
}

TEST(Holds, AMarkOfARepairThatNobodyKnowsIsShownAndLeftAlone) {
  World world;
  world.marks["kube"].owner = "rep-of-another-copy";
  world.marks["kube"].cordoned = true;
  world.facts.unknown_marks["kube"] = "rep-of-another-copy";
  world.look();
  world.run(minutes{10});
  EXPECT_TRUE(world.marks["kube"].cordoned);
  EXPECT_TRUE(world.dispatched.empty());
  ASSERT_TRUE(world.alert("UnknownMark"));
  EXPECT_EQ(world.alert("UnknownMark")->state, AlertState::firing);
  EXPECT_NE(world.alert("UnknownMark")->first.sentence.find("rep-of-another-copy"), std::string::npos);
  world.marks["kube"].owner.clear(), world.marks["kube"].cordoned = false;  // by hand
  world.facts.unknown_marks.clear();
  world.look();
  world.run(minutes{1});
  EXPECT_EQ(world.alert("UnknownMark")->state, AlertState::resolved);
}

TEST(Holds, AForeignCordonIsLeftAlone) {
  World world;
  world.marks["kube"].cordoned = true;
  for (Observation& look : world.facts.observed) look.foreign_mark = true;
  world.look();
  world.run(minutes{5});
  EXPECT_TRUE(world.dispatched.empty());
}

}  // namespace
}  // namespace sickbay::decide::testing
