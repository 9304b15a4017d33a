// Who runs on a node: what the newest session makes of it, and when two agents' conflict is over.
#include "decide/session.hpp"

#include "decide/windows.hpp"
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

std::string boot_said(const World& world) {
  const auto said = std::ranges::find(world.events, EventKind::node_booted, &Event::kind);
  return said == world.events.end() ? "" : said->message;
}

TEST(Session, ABootOfTheRepairIsSaidToBeOurs) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
  EXPECT_EQ(boot_said(world), "gpu-1 runs a new boot, by our repair");
}

TEST(Session, ABootWithoutARepairIsSaidNotToBe) {
  World world;
  world.new_boot(false);
  world.turn();
  EXPECT_EQ(boot_said(world), "gpu-1 runs a new boot, not by us");
  EXPECT_EQ(world.facts.node.boot_id, "boot-2");
  EXPECT_EQ(world.facts.node.incarnation, 1U);
}

TEST(Session, AnotherMachineIsAnotherIncarnation) {
  World world;
  world.new_boot(true);
  world.turn();
  EXPECT_EQ(world.facts.node.incarnation, 2U);
}

TEST(Session, TheAgentsHostAndShapeCountUntilTheyAreKnown) {
  World world;
  world.facts.node.host.clear();
  world.facts.node.shape = {};
  world.new_boot(false);
  EXPECT_EQ(host_under(world.facts.node, world.facts.session), "host-1");
  world.turn();
  EXPECT_EQ(world.facts.node.host, "host-1");
  EXPECT_EQ(world.facts.node.shape.gpus, 8U);
  world.new_boot(false);
  world.facts.session->host = "host-9";
  world.facts.session->shape.gpus = 7;
  world.turn();
  EXPECT_EQ(world.facts.node.host, "host-1");
  EXPECT_EQ(world.facts.node.shape.gpus, 8U);
}

TEST(Session, AnIdentityConflictIsOverTenMinutesAfterItsLastSign) {
  World world;
  world.facts.node.identity_conflict = "machine-1 and machine-9";
  world.facts.node.identity_conflict_at = kStart;
  const NodeChanges changes = world.turn();
  ASSERT_TRUE(world.facts.node.identity_conflict);
  ASSERT_TRUE(changes.due);
  EXPECT_LE(*changes.due, kStart + kIdentityConflict) << "nothing else may wake the node then";
  world.now = kStart + kIdentityConflict - seconds{1};
  world.turn();
  EXPECT_TRUE(world.facts.node.identity_conflict);
  world.now = kStart + kIdentityConflict;
  EXPECT_FALSE(identity_conflict(world.facts.node, world.now)) << "also for who asks before the turn";
  world.turn();
  EXPECT_FALSE(world.facts.node.identity_conflict);
  EXPECT_FALSE(world.facts.node.identity_conflict_at);
}

}  // namespace
}  // namespace sickbay::decide::testing
