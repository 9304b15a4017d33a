// The tests of the scheduler's contract.
#include "tests/conformance/scheduler_suite.hpp"

namespace sickbay::conformance {

TEST_P(SchedulerContract, AFreshNodeIsReadyIdleAndUnmarked) {
  const NodeStatus seen = look();
  EXPECT_EQ(seen.error, "");
  EXPECT_TRUE(seen.exists);
  EXPECT_TRUE(seen.ready);
  EXPECT_FALSE(seen.cordoned);
  EXPECT_FALSE(seen.foreign_mark);
  EXPECT_EQ(seen.hold_owner, "");
  EXPECT_EQ(seen.idleness, Idleness::idle);
  EXPECT_EQ(seen.drained, true);
  EXPECT_TRUE(seen.registered);
  EXPECT_NE(seen.uid, "");
}

TEST_P(SchedulerContract, CordonLeavesOurMarkAndMayBeRepeated) {
  EXPECT_EQ(cordon("repair-1").answer, Answer::done);
  EXPECT_EQ(cordon("repair-1").answer, Answer::done);
  const NodeStatus seen = look();
  EXPECT_TRUE(seen.cordoned);
  EXPECT_EQ(seen.hold_owner, "repair-1");
  EXPECT_FALSE(seen.foreign_mark);
}

TEST_P(SchedulerContract, CordonTakesOverOurOlderMark) {
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  EXPECT_EQ(cordon("repair-2").answer, Answer::done);
  EXPECT_EQ(look().hold_owner, "repair-2");
}

TEST_P(SchedulerContract, UncordonUndoesOnlyThatRepairsMark) {
  ASSERT_EQ(cordon("repair-2").answer, Answer::done);
  EXPECT_EQ(uncordon("repair-1").answer, Answer::done);
  EXPECT_EQ(look().hold_owner, "repair-2");
  EXPECT_EQ(uncordon("repair-2").answer, Answer::done);
  EXPECT_FALSE(look().cordoned);
  EXPECT_EQ(uncordon("repair-2").answer, Answer::done);
}

TEST_P(SchedulerContract, AForeignCordonThatStoodBeforeStaysThroughCordonAndUncordon) {
  lab->cordon_as_somebody();
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  EXPECT_TRUE(look().foreign_mark);
  EXPECT_EQ(uncordon("repair-1").answer, Answer::done);
  const NodeStatus seen = look();
  EXPECT_TRUE(seen.cordoned);
  EXPECT_TRUE(seen.foreign_mark);
  EXPECT_EQ(seen.hold_owner, "");
}

TEST_P(SchedulerContract, AForeignCordonSetAfterOursStaysWhereItIsDeclaredVisible) {
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  lab->cordon_as_somebody();
  EXPECT_EQ(look().foreign_mark, declared().foreign_cordon_visible);
  EXPECT_EQ(uncordon("repair-1").answer, Answer::done);
  EXPECT_EQ(look().cordoned, declared().foreign_cordon_visible) << "one bit for everybody: theirs ends with ours";
}

TEST_P(SchedulerContract, AnotherObjectUnderTheNameIsRefused) {
  Operation cordon = operation("repair-1", OperationKind::cordon);
  cordon.uid = "the-object-of-last-week";
  EXPECT_EQ(lab->scheduler().cordon(cordon, lab->soon()).answer, Answer::refused);
  EXPECT_FALSE(look().cordoned);
  cordon.uid = look().uid;
  EXPECT_EQ(lab->scheduler().cordon(cordon, lab->soon()).answer, Answer::done);
}

TEST_P(SchedulerContract, MarksThatChangedSinceTheLookAreLeftAloneWhereThereAreVersions) {
  const NodeStatus before = look();
  if (before.version.empty()) GTEST_SKIP() << "has no versions";
  lab->cordon_as_somebody();
  Operation cordon = operation("repair-1", OperationKind::cordon);
  cordon.object_version = before.version;
  EXPECT_EQ(lab->scheduler().cordon(cordon, lab->soon()).answer, Answer::refused);
  EXPECT_EQ(look().hold_owner, "");
}

TEST_P(SchedulerContract, AViewIsNoOlderThanDeclaredAndSaysHowOldItIs) {
  for (int i = 0; i < 5; ++i) EXPECT_LE(look().age, declared().view_age);
}

TEST_P(SchedulerContract, ALateRequestOfAnOlderRepairChangesNothingWhereMarksAreAtomic) {
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  if (!lab->delay_next_request()) GTEST_SKIP() << "requests cannot be delayed in this laboratory";
  EXPECT_EQ(uncordon("repair-1").answer, Answer::unknown);
  ASSERT_EQ(cordon("repair-2").answer, Answer::done);
  lab->wait_until_arrived();
  EXPECT_EQ(look().hold_owner, declared().atomic_marks ? "repair-2" : "")
      << "without compare-and-swap the mark is lost, which the engine sees and mends";
}

TEST_P(SchedulerContract, ABlockedDrainNamesWhatBlocksItInItsAnswer) {
  lab->start_work(true);
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  EXPECT_EQ(drain("repair-1").blockers.size(), 1u);
}

TEST_P(SchedulerContract, ConditionsSayWhatTheNodesStateIs) {
  const NodeStatus seen = look();
  ASSERT_FALSE(seen.conditions.empty());
  EXPECT_EQ(seen.conditions.front().type, declared().kind == SchedulerKind::slurm ? "State" : "Ready");
}

TEST_P(SchedulerContract, AnotherInstallationsMarkIsForeignAndStays) {
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  Scheduler& other = lab->of_another_installation();
  const NodeStatus seen = other.observe(lab->node(), lab->soon());
  EXPECT_TRUE(seen.cordoned);
  EXPECT_TRUE(seen.foreign_mark);
  EXPECT_EQ(seen.hold_owner, "");
  EXPECT_EQ(other.uncordon(operation("repair-1", OperationKind::uncordon), lab->soon()).answer, Answer::done);
  EXPECT_EQ(look().hold_owner, "repair-1");
}

TEST_P(SchedulerContract, APersonsUncordonIsSeen) {
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  lab->uncordon_as_somebody();
  const NodeStatus seen = look();
  EXPECT_FALSE(seen.cordoned);
  EXPECT_EQ(seen.hold_owner, "");
}

TEST_P(SchedulerContract, WorkMakesANodeBusy) {
  lab->start_work(false);
  const NodeStatus seen = look();
  EXPECT_EQ(seen.idleness, Idleness::busy);
  EXPECT_EQ(seen.holders.size(), 1u);
}

TEST_P(SchedulerContract, WorkWithoutAcceleratorsKeepsNobodyWaitingButMustBeDrained) {
  if (!lab->start_light_work()) GTEST_SKIP() << "there is no such work";
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  EXPECT_EQ(look().idleness, Idleness::idle);
  EXPECT_EQ(look().drained, false);
  EXPECT_EQ(drain("repair-1").blockers.size(), 1u) << "its budget counts like any other";
  EXPECT_EQ(drain("repair-1", true).answer, Answer::accepted);
  lab->wait_until_left();
  EXPECT_EQ(look().drained, true);
}

TEST_P(SchedulerContract, DrainWithoutItsMarkIsRefused) {
  lab->start_work(false);
  EXPECT_EQ(drain("repair-1").answer, Answer::refused);
  ASSERT_EQ(cordon("repair-2").answer, Answer::done);
  EXPECT_EQ(drain("repair-1").answer, Answer::refused);
  lab->wait_until_left();
  EXPECT_EQ(look().idleness, Idleness::busy);
}

TEST_P(SchedulerContract, DrainAsksWorkToLeaveAndMayBeRepeated) {
  lab->start_work(false);
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  EXPECT_EQ(drain("repair-1").answer, Answer::accepted);
  EXPECT_EQ(drain("repair-1").answer, Answer::accepted);
  lab->wait_until_left();
  EXPECT_EQ(look().idleness, Idleness::idle);
  EXPECT_EQ(drain("repair-1").answer, Answer::done);
}

TEST_P(SchedulerContract, DrainRespectsBudgetsUnlessForced) {
  lab->start_work(true);
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  EXPECT_EQ(drain("repair-1").answer, Answer::accepted);
  lab->wait_until_left();
  const NodeStatus seen = look();
  EXPECT_EQ(seen.idleness, Idleness::busy);
  EXPECT_EQ(seen.blockers.size(), 1u);
  EXPECT_EQ(drain("repair-1", true).answer, Answer::accepted);
  lab->wait_until_left();
  EXPECT_EQ(look().idleness, Idleness::idle);
}

TEST_P(SchedulerContract, ProtectedWorkIsTakenAwayAfterItsTimeWhereThatIsUnderstood) {
  const auto& options = declared().drain_options;
  if (std::ranges::find(options, DrainOption::force_after) == options.end()) GTEST_SKIP() << "it is not";
  lab->start_work(true);
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  Operation drain = operation("repair-1", OperationKind::drain);
  drain.drain.force_after = seconds{1};
  const Reply reply = lab->scheduler().drain(drain, lab->soon());
  EXPECT_EQ(reply.answer, Answer::accepted);
  EXPECT_TRUE(reply.blockers.empty()) << "nothing blocks it in the end";
  lab->wait_until_left();
  EXPECT_EQ(look().idleness, Idleness::idle);
}

TEST_P(SchedulerContract, AViewIsNeverTooOldToBeActedOn) {
  EXPECT_LE(declared().view_age, seconds{40}) << "a look counts for 60 s, and a call may wait";
}

TEST_P(SchedulerContract, TheListIsCompleteAndCarriesOurMark) {
  ASSERT_EQ(cordon("repair-1").answer, Answer::done);
  lab->let_views_age();
  const auto listed = lab->scheduler().list(lab->soon());
  ASSERT_TRUE(listed) << listed.error().message;
  const auto found =
      std::find_if(listed->begin(), listed->end(), [&](const NodeStatus& n) { return n.name == lab->node(); });
  ASSERT_NE(found, listed->end());
  EXPECT_EQ(found->conditions.size(), look().conditions.size());
  EXPECT_TRUE(found->cordoned);
  EXPECT_TRUE(found->registered) << "drained, perhaps, but it answers";
  EXPECT_EQ(found->hold_owner, "repair-1");
  EXPECT_EQ(found->uid, look().uid);
}

TEST_P(SchedulerContract, ANodeThatIsNotThereIsSaidNotToExist) {
  const NodeStatus seen = lab->scheduler().observe("no-such-node", lab->soon());
  EXPECT_EQ(seen.error, "");
  EXPECT_FALSE(seen.exists);
  EXPECT_EQ(seen.idleness, Idleness::unknown);
}

TEST_P(SchedulerContract, WithoutAConnectionNothingIsSentAndNothingIsKnown) {
  lab->break_connection();
  EXPECT_EQ(cordon("repair-1").answer, Answer::not_sent);
  const NodeStatus seen = look();
  EXPECT_NE(seen.error, "");
  EXPECT_EQ(seen.idleness, Idleness::unknown);
  EXPECT_FALSE(lab->scheduler().list(lab->soon()));
}

TEST_P(SchedulerContract, WithoutTimeLeftNothingIsSent) {
  EXPECT_EQ(lab->scheduler().cordon(operation("repair-1", OperationKind::cordon), Duration{0}).answer,
            Answer::not_sent);
  EXPECT_FALSE(look().cordoned);
}

}  // namespace sickbay::conformance
