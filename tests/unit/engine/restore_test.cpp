// A database that was restored from a backup is noticed, and nothing is sent until a person confirms.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/commands.hpp"
#include "engine/engine.hpp"
#include "store/events.hpp"

namespace sickbay::engine {
namespace {

class Restore : public testing::Test {
 protected:
  Restore() : witness_(testing::TempDir() + "witness-" + std::to_string(::getpid()) + ".json") {
    std::filesystem::remove(witness_);
  }
  ~Restore() override { std::filesystem::remove(witness_); }

  // A database of one installation, as it was when it was new.
  std::unique_ptr<store::Store> database(const std::string& installation = "inst-1") {
    auto store = store::Store::open({.url = "sqlite::memory:", .installation = installation}, clock_);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }
  std::unique_ptr<Engine> engine(store::Store& store) {
    Options options;
    options.replica = "replica-1";
    options.witness = witness_;
    return std::make_unique<Engine>(store, world_, faults_, clock_, ids_, options);
  }
  // Something happens, and its event is published.
  void live(store::Store& store, Engine& engine) {
    const auto written = store.write([&](store::Tx& tx) -> Status {
      Event event;
      event.id = ids_.next("evt");
      event.at = clock_.now();
      event.kind = "cluster";
      store::add_event(tx, event);
      return {};
    });
    ASSERT_TRUE(written);
    ASSERT_TRUE(engine.turn("publish", "events"));
  }

  const std::string witness_;
  ManualClock clock_;
  SeededIds ids_{1};
  World world_;
  FaultTable faults_;
};

TEST_F(Restore, ADatabaseThatGoesOnIsNoReasonToStop) {
  const auto store = database();
  const auto first = engine(*store);
  ASSERT_TRUE(first->recall());
  live(*store, *first);
  ASSERT_TRUE(first->recall());
  const auto second = engine(*store);
  ASSERT_TRUE(second->recall());
  EXPECT_FALSE(second->caution().observe_only);
}

TEST_F(Restore, AnOlderDatabaseOfTheSameInstallationMakesTheEngineLookOnlyUntilAPersonConfirms) {
  const auto lost = database();
  const auto before = engine(*lost);
  live(*lost, *before);
  ASSERT_TRUE(before->recall());

  const auto restored = database();
  const auto after = engine(*restored);
  ASSERT_TRUE(after->recall());
  EXPECT_TRUE(after->caution().observe_only);
  // Every replica sees it, and it outlives a restart.
  const auto another = engine(*restored);
  ASSERT_TRUE(another->recall());
  EXPECT_TRUE(another->caution().observe_only);

  Commands commands(*restored, world_, faults_, ids_, {});
  EXPECT_FALSE(commands.confirm_restore({"ann", Role::admin}, ""));
  ASSERT_TRUE(commands.confirm_restore({"ann", Role::admin}, "looked at every node"));
  ASSERT_TRUE(another->recall());
  EXPECT_FALSE(another->caution().observe_only);
}

TEST_F(Restore, AnotherInstallationsDatabaseIsNotTakenForARestoredOne) {
  const auto lost = database();
  const auto before = engine(*lost);
  live(*lost, *before);
  ASSERT_TRUE(before->recall());
  const auto fresh = database("inst-2");
  const auto after = engine(*fresh);
  ASSERT_TRUE(after->recall());
  EXPECT_FALSE(after->caution().observe_only);
}

TEST_F(Restore, AWitnessThatCannotBeReadIsNoProofOfAnything) {
  std::ofstream(witness_) << "{\"progress\": ";
  const auto store = database();
  const auto one = engine(*store);
  ASSERT_TRUE(one->recall());
  EXPECT_FALSE(one->caution().observe_only);
}

}  // namespace
}  // namespace sickbay::engine
