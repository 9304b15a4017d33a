// What a look at the world makes of an operation whose reply never came.
#include "decide/operation.hpp"

#include <gtest/gtest.h>

namespace sickbay::decide {
namespace {

const Time kNow = from_micros(1'800'000'000'000'000);

Operation taken(OperationKind kind, Duration ago) {
  Operation operation;
  operation.id = "op-1";
  operation.repair = "rep-1";
  operation.kind = kind;
  operation.action = Action::reboot;
  operation.state = OperationState::dispatching;
  operation.owner = "gone";
  operation.dispatch_by = kNow - ago;
  operation.deadline = kNow + minutes{15};
  return operation;
}

OperationView view(Progress progress) {
  return {progress, "", ""};
}

TEST(Seen, ANotSeenOperationStaysWhileItMayStillBeOnItsWay) {
  const Operation op = seen(taken(OperationKind::act, seconds{1}), view(Progress::not_seen), false, {}, {}, kNow);
  EXPECT_EQ(op.state, OperationState::dispatching);
}

TEST(Seen, ANotSeenOperationOfAnUnfencedProviderIsAmbiguousAndNeverAskedAgain) {
  const Operation op = seen(taken(OperationKind::act, minutes{2}), view(Progress::not_seen), false, {}, {}, kNow);
  EXPECT_EQ(op.state, OperationState::ambiguous);
}

TEST(Seen, ANotSeenOperationOfAFencedProviderMayBeAskedAgain) {
  const Operation op = seen(taken(OperationKind::act, minutes{2}), view(Progress::not_seen), true, {}, {}, kNow);
  EXPECT_EQ(op.state, OperationState::planned);
  EXPECT_TRUE(op.owner.empty());
}

TEST(Seen, AnUnreadableProviderIsNotAnAnswerUntilTheDeadline) {
  Operation op = seen(taken(OperationKind::act, minutes{2}), view(Progress::unreadable), false, {}, {}, kNow);
  EXPECT_EQ(op.state, OperationState::dispatching);
  op = seen(op, view(Progress::unreadable), false, {}, {}, kNow + minutes{16});
  EXPECT_EQ(op.state, OperationState::ambiguous);
}

TEST(Seen, AnAmbiguousOperationConcludesOnceItsOutcomeIsSeen) {
  Operation op = taken(OperationKind::act, minutes{2});
  op.state = OperationState::ambiguous;
  EXPECT_EQ(seen(op, view(Progress::failed), false, {}, {}, kNow).outcome, Outcome::failed);
  EXPECT_EQ(seen(op, view(Progress::succeeded), false, {}, {}, kNow).outcome, Outcome::succeeded);
  EXPECT_EQ(seen(op, view(Progress::running), false, {}, {}, kNow).state, OperationState::acknowledged);
}

TEST(Seen, NoDeadlineExpiresWhileTheClockIsNotBelieved) {
  const SafetyState frozen{.observe_only = false, .deadlines_frozen = true, .ingest_lagging = false};
  const Operation op =
      seen(taken(OperationKind::act, minutes{2}), view(Progress::running), false, frozen, {}, kNow + hours{1});
  EXPECT_EQ(op.state, OperationState::acknowledged);
}

TEST(Seen, ACordonWhoseMarkIsThereHappened) {
  Observation observation;
  observation.hold_owner = "rep-1";
  EXPECT_EQ(seen(taken(OperationKind::cordon, minutes{1}), observation, {}, kNow).outcome, Outcome::succeeded);
  observation.hold_owner = "rep-other";
  EXPECT_EQ(seen(taken(OperationKind::cordon, minutes{1}), observation, {}, kNow).outcome, Outcome::undone);
  observation.error = "no answer";
  EXPECT_EQ(seen(taken(OperationKind::cordon, minutes{1}), observation, {}, kNow).state, OperationState::dispatching);
}

}  // namespace
}  // namespace sickbay::decide
