// What a node's turn makes of adapters that have not said what they can do, or cannot be reached.
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

// A reboot that a person asked for, under way until it waits or ends.
World asked_for_reboot(NodeFacts facts) {
  World world(std::move(facts));
  Repair repair;
  repair.id = "rep-1";
  repair.cluster = "c1", repair.node = "node-1", repair.node_name = "gpu-1", repair.host = "host-1";
  repair.by_evidence = false;
  repair.action = repair.recommended = Action::reboot;
  repair.state = RepairState::RUNNING;
  repair.step = RepairStep::act;
  repair.review = Review{"ann", kStart, ""};
  repair.created_at = kStart;
  repair.admitted_at = kStart;
  world.facts.repair = repair;
  Hold hold;
  hold.node = "node-1", hold.scheduler = "kube", hold.repair = "rep-1";
  hold.placed_at = hold.observed_at = kStart - minutes{5};
  world.facts.holds = {hold};
  Observation& look = world.facts.observed[0];
  look.cordoned = true, look.hold_owner = "rep-1", look.idle_looks = 2, look.idle_since = kStart - minutes{1};
  return world;
}

TEST(Adapters, AProviderThatHasNotSaidWhatItCanDoIsWaitedFor) {
  NodeFacts facts = healthy_node();
  facts.provider.reset();
  World world = asked_for_reboot(facts);
  const NodeChanges changes = node_turn(world.facts, world.now, world.ids);
  ASSERT_TRUE(changes.repair);
  EXPECT_EQ(changes.repair->state, RepairState::RUNNING);
  EXPECT_EQ(changes.repair->waits_for, std::vector<std::string>{"sim to say what it can do"});
  EXPECT_TRUE(changes.operations.empty());
  EXPECT_TRUE(changes.due);
}

TEST(Adapters, AProviderThatSaysItCannotEndsTheRepair) {
  NodeFacts facts = healthy_node();
  facts.provider->actions = {Action::migrate};
  World world = asked_for_reboot(facts);
  const NodeChanges changes = node_turn(world.facts, world.now, world.ids);
  ASSERT_TRUE(changes.repair);
  EXPECT_EQ(changes.repair->state, RepairState::FAILED);
}

TEST(Adapters, WhoeverWaitsForOneThatCannotBeReachedSaysSinceWhenAndWhy) {
  NodeFacts facts = healthy_node();
  facts.unreachable["sim"] = {kStart, "timed out"};
  facts.provider.reset();
  World world = asked_for_reboot(facts);
  const NodeChanges changes = node_turn(world.facts, world.now, world.ids);
  ASSERT_TRUE(changes.repair);
  ASSERT_FALSE(changes.repair->waits_for.empty());
  EXPECT_EQ(changes.repair->waits_for[0],
            "sim, which cannot be reached since " + format_time(kStart) + " (timed out), to say what it can do");
  const auto sentences = why(world.facts, world.now);
  EXPECT_NE(std::ranges::find(sentences, "sim cannot be reached since " + format_time(kStart) + ": timed out."),
            sentences.end());
}

}  // namespace
}  // namespace sickbay::decide::testing
