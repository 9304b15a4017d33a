// The database's clock beside ours: a step is noticed before anything is decided on it, and stops nothing for good.
#include "store/clock_steps.hpp"
#include "store/events.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

namespace sickbay::engine::testing {
namespace {

class ClockSteps : public EngineTest {
 protected:
  ClockSteps() {
    script_.nodes = nodes(1);
    add_cluster("c1", script_);
    turn_all();
  }
  Script script_;
};

TEST_F(ClockSteps, TheTurnThatSeesAStepFirstIsCautiousAlready) {
  bool frozen_when_decided = false;
  TestHooks hooks;
  hooks.at = [&](Point point) {
    if (point == Point::after_read) frozen_when_decided = engine_->caution().deadlines_frozen;
  };
  restart(256, std::move(hooks));
  ASSERT_TRUE(engine_->turn(WorkKind::node, node("c1", "gpu-0").id));
  EXPECT_FALSE(frozen_when_decided);
  clock_.step_wall(hours{3});
  ASSERT_TRUE(engine_->turn(WorkKind::node, node("c1", "gpu-0").id));
  EXPECT_TRUE(frozen_when_decided);
  pass(minutes{6});
  EXPECT_FALSE(engine_->caution().deadlines_frozen);
}

// However many see it, and whoever starts later: it is one step.
TEST_F(ClockSteps, AStepIsWrittenDownOnceAndSaidOnce) {
  Options options;
  options.replica = "another";
  Engine another(*store_, adapters_, faults_, clock_, ids_, options, {}, std::make_unique<QueueExecutor>());
  const std::string key = node("c1", "gpu-0").id;
  ASSERT_TRUE(engine_->turn(WorkKind::node, key));
  ASSERT_TRUE(another.turn(WorkKind::node, key));
  clock_.step_wall(hours{3});
  clock_.advance(seconds{1});
  ASSERT_TRUE(engine_->turn(WorkKind::node, key));
  ASSERT_TRUE(another.turn(WorkKind::node, key));
  restart(256);
  ASSERT_TRUE(engine_->turn(WorkKind::node, key));
  EXPECT_EQ(read([](store::Tx& tx) { return store::clock_steps(tx).total; }), hours{3});
  EXPECT_EQ(node("c1", "gpu-0").clock_steps, hours{3});
  ASSERT_TRUE(engine_->turn(WorkKind::publish, "events"));
  const auto said = read([](store::Tx& tx) {
    return store::list_events(tx, {"c1", {}, {}, std::string(name_of(EventKind::clock_step))}, {}).items;
  });
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said.front().message.find("10800 s"), std::string::npos) << said.front().message;
}

TEST_F(ClockSteps, ANodeThatCameAfterAStepHasNothingToMove) {
  ASSERT_TRUE(engine_->turn(WorkKind::node, node("c1", "gpu-0").id));
  clock_.step_wall(hours{3});
  ASSERT_TRUE(engine_->turn(WorkKind::node, node("c1", "gpu-0").id));
  script_.nodes = nodes(2);
  pass(seconds{30});
  EXPECT_EQ(node("c1", "gpu-1").clock_steps, hours{3});
}

TEST_F(ClockSteps, AClockThatWasSetBackStopsNothing) {
  const int before = script_.lists;
  clock_.step_wall(-hours{2});
  for (int i = 0; i < 10; ++i) pass(seconds{30});
  EXPECT_GE(script_.lists, before + 5);
}

TEST_F(ClockSteps, TwoClocksThatAreBothRightMayDriftApartOverADay) {
  for (int i = 0; i < 60 * 24; ++i) {
    pass(minutes{1});
    clock_.step_wall(milliseconds{5});  // 80 ppm, seven seconds a day
  }
  ASSERT_TRUE(engine_->turn(WorkKind::node, node("c1", "gpu-0").id));
  EXPECT_FALSE(engine_->caution().deadlines_frozen);
}

}  // namespace
}  // namespace sickbay::engine::testing
