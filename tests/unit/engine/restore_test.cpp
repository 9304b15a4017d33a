// A database that was restored from a backup is noticed, and nothing is sent until a person confirms.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/commands.hpp"
#include "engine/engine.hpp"
#include "store/events.hpp"

namespace sickbay::engine {
namespace {

class Restore : public testing::Test {
 protected:
  Restore() : witness_(testing::TempDir() + "witness-" + std::to_string(::getpid()) + ".json") { clear(); }
  ~Restore() override { clear(); }
  void clear() const {
    std::filesystem::remove(witness_);
    std::filesystem::remove(witness_ + ".new");
  }

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
    return std::make_unique<Engine>(store, adapters_, faults_, clock_, ids_, options);
  }
  // Something happens, and its event is published.
  void live(store::Store& store, Engine& engine) {
    const auto written = store.write([&](store::Tx& tx) -> Status {
      Event event;
      event.id = ids_.next("ev");
      event.at = clock_.now();
      event.kind = EventKind::cluster;
      store::add_event(tx, event);
      return {};
    });
    ASSERT_TRUE(written);
    ASSERT_TRUE(engine.turn(WorkKind::publish, "events"));
  }

  std::string witness() const {
    std::ostringstream text;
    text << std::ifstream(witness_).rdbuf();
    return text.str();
  }

  const std::string witness_;
  ManualClock clock_;
  SeededIds ids_{1};
  CurrentAdapters adapters_;
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

  Commands commands(*restored, faults_, ids_, {});
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

TEST_F(Restore, AWitnessThatCannotBeWrittenLeavesTheOldOneAndIsTriedAgain) {
  const auto store = database();
  const auto one = engine(*store);
  ASSERT_TRUE(one->recall());
  const std::string before = witness();
  std::filesystem::create_symlink("/dev/full", witness_ + ".new");  // a disk on which nothing can be written
  live(*store, *one);
  ASSERT_TRUE(one->recall());
  ASSERT_TRUE(std::filesystem::is_regular_file(witness_));
  EXPECT_EQ(witness(), before);
  std::filesystem::remove(witness_ + ".new");
  ASSERT_TRUE(one->recall());
  EXPECT_NE(witness(), before);
  EXPECT_FALSE(std::filesystem::exists(witness_ + ".new"));
}

}  // namespace
}  // namespace sickbay::engine
