// An adapter that hangs or cannot be reached holds up nobody but those who wait for it, and they say so.
#include <fmt/core.h>

#include <atomic>

#include "engine/commands.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

namespace sickbay::engine::testing {
namespace {

class Bulkhead : public EngineTest {
 protected:
  void find(const std::string& cluster, const std::string& name) {
    const Node of = node(cluster, name);
    write([&](store::Tx& tx) {
      Finding finding;
      finding.id = "finding-" + cluster + "-" + name;
      finding.fault = {"DmesgXidError", "119"};
      finding.device = "0000:3b:00.0";
      store::wake(tx, WorkKind::node, of.id, clock_.now());
      store::add_findings(tx, of.id, 0, {finding}, clock_.now());
    });
  }
  std::size_t alerts(const std::string& cluster, const std::string& name) {
    const Node of = node(cluster, name);
    return read([&](store::Tx& tx) { return store::open_alerts_of_node(tx, of.id).size(); });
  }
  int sent(const Script& script, OperationKind kind) {
    return static_cast<int>(std::ranges::count(script.sent, kind, &Operation::kind));
  }
  Script one_, other_;
};

TEST_F(Bulkhead, ASchedulerThatHangsDoesNotDelayTheTurnsOfAnotherCluster) {
  one_.nodes = other_.nodes = nodes(3);
  add_cluster("c1", one_);
  add_cluster("c2", other_);
  turn_all();
  for (const NodeStatus& listed : one_.nodes) admit("c1", listed.name);
  find("c2", "gpu-0");
  turn_all(false);  // no call comes back
  EXPECT_GT(executor_->queued(), 0u);
  EXPECT_EQ(alerts("c2", "gpu-0"), 1u);
}

TEST_F(Bulkhead, AnAdapterIsLostAfterThreeFailuresAndSaysSinceWhenUntilItAnswers) {
  one_.nodes = nodes(1);
  add_cluster("c1", one_);
  turn_all();
  admit("c1", "gpu-0");
  pass(seconds{1});
  one_.error = "timed out";
  const Time began = clock_.now();
  for (int i = 0; i < 8; ++i) pass(seconds{15});
  ASSERT_TRUE(adapter("c1")->unreachable_since);
  EXPECT_GE(*adapter("c1")->unreachable_since, began);
  const Repair waiting = repair("c1", "gpu-0");
  ASSERT_FALSE(waiting.waits_for.empty());
  EXPECT_NE(waiting.waits_for[0].find("k8s, which cannot be reached since 2027-"), std::string::npos)
      << waiting.waits_for[0];
  EXPECT_NE(waiting.waits_for[0].find("timed out"), std::string::npos);
  Commands commands(*store_, faults_, ids_, {});
  const auto why = commands.why_node(node("c1", "gpu-0").id);
  ASSERT_TRUE(why);
  EXPECT_TRUE(std::ranges::any_of(
      *why, [](const std::string& line) { return line.starts_with("k8s cannot be reached since 2027-"); }));

  one_.error.clear();
  for (int i = 0; i < 4; ++i) pass(seconds{30});
  EXPECT_FALSE(adapter("c1")->unreachable_since);
  EXPECT_EQ(repair("c1", "gpu-0").waits_for[0].find("cannot be reached"), std::string::npos);
}

TEST_F(Bulkhead, AnAdapterThatIsLostIsProbedByOneCallAtATimeAndSentNothing) {
  one_.nodes = nodes(5);
  add_cluster("c1", one_);
  turn_all();
  one_.error = "timed out";
  for (int i = 0; i < 6; ++i) pass(seconds{15});
  ASSERT_TRUE(adapter("c1")->unreachable_since);
  for (const NodeStatus& listed : one_.nodes) admit("c1", listed.name);
  const int asked = one_.looks + one_.lists;
  for (int i = 0; i < 40; ++i) pass(seconds{15});  // ten minutes
  EXPECT_LE(one_.looks + one_.lists - asked, 12);
  EXPECT_GE(one_.looks + one_.lists - asked, 5);
  EXPECT_TRUE(one_.sent.empty());
}

TEST_F(Bulkhead, ASendThatDidNotFitIsSentLaterExactlyOnce) {
  one_.nodes = nodes(8);
  add_cluster("c1", one_);
  turn_all();
  restart(2);  // room for two calls
  for (const NodeStatus& listed : one_.nodes) admit("c1", listed.name);
  turn_all(false);
  EXPECT_EQ(executor_->queued(), 2u);
  for (int i = 0; i < 8; ++i) pass(seconds{15});
  EXPECT_EQ(sent(one_, OperationKind::cordon), 8);
  EXPECT_EQ(one_.marks.size(), 8u);
}

TEST_F(Bulkhead, ACordonWhoseReplyIsLostIsLookedForBeforeItIsAskedAgain) {
  one_.nodes = nodes(1);
  add_cluster("c1", one_);
  turn_all();
  one_.answers = {Answer::unknown};
  admit("c1", "gpu-0");
  turn_all();
  EXPECT_EQ(sent(one_, OperationKind::cordon), 1);
  pass(seconds{10});
  EXPECT_EQ(sent(one_, OperationKind::cordon), 1);
  for (int i = 0; i < 6; ++i) pass(seconds{15});
  EXPECT_EQ(sent(one_, OperationKind::cordon), 2);
  EXPECT_EQ(one_.marks.size(), 1u);
}

TEST_F(Bulkhead, AFailingLookIsWrittenOnceAndNotAtEveryTurn) {
  one_.nodes = nodes(1);
  add_cluster("c1", one_);
  turn_all();
  admit("c1", "gpu-0");
  turn_all();
  one_.error = "timed out";
  pass(seconds{15});
  const int before = commits_;
  const int looks = one_.looks;
  ASSERT_TRUE(engine_->turn(WorkKind::node, node("c1", "gpu-0").id));
  clock_.advance(seconds{3});
  ASSERT_TRUE(engine_->turn(WorkKind::node, node("c1", "gpu-0").id));
  while (engine_->make_call()) {
  }
  EXPECT_GT(one_.looks, looks);
  EXPECT_LE(commits_ - before, 3);  // the two turns, and the adapter that is lost now
}

// While a call waits in its lane another replica may send the operation, hear nothing, and have it planned again.
TEST_F(Bulkhead, ACallThatWaitedKnowsThatAnotherReplicaSentItsOperationMeanwhile) {
  one_.nodes = nodes(1);
  add_cluster("c1", one_);
  turn_all();
  admit("c1", "gpu-0");
  turn_all(false);
  const std::string id = node("c1", "gpu-0").id;
  const auto open = [&] { return read([&](store::Tx& tx) { return store::open_operations_of_node(tx, id); }); };
  ASSERT_EQ(open().size(), 1U);
  ASSERT_FALSE(open()[0].dispatched_at);
  const Time sent_first = clock_.now();
  write([&](store::Tx& tx) {
    store::wake(tx, WorkKind::node, id, clock_.now());
    Operation operation = store::open_operations_of_node(tx, id)[0];
    operation.dispatched_at = sent_first;
    ++operation.version;
    EXPECT_TRUE(store::swap_operation(tx, operation));
  });
  turn_all(false);  // asks for it again, but the first call still waits
  one_.answers = {Answer::not_sent};
  while (engine_->make_call()) {
  }
  ASSERT_EQ(sent(one_, OperationKind::cordon), 1);
  ASSERT_EQ(open().size(), 1U);
  EXPECT_EQ(open()[0].dispatched_at, sent_first) << "its first request may still be carried out";
}

// Its looks were fresh when it was asked for; nobody has turned the node since.
TEST_F(Bulkhead, ACallThatWaitedTooLongIsNotMadeOnOldLooks) {
  one_.nodes = nodes(1);
  add_cluster("c1", one_);
  turn_all();
  admit("c1", "gpu-0");
  turn_all(false);
  clock_.advance(minutes{8});
  while (engine_->make_call()) {
  }
  EXPECT_EQ(sent(one_, OperationKind::cordon), 0);
  turn_all();
  EXPECT_EQ(sent(one_, OperationKind::cordon), 1) << "its next turn asks for it again";
}

TEST_F(Bulkhead, AdaptersMayBeReplacedWhileCallsAreUnderWay) {
  one_.nodes = nodes(1);
  add_cluster("c1", one_);
  turn_all();
  admit("c1", "gpu-0");
  turn_all(false);
  use_scripts();  // a new set by the same names
  turn_all();
  EXPECT_EQ(sent(one_, OperationKind::cordon), 1);
  adapters_.replace({});
  clock_.advance(minutes{1});
  turn_all();  // nobody is reached any more, and nothing breaks
  EXPECT_EQ(sent(one_, OperationKind::cordon), 1);
}

TEST_F(Bulkhead, AChangeThatASchedulerReportsIsOneLookAndNoList) {
  one_.nodes = nodes(1);
  add_cluster("c1", one_);
  turn_all();
  const int lists = one_.lists, looks = one_.looks;
  for (int i = 0; i < 100; ++i) engine_->changed("c1", "gpu-0");
  ASSERT_TRUE(engine_->wake_changed());
  engine_->changed("c1", "gpu-0");
  ASSERT_TRUE(engine_->wake_changed());  // within the same second
  turn_all();
  EXPECT_EQ(one_.looks, looks + 1);
  clock_.advance(seconds{1});
  ASSERT_TRUE(engine_->wake_changed());
  turn_all();
  EXPECT_EQ(one_.looks, looks + 2) << "what came after the look began is not forgotten";
  EXPECT_EQ(one_.lists, lists);
}

TEST_F(Bulkhead, NodesThatAreNotKnownAreListedAtMostEveryTenSeconds) {
  one_.nodes = nodes(1);
  add_cluster("c1", one_);
  turn_all();
  const int lists = one_.lists;
  for (int i = 0; i < 25; ++i) {
    engine_->changed("c1", fmt::format("new-{}", i));
    ASSERT_TRUE(engine_->wake_changed());
    pass(seconds{1});
  }
  EXPECT_EQ(one_.lists, lists + 3);
  for (int i = 0; i < 5000; ++i) engine_->changed("c1", fmt::format("gpu-0-{}", i));
  pass(seconds{10});
  ASSERT_TRUE(engine_->wake_changed());
  turn_all();
  EXPECT_EQ(one_.lists, lists + 4) << "however many";
}

TEST_F(Bulkhead, SchedulersAreListenedToAlsoAfterTheyWereReplaced) {
  add_cluster("c1", one_);
  std::vector<std::string> said;
  adapters_.listen([&](std::string_view cluster, std::string_view node) {
    said.push_back(std::string(cluster) + "/" + std::string(node));
  });
  ASSERT_TRUE(one_.changed);
  one_.changed("gpu-0");
  use_scripts();
  ASSERT_TRUE(one_.changed) << "the new set by the same names";
  one_.changed("gpu-1");
  EXPECT_EQ(said, (std::vector<std::string>{"c1/gpu-0", "c1/gpu-1"}));
  adapters_.listen({});
  EXPECT_FALSE(one_.changed);
}

TEST(Threads, AnExecutorStopsCleanlyWithCallsUnderWay) {
  std::atomic<bool> running = false, let_go = false;
  std::atomic<int> made = 0;
  ThreadExecutor executor(2, 8);
  ASSERT_TRUE(executor.submit("c1/k8s", Urgency::none, [&] {
    running = true;
    while (!let_go) std::this_thread::yield();
    ++made;
  }));
  while (!running) std::this_thread::yield();
  std::thread stopping([&] { executor.stop(); });
  while (executor.submit("c2/k8s", Urgency::none, [] {})) std::this_thread::yield();  // until it takes no more
  let_go = true;
  stopping.join();
  EXPECT_EQ(made, 1);
}

TEST(Threads, WhatComesFirstHasRoomAndOvertakesWhatIsQueued) {
  std::atomic<bool> running = false, let_go = false, done = false;
  std::vector<std::string> order;
  ThreadExecutor executor(1, 2);
  ASSERT_TRUE(executor.submit("c1/k8s", Urgency::none, [&] {
    running = true;
    while (!let_go) std::this_thread::yield();
  }));
  while (!running) std::this_thread::yield();
  ASSERT_TRUE(executor.submit("c1/k8s", Urgency::none, [&] { order.push_back("look 1"); }));
  ASSERT_TRUE(executor.submit("c1/k8s", Urgency::none, [&] { order.push_back("look 2"), done = true; }));
  ASSERT_FALSE(executor.submit("c1/k8s", Urgency::none, [&] { order.push_back("look 3"); }));
  ASSERT_TRUE(executor.submit("c1/k8s", Urgency::soon, [&] { order.push_back("send 1"); }));
  ASSERT_TRUE(executor.submit("c1/k8s", Urgency::soon, [&] { order.push_back("send 2"); }));
  ASSERT_FALSE(executor.submit("c1/k8s", Urgency::soon, [&] { order.push_back("send 3"); }));
  ASSERT_TRUE(executor.submit("c1/k8s", Urgency::first, [&] { order.push_back("list"); }));
  let_go = true;
  while (!done) std::this_thread::yield();
  executor.stop();
  EXPECT_EQ(order, (std::vector<std::string>{"list", "send 1", "send 2", "look 1", "look 2"}));
}

TEST(Threads, ALaneThatHangsLeavesTheOthersTheirs) {
  std::atomic<bool> let_go = false, other = false;
  ThreadExecutor executor(2, 4);
  int taken = 0;
  while (executor.submit("c1/k8s", Urgency::none, [&] {
    while (!let_go) std::this_thread::yield();
  })) {
    ++taken;
    ASSERT_LE(taken, 6);
  }
  EXPECT_GE(taken, 4);
  ASSERT_TRUE(executor.submit("c2/k8s", Urgency::none, [&] { other = true; }));
  while (!other) std::this_thread::yield();
  let_go = true;
}

}  // namespace
}  // namespace sickbay::engine::testing
