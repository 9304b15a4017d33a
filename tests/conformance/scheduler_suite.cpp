// The tests of the scheduler's contract.
#include "tests/conformance/scheduler_suite.hpp"

namespace sickbay::conformance {

TEST_P(SchedulerContract, AFreshNodeIsReadyIdleAndUnmarked) {
  const Observation seen = look();
  EXPECT_EQ(seen.error, "");
  EXPECT_TRUE(seen.exists);
  EXPECT_TRUE(seen.ready);
  EXPECT_FALSE(seen.cordoned);
  EXPECT_FALSE(seen.foreign_mark);
  EXPECT_EQ(seen.hold_owner, "");
  EXPECT_EQ(seen.idleness, Idleness::idle);
  EXPECT_NE(seen.uid, "");
}

TEST_P(SchedulerContract, PlaceLeavesOurMarkAndMayBeRepeated) {
  EXPECT_EQ(place("repair-1").answer, Answer::done);
  EXPECT_EQ(place("repair-1").answer, Answer::done);
  const Observation seen = look();
  EXPECT_TRUE(seen.cordoned);
  EXPECT_EQ(seen.hold_owner, "repair-1");
  EXPECT_FALSE(seen.foreign_mark);
}

TEST_P(SchedulerContract, PlaceTakesOverOurOlderMark) {
  ASSERT_EQ(place("repair-1").answer, Answer::done);
  EXPECT_EQ(place("repair-2").answer, Answer::done);
  EXPECT_EQ(look().hold_owner, "repair-2");
}

TEST_P(SchedulerContract, ReleaseUndoesOnlyThatRepairsMark) {
  ASSERT_EQ(place("repair-2").answer, Answer::done);
  EXPECT_EQ(release("repair-1").answer, Answer::done);
  EXPECT_EQ(look().hold_owner, "repair-2");
  EXPECT_EQ(release("repair-2").answer, Answer::done);
  EXPECT_FALSE(look().cordoned);
  EXPECT_EQ(release("repair-2").answer, Answer::done);
}

TEST_P(SchedulerContract, AForeignCordonStaysThroughPlaceAndRelease) {
  lab->cordon_as_somebody();
  ASSERT_EQ(place("repair-1").answer, Answer::done);
  EXPECT_TRUE(look().foreign_mark);
  EXPECT_EQ(release("repair-1").answer, Answer::done);
  const Observation seen = look();
  EXPECT_TRUE(seen.cordoned);
  EXPECT_TRUE(seen.foreign_mark);
  EXPECT_EQ(seen.hold_owner, "");
}

TEST_P(SchedulerContract, AForeignCordonSetAfterOursStays) {
  ASSERT_EQ(place("repair-1").answer, Answer::done);
  lab->cordon_as_somebody();
  EXPECT_EQ(release("repair-1").answer, Answer::done);
  EXPECT_TRUE(look().cordoned);
}

TEST_P(SchedulerContract, AnotherInstallationsMarkIsForeignAndStays) {
  ASSERT_EQ(place("repair-1").answer, Answer::done);
  Scheduler& other = lab->of_another_installation();
  const Observation seen = other.observe(lab->node(), lab->soon());
  EXPECT_TRUE(seen.cordoned);
  EXPECT_TRUE(seen.foreign_mark);
  EXPECT_EQ(seen.hold_owner, "");
  EXPECT_EQ(other.release(operation("repair-1", OperationKind::uncordon), lab->soon()).answer, Answer::done);
  EXPECT_EQ(look().hold_owner, "repair-1");
}

TEST_P(SchedulerContract, APersonsUncordonIsSeen) {
  ASSERT_EQ(place("repair-1").answer, Answer::done);
  lab->uncordon_as_somebody();
  const Observation seen = look();
  EXPECT_FALSE(seen.cordoned);
  EXPECT_EQ(seen.hold_owner, "");
}

TEST_P(SchedulerContract, WorkMakesANodeBusy) {
  lab->start_work(false);
  const Observation seen = look();
  EXPECT_EQ(seen.idleness, Idleness::busy);
  EXPECT_EQ(seen.work.size(), 1u);
}

TEST_P(SchedulerContract, DrainWithoutItsMarkIsRefused) {
  lab->start_work(false);
  EXPECT_EQ(drain("repair-1").answer, Answer::refused);
  ASSERT_EQ(place("repair-2").answer, Answer::done);
  EXPECT_EQ(drain("repair-1").answer, Answer::refused);
  lab->wait_until_left();
  EXPECT_EQ(look().idleness, Idleness::busy);
}

TEST_P(SchedulerContract, DrainAsksWorkToLeaveAndMayBeRepeated) {
  lab->start_work(false);
  ASSERT_EQ(place("repair-1").answer, Answer::done);
  EXPECT_EQ(drain("repair-1").answer, Answer::accepted);
  EXPECT_EQ(drain("repair-1").answer, Answer::accepted);
  lab->wait_until_left();
  EXPECT_EQ(look().idleness, Idleness::idle);
  EXPECT_EQ(drain("repair-1").answer, Answer::done);
}

TEST_P(SchedulerContract, DrainRespectsBudgetsUnlessForced) {
  lab->start_work(true);
  ASSERT_EQ(place("repair-1").answer, Answer::done);
  EXPECT_EQ(drain("repair-1").answer, Answer::accepted);
  lab->wait_until_left();
  const Observation seen = look();
  EXPECT_EQ(seen.idleness, Idleness::busy);
  EXPECT_EQ(seen.blockers.size(), 1u);
  EXPECT_EQ(drain("repair-1", true).answer, Answer::accepted);
  lab->wait_until_left();
  EXPECT_EQ(look().idleness, Idleness::idle);
}

TEST_P(SchedulerContract, TheListIsCompleteAndCarriesOurMark) {
  ASSERT_EQ(place("repair-1").answer, Answer::done);
  const auto listed = lab->scheduler().list(lab->soon());
  ASSERT_TRUE(listed) << listed.error().message;
  const auto found =
      std::find_if(listed->begin(), listed->end(), [&](const ListedNode& n) { return n.name == lab->node(); });
  ASSERT_NE(found, listed->end());
  EXPECT_TRUE(found->cordoned);
  EXPECT_TRUE(found->ready);
  EXPECT_EQ(found->hold_owner, "repair-1");
  EXPECT_EQ(found->uid, look().uid);
}

TEST_P(SchedulerContract, ANodeThatIsNotThereIsSaidNotToExist) {
  const Observation seen = lab->scheduler().observe("no-such-node", lab->soon());
  EXPECT_EQ(seen.error, "");
  EXPECT_FALSE(seen.exists);
  EXPECT_EQ(seen.idleness, Idleness::unknown);
}

TEST_P(SchedulerContract, WithoutAConnectionNothingIsSentAndNothingIsKnown) {
  lab->break_connection();
  EXPECT_EQ(place("repair-1").answer, Answer::not_sent);
  const Observation seen = look();
  EXPECT_NE(seen.error, "");
  EXPECT_EQ(seen.idleness, Idleness::unknown);
  EXPECT_FALSE(lab->scheduler().list(lab->soon()));
}

TEST_P(SchedulerContract, WithoutTimeLeftNothingIsSent) {
  EXPECT_EQ(lab->scheduler().place(operation("repair-1", OperationKind::cordon), Duration{0}).answer, Answer::not_sent);
  EXPECT_FALSE(look().cordoned);
}

}  // namespace sickbay::conformance
