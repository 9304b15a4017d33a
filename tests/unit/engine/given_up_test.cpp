// A turn that meets an internal error is given up, loudly, and keeps nobody else from their turns.
#include "base/expect.hpp"
#include "store/events.hpp"
#include "store/sql.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

namespace sickbay::engine::testing {
namespace {

class GivenUp : public EngineTest {
 protected:
  GivenUp() {
    TestHooks hooks;
    hooks.at = [this](Point point) { SICKBAY_EXPECT(sound_ || point != Point::after_read); };
    restart(256, std::move(hooks));
    script_.nodes = nodes(2);
    add_cluster("c1", script_);
    turn_all();
    // Both are due, the first of them first.
    write([&](store::Tx& tx) {
      store::wake(tx, WorkKind::node, first_ = id_of(tx, "gpu-0"), clock_.now() - seconds{1});
      store::wake(tx, WorkKind::node, second_ = id_of(tx, "gpu-1"), clock_.now());
    });
  }
  static std::string id_of(store::Tx& tx, const std::string& name) { return store::find_node(tx, "c1", name)->id; }
  std::vector<std::string> due() {
    std::vector<std::string> keys;
    for (const store::Work& work : read([&](store::Tx& tx) { return store::list_due(tx, store::now(tx), 100); })) {
      if (work.kind == WorkKind::node) keys.push_back(work.key);
    }
    return keys;
  }
  bool sound_ = true;
  std::string first_, second_;
  Script script_;
};

TEST_F(GivenUp, ATurnWhoseExpectationBreaksFailsAndIsCounted) {
  const std::uint64_t before = broken_expectations();
  sound_ = false;
  const Status turned = engine_->turn(WorkKind::node, first_);
  ASSERT_FALSE(turned);
  EXPECT_EQ(turned.error().code, Errc::internal);
  EXPECT_NE(turned.error().message.find("was given up"), std::string::npos) << turned.error().message;
  EXPECT_EQ(broken_expectations(), before + 1);
}

TEST_F(GivenUp, AWorkerAloneGoesOnWithOtherNodesAndTriesAgainAfterAMinute) {
  ASSERT_EQ(due(), (std::vector{first_, second_}));
  sound_ = false;
  EXPECT_FALSE(engine_->step());
  sound_ = true;
  EXPECT_EQ(due(), std::vector{second_}) << "the one given up does not stand before the other";
  EXPECT_TRUE(engine_->step());
  EXPECT_EQ(due(), std::vector<std::string>{});
  clock_.advance(minutes{1});
  const auto again = due();
  EXPECT_NE(std::ranges::find(again, first_), again.end());
  turn_all();
  EXPECT_EQ(due(), std::vector<std::string>{});
}

// A row that cannot be read, however it came there.
TEST_F(GivenUp, ATurnThatFailsBacksOffFromASecondToFiveMinutesAndHoldsUpNobody) {
  write([&](store::Tx& tx) { store::execute(tx, "UPDATE observation SET doc = '{' WHERE node = ?1", first_); });
  EXPECT_FALSE(engine_->step());
  EXPECT_EQ(due(), std::vector{second_});
  turn_all();
  int turns = 1;
  for (int i = 0; i < 3600; ++i) {
    clock_.advance(seconds{1});
    const auto now = due();
    if (std::ranges::find(now, first_) == now.end()) continue;
    EXPECT_FALSE(engine_->turn(WorkKind::node, first_));
    ++turns;
  }
  EXPECT_GE(turns, 18);
  EXPECT_LE(turns, 24) << "1, 2, 4 ... 256 s, then every five minutes";
  write([&](store::Tx& tx) { store::execute(tx, "DELETE FROM observation WHERE node = ?1", first_); });
  clock_.advance(minutes{5});
  EXPECT_TRUE(engine_->turn(WorkKind::node, first_));
}

TEST_F(GivenUp, ATurnThatFailsFiveTimesIsNamedToPeopleUntilItSucceeds) {
  const auto failing = [&] { return read([](store::Tx& tx) { return store::failing_work(tx, "c1"); }); };
  const auto told = [&] {
    EXPECT_TRUE(engine_->turn(WorkKind::publish, "events"));
    return read([](store::Tx& tx) {
      return store::list_events(tx, {"c1", {}, {}, std::string(name_of(EventKind::turn_fails))}, {}).items;
    });
  };
  write([&](store::Tx& tx) { store::execute(tx, "UPDATE observation SET doc = '{' WHERE node = ?1", first_); });
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(engine_->turn(WorkKind::node, first_));
  EXPECT_TRUE(failing().empty()) << "what fails now and then is nobody's question";
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(engine_->turn(WorkKind::node, first_));
  ASSERT_EQ(failing().size(), 1U);
  EXPECT_EQ(failing().front().node_name, "gpu-0");
  EXPECT_EQ(failing().front().failures, 7);
  EXPECT_NE(failing().front().error, "");
  ASSERT_EQ(told().size(), 1U);
  EXPECT_EQ(told().front().node_name, "gpu-0");
  EXPECT_NE(told().front().message.find("gpu-0"), std::string::npos) << told().front().message;
  EXPECT_TRUE(read([](store::Tx& tx) { return store::failing_work(tx, "c2"); }).empty()) << "another cluster's";
  write([&](store::Tx& tx) { store::execute(tx, "DELETE FROM observation WHERE node = ?1", first_); });
  EXPECT_TRUE(engine_->turn(WorkKind::node, first_));
  EXPECT_TRUE(failing().empty());
}

}  // namespace
}  // namespace sickbay::engine::testing
