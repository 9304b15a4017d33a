// The database's clock beside ours: a step is noticed before anything is decided on it, and stops nothing for good.
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
