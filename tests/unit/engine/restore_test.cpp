// A database that was restored from a backup is noticed, and nothing is sent until a person confirms.
#include "store/restore.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/files.hpp"
#include "engine/commands.hpp"
#include "engine_fixture.hpp"
#include "store/events.hpp"
#include "store/sql.hpp"

namespace sickbay::engine {
namespace {

class Restore : public ::testing::Test {
 protected:
  Restore() : witness_(::testing::TempDir() + "witness-" + std::to_string(::getpid()) + ".json") { clear(); }
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
  ASSERT_TRUE(first->compare_lineage());
  live(*store, *first);
  ASSERT_TRUE(first->compare_lineage());
  const auto second = engine(*store);
  ASSERT_TRUE(second->compare_lineage());
  EXPECT_FALSE(second->caution().observe_only);
}

TEST_F(Restore, AnOlderDatabaseOfTheSameInstallationMakesTheEngineLookOnlyUntilAPersonConfirms) {
  const auto lost = database();
  const auto before = engine(*lost);
  live(*lost, *before);
  ASSERT_TRUE(before->compare_lineage());

  const auto restored = database();
  const auto after = engine(*restored);
  ASSERT_TRUE(after->compare_lineage());
  EXPECT_TRUE(after->caution().observe_only);
  // Every replica sees it, and it outlives a restart.
  const auto another = engine(*restored);
  ASSERT_TRUE(another->compare_lineage());
  EXPECT_TRUE(another->caution().observe_only);

  Commands commands(*restored, faults_, ids_, {});
  EXPECT_FALSE(commands.confirm_restore({"ann", Role::admin}, ""));
  ASSERT_TRUE(commands.confirm_restore({"ann", Role::admin}, "looked at every node"));
  ASSERT_TRUE(another->compare_lineage());
  EXPECT_FALSE(another->caution().observe_only);
}

TEST_F(Restore, AnotherInstallationsDatabaseIsNotTakenForARestoredOne) {
  const auto lost = database();
  const auto before = engine(*lost);
  live(*lost, *before);
  ASSERT_TRUE(before->compare_lineage());
  const auto fresh = database("inst-2");
  const auto after = engine(*fresh);
  ASSERT_TRUE(after->compare_lineage());
  EXPECT_FALSE(after->caution().observe_only);
}

TEST_F(Restore, AWitnessThatCannotBeReadIsNoProofOfAnything) {
  std::ofstream(witness_) << "{\"progress\": ";
  const auto store = database();
  const auto one = engine(*store);
  ASSERT_TRUE(one->compare_lineage());
  EXPECT_FALSE(one->caution().observe_only);
}

TEST_F(Restore, AWitnessThatCannotBeWrittenLeavesTheOldOneAndIsTriedAgain) {
  const auto store = database();
  const auto one = engine(*store);
  ASSERT_TRUE(one->compare_lineage());
  const std::string before = witness();
  std::filesystem::create_symlink("/dev/full", witness_ + ".new");  // a disk on which nothing can be written
  live(*store, *one);
  ASSERT_TRUE(one->compare_lineage());
  ASSERT_TRUE(std::filesystem::is_regular_file(witness_));
  EXPECT_EQ(witness(), before);
  std::filesystem::remove(witness_ + ".new");
  ASSERT_TRUE(one->compare_lineage());
  EXPECT_NE(witness(), before);
  EXPECT_FALSE(std::filesystem::exists(witness_ + ".new"));
}

// A database that another server found broken off, and a person confirmed, is nothing to ask about again.
TEST_F(Restore, WhatAnotherServerFoundAndAPersonConfirmedIsNotAskedForAgain) {
  const auto lost = database();
  const auto asleep = engine(*lost);
  live(*lost, *asleep);
  ASSERT_TRUE(asleep->compare_lineage());
  const std::string before = witness();

  const auto restored = database();
  const auto other = engine(*restored);
  ASSERT_TRUE(other->compare_lineage());
  ASSERT_TRUE(other->caution().observe_only);
  Commands commands(*restored, faults_, ids_, {});
  ASSERT_TRUE(commands.confirm_restore({"ann", Role::admin}, "looked at every node"));
  std::ofstream(witness_) << before;  // of the one that was down meanwhile
  const auto woken = engine(*restored);
  ASSERT_TRUE(woken->compare_lineage());
  EXPECT_FALSE(woken->caution().observe_only);
}

// What is taken is checked where it is taken: a timer would come after the workers.
class RolledBack : public testing::EngineTest {
 protected:
  RolledBack() { witness_ = ::testing::TempDir() + "rolled-back-" + std::to_string(::getpid()) + ".json"; }
  ~RolledBack() override { std::filesystem::remove(witness_); }
  void SetUp() override {
    script_.nodes = nodes(1);
    providers_["c1"] = &provider_;
    add_cluster("c1", script_);
    turn_all();
    write([](store::Tx& tx) { store::count_act(tx); });  // it has lived
    ASSERT_TRUE(engine_->compare_lineage());
  }
  // The node's next call waits in its lane.
  void decide_to_send() {
    admit("c1", "gpu-0");
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(engine_->turn(WorkKind::node, node("c1", "gpu-0").id));
    ASSERT_GT(executor_->queued(), 0U);
    ASSERT_TRUE(script_.sent.empty());
  }
  void roll_back() {
    write([](store::Tx& tx) { store::execute(tx, "UPDATE counter SET value = 0"); });
  }

  testing::Script script_;
  testing::ProviderScript provider_;
};

TEST_F(RolledBack, WhatWasDecidedIsNotSentAndAPersonIsAsked) {
  decide_to_send();
  roll_back();
  turn_all();
  EXPECT_TRUE(script_.sent.empty());
  EXPECT_TRUE(engine_->caution().observe_only);
  EXPECT_TRUE(read([](store::Tx& tx) { return store::observe_only_because(tx).has_value(); }));
  // It goes on, and asks no second time, when a person has looked.
  Commands commands(*store_, faults_, ids_, {});
  ASSERT_TRUE(commands.confirm_restore({"ann", Role::admin}, "looked at every node"));
  pass(seconds{15});
  EXPECT_FALSE(script_.sent.empty());
}

// As after a restore: the node carries the mark of a repair that is younger than the backup.
TEST_F(RolledBack, AMarkOfARepairThatTheDatabaseForgotKeepsNoFaultOfItsNodeFromBeingSeen) {
  script_.marks["gpu-0"] = "rep-forgotten";
  script_.nodes[0].cordoned = true, script_.nodes[0].hold_owner = "rep-forgotten";
  pass(seconds{30});
  script_.nodes[0].ready = false;
  for (int i = 0; i < 30; ++i) pass(seconds{30});
  EXPECT_TRUE(script_.sent.empty()) << "it may be another copy's";
  EXPECT_TRUE(read([](store::Tx& tx) { return store::failing_work(tx, "c1"); }).empty());
  std::set<std::string> names;
  const std::string id = node("c1", "gpu-0").id;
  for (const Alert& alert : read([&](store::Tx& tx) { return store::open_alerts_of_node(tx, id); }))
    names.insert(alert.fault.name);
  EXPECT_TRUE(names.contains("UnknownMark"));
  EXPECT_TRUE(names.contains("KubeNodeNotReady"));
}

TEST_F(RolledBack, WhatAnotherReplicaFoundHoldsThisOneTooAtOnce) {
  decide_to_send();
  write([](store::Tx& tx) { store::break_off(tx, "older than it was", 0); });
  turn_all();
  EXPECT_TRUE(script_.sent.empty());
}

TEST_F(RolledBack, AnActIsWitnessedBeforeItLeaves) {
  restart(256);
  ASSERT_TRUE(engine_->compare_lineage());
  const auto progress = [&] {
    const auto text = read_file(witness_, 4096);
    return text ? from_json_text<store::Lineage>(*text)->progress : 0;
  };
  const std::uint64_t before = progress();
  std::uint64_t at_start = 0;
  provider_.at_start = [&] { at_start = progress(); };
  admit("c1", "gpu-0");
  for (int i = 0; i < 20 && provider_.started.empty(); ++i) pass(seconds{15});
  ASSERT_EQ(provider_.started, std::vector<std::string>{"gpu-0"});
  EXPECT_GT(at_start, before) << "a rollback to just before the act would leave no trace";
}

TEST_F(RolledBack, AnOperationWhoseTakingHadNoAnswerIsSentAllTheSame) {
  decide_to_send();
  next_commit_ = store::Hooks::Commit::lost_after;
  ASSERT_TRUE(engine_->make_call());
  EXPECT_EQ(script_.sent.size(), 1U) << "it would be asked about as if it might be on its way";
}

}  // namespace
}  // namespace sickbay::engine
