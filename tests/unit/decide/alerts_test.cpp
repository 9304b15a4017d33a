// Findings, sessions and the agent's whole set of active faults as they become alerts (product.md 3.3, engine.md 6, 7).
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

ActiveFault active(const Finding& one, std::uint64_t count = 1) {
  return {one, one, count};
}

TEST(Alerts, AFaultIsPendingUntilItsHoldTimeThenFires) {
  World world;
  world.tell(finding("DmesgXidError", "119"));
  const NodeChanges first = world.turn();
  ASSERT_EQ(first.alerts.size(), 1U);
  EXPECT_EQ(first.alerts[0].state, AlertState::pending);
  EXPECT_EQ(first.due, kStart + seconds{60});
  EXPECT_TRUE(first.wake_cluster);
  EXPECT_FALSE(world.facts.repair);
  world.now += seconds{59};
  world.turn();
  EXPECT_EQ(world.alert("DmesgXidError")->state, AlertState::pending);
  world.now += seconds{1};
  world.turn();
  EXPECT_EQ(world.alert("DmesgXidError")->state, AlertState::firing);
  ASSERT_TRUE(world.facts.repair);
  EXPECT_EQ(world.facts.repair->action, Action::reboot);
}

TEST(Alerts, AStormIsCountedNotRepeatedAndTheFirstFindingStaysTheHeadline) {
  World world;
  Finding first = finding("DmesgXidError", "119");
  first.sentence = "the first";
  world.tell(first);
  for (int i = 0; i < 1000; ++i) {
    Finding more = finding("DmesgXidError", "119");
    more.count = 10;
    more.sentence = "one more";
    world.tell(more);
  }
  world.turn();
  ASSERT_EQ(world.facts.alerts.size(), 1U);
  EXPECT_EQ(world.facts.alerts[0].count, 10001U);
  EXPECT_EQ(world.facts.alerts[0].first.sentence, "the first");
  EXPECT_EQ(world.facts.alerts[0].last.sentence, "one more");
  EXPECT_EQ(world.events.size(), 1U);
  EXPECT_TRUE(world.facts.fresh.empty());
}

TEST(Alerts, TheSameFindingToldTwiceCountsOnce) {
  World world;
  const Finding one = finding("DmesgXidError", "119");
  world.tell(one);
  world.turn();
  world.tell(one);
  world.turn();
  EXPECT_EQ(world.facts.alerts[0].count, 1U);
}

TEST(Alerts, AFaultThatNeedsRepeatsFiresOnlyAfterThem) {
  NodeFacts facts = healthy_node();
  FaultRule rule = row("KernelSoftLockup", "*", Severity::critical, Action::reboot, Duration{});
  rule.repeats = 3;
  facts.faults.rules.push_back(rule);
  World world(facts);
  for (int i = 0; i < 2; ++i) world.tell(finding("KernelSoftLockup", "", ""));
  world.turn();
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::pending);
  world.tell(finding("KernelSoftLockup", "", ""));
  world.turn();
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::firing);
}

TEST(Alerts, FindingsOfAnEarlierBootOrAgentAreKeptAsHistoryAndNeverFire) {
  for (const bool older_agent : {false, true}) {
    World world;
    Finding old = finding("DmesgXidError", "79");
    old.boot_id = older_agent ? "boot-1" : "boot-0";
    world.facts.fresh.push_back({old, older_agent ? 0U : 1U, world.now});
    world.facts.session->epoch = 2, world.facts.node.epoch = 2;
    world.facts.fresh[0].epoch = older_agent ? 1 : 2;
    world.turn();
    ASSERT_EQ(world.facts.alerts.size(), 1U);
    EXPECT_EQ(world.facts.alerts[0].state, AlertState::resolved);
    EXPECT_FALSE(world.facts.alerts[0].firing_at);
    EXPECT_EQ(world.said(EventKind::alert_history), 1);
    world.run(minutes{10});
    EXPECT_FALSE(world.facts.repair);
  }
}

TEST(Alerts, ANewBootClearsWhatOnlyABootClears) {
  World world;
  world.tell(finding("DmesgXidError", "119"));
  world.run(minutes{2});
  ASSERT_EQ(world.alert("DmesgXidError")->state, AlertState::firing);
  world.new_boot(false);
  world.facts.node.epoch = 1;
  world.tell(finding("DmesgXidError", "119"));
  world.turn();
  ASSERT_EQ(world.facts.alerts.size(), 2U) << "the new boot's finding is a new alert";
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::resolved);
  EXPECT_EQ(world.facts.alerts[0].resolved_by, "new boot");
  EXPECT_EQ(world.facts.alerts[1].state, AlertState::pending);
  EXPECT_EQ(world.said(EventKind::node_booted), 1);
}

TEST(Alerts, AQuietTimeClearsWhatQuietClears) {
  World world;
  world.tell(finding("NpdFrequentKubeletRestart", "", ""));
  world.run(minutes{29});
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::firing);
  world.run(minutes{2});
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::resolved);
}

TEST(Alerts, IdlenessNeverClearsALoadAlertButGoodSamplesDo) {
  World world;
  world.tell(finding("GpuSmClockThermalThrottle"));
  world.run(hours{3});
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::firing);
  Finding clear = finding("GpuSmClockThermalThrottle");
  clear.kind = FindingKind::clear;
  world.tell(clear);
  world.run(minutes{14});
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::firing);
  world.run(minutes{2});
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::resolved);
}

TEST(Alerts, AnActiveFaultWhoseEdgeWasLostOpensAnAlert) {
  World world;
  world.facts.session->active = {active(finding("NpdXfsShutdown", "", "/scratch"), 7)};
  world.facts.session->active_at = world.now;
  world.turn();
  ASSERT_EQ(world.facts.alerts.size(), 1U);
  EXPECT_EQ(world.facts.alerts[0].count, 7U);
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::pending);
}

TEST(Alerts, AConditionMissingFromANewerActiveSetIsOver) {
  World world;
  world.tell(finding("NpdXfsShutdown", "", "/scratch"));
  world.run(minutes{2});
  ASSERT_EQ(world.facts.alerts[0].state, AlertState::firing);
  world.turn();
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::firing) << "an older set says nothing";
  world.facts.session->active_at = world.now;
  world.turn();
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::resolved);
}

TEST(Alerts, AClearedFaultIsNotOpenedAgainByAnOlderActiveSet) {
  World world;
  const Finding fault = finding("NpdXfsShutdown", "", "/scratch");
  world.facts.session->active = {active(fault)};
  world.facts.session->active_at = world.now;
  world.turn();
  world.now += seconds{5};
  Finding clear = finding("NpdXfsShutdown", "", "/scratch");
  clear.kind = FindingKind::clear;
  world.tell(clear);
  world.turn();
  EXPECT_EQ(world.facts.alerts.size(), 1U);
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::resolved);
}

TEST(Alerts, AnInfoFaultThatIsLongQuietIsNotOpenedAgainByTheActiveSet) {
  NodeFacts facts = healthy_node();
  facts.faults.rules.insert(facts.faults.rules.begin(), row("DmesgXidError", "31", Severity::info, Action::none,
                                                            Duration{}, ClearsOn::quiet, minutes{10}));
  World world(facts);
  const Finding info = finding("DmesgXidError", "31");  // seen an hour after the boot
  world.facts.session->active = {active(info)};
  world.facts.session->active_at = world.now;
  world.turn();
  EXPECT_EQ(world.facts.alerts.size(), 1U);
  world.run(hours{1});
  world.facts.session->active_at = world.now;
  world.turn();
  EXPECT_EQ(world.facts.alerts.size(), 1U);
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::resolved);
}

TEST(Alerts, ASecondaryFaultJoinsTheDevicesAlertWithinAMinute) {
  World world;
  world.tell(finding("DmesgXidError", "119"));
  world.turn();
  Finding twin = finding("DmesgXidError", "45");
  twin.joins = true;
  world.now += seconds{30};
  world.tell(twin);
  world.turn();
  ASSERT_EQ(world.facts.alerts.size(), 1U);
  EXPECT_EQ(world.facts.alerts[0].joined, (std::vector<Fault>{{"DmesgXidError", "45"}}));
  Finding other_device = finding("DmesgXidError", "45", "0000:af:00.0");
  other_device.joins = true;
  world.tell(other_device);
  world.now += minutes{4};
  Finding late = finding("DmesgXidError", "45");
  late.joins = true;
  world.tell(late);
  world.turn();
  EXPECT_EQ(world.facts.alerts.size(), 3U) << "another device, and too late";
}

TEST(Alerts, AuthorityDecidesTheAction) {
  const NodeFacts facts = healthy_node();
  Finding by_code = finding("DmesgXidError", "79");
  by_code.authority = Authority::exact_code, by_code.action = Action::migrate;
  World exact(facts);
  exact.tell(by_code);
  exact.turn();
  EXPECT_EQ(exact.facts.alerts[0].action, Action::migrate);

  Finding recovery = finding("DmesgXidError", "154");
  recovery.authority = Authority::recovery_action, recovery.action = Action::reboot, recovery.joins = true;
  exact.tell(recovery);
  exact.turn();
  EXPECT_EQ(exact.facts.alerts[0].action, Action::migrate) << "the exact code stands over the recovery action";

  Finding catalogue = finding("DmesgXidError", "54");
  catalogue.severity = Severity::warning;
  World weak(facts);
  weak.tell(catalogue);
  weak.turn();
  EXPECT_EQ(weak.facts.alerts[0].action, Action::none);
  weak.tell(recovery);
  weak.turn();
  ASSERT_EQ(weak.facts.alerts.size(), 1U);
  EXPECT_EQ(weak.facts.alerts[0].action, Action::reboot) << "the recovery action stands over the catalogue";
  EXPECT_EQ(weak.facts.alerts[0].severity, Severity::critical);
}

TEST(Alerts, AnOperatorsRowIsTheLastWord) {
  NodeFacts facts = healthy_node();
  const FaultRule mine = row("DmesgXidError", "145", Severity::warning, Action::none, seconds{60});
  facts.policy.policy.faults = {mine};
  facts.faults.rules.insert(facts.faults.rules.begin(), mine);
  World world(facts);
  Finding decoded = finding("DmesgXidError", "145");
  decoded.authority = Authority::decode_table, decoded.action = Action::reboot;
  world.tell(decoded);
  world.turn();
  EXPECT_EQ(world.facts.alerts[0].action, Action::none);
}

TEST(Alerts, AnUnknownFaultWarnsAndAsksSupportOnce) {
  World world;
  Finding odd = finding("MyDetectorSaysNo", "", "");
  world.tell(odd);
  world.run(minutes{10});
  EXPECT_EQ(world.facts.alerts[0].severity, Severity::warning);
  EXPECT_EQ(world.facts.alerts[0].state, AlertState::firing);
  int routed = 0;
  for (const Event& event : world.events) routed += event.data.contains("route") && event.data.at("route") == "support";
  EXPECT_EQ(routed, 1);
  EXPECT_FALSE(world.facts.repair);
}

TEST(Alerts, SilenceCountsOnlyWhileSomebodyListens) {
  World world;
  world.agent_lives = false;
  world.facts.listening_since = kStart + minutes{4};
  world.run(minutes{8});
  EXPECT_FALSE(world.alert("AgentSilent"));
  world.run(minutes{2});
  ASSERT_TRUE(world.alert("AgentSilent"));
  EXPECT_EQ(world.alert("AgentSilent")->state, AlertState::pending);
  world.run(minutes{11});
  EXPECT_EQ(world.alert("AgentSilent")->state, AlertState::firing);
  world.facts.last_heartbeat = world.now;
  world.turn();
  EXPECT_EQ(world.alert("AgentSilent")->state, AlertState::resolved);
  world.facts.listening_since.reset();
  world.run(hours{2});
  EXPECT_EQ(world.facts.alerts.size(), 1U) << "nobody listens: silence proves nothing";
}

// Right after a start nobody has listened yet: the node is looked at again, or its silence would be lost for ever.
TEST(Alerts, SilenceIsLookedForAgainWhenNobodyListenedYet) {
  World world;
  world.facts.listening_since.reset();
  world.facts.last_heartbeat = world.now - hours{1};
  const NodeChanges changes = world.turn();
  ASSERT_TRUE(changes.due);
  EXPECT_LE(*changes.due, world.now + minutes{5});
}

// What an old view leaves open is looked at again: a list that changes nothing wakes nobody.
TEST(Alerts, AReadinessThatAnOldViewLeavesOpenIsLookedAtAgain) {
  const auto due_within_a_minute = [](World& world) {
    const NodeChanges changes = world.turn();
    return changes.due && *changes.due <= world.now + minutes{1};
  };
  World world;
  world.marks["kube"].ready = false;
  world.look();
  world.now += seconds{70};
  EXPECT_TRUE(due_within_a_minute(world)) << "it may be an alert";
  EXPECT_FALSE(world.alert("KubeNodeNotReady"));
  world.facts.unreachable["kube"] = {};
  EXPECT_FALSE(due_within_a_minute(world)) << "whoever waits for a lost scheduler is woken when it answers";

  World ready;
  ready.now += seconds{70};
  EXPECT_FALSE(due_within_a_minute(ready)) << "a healthy fleet is not turned every minute";
}

TEST(Alerts, AsManyFindingsAsATurnTakesAreFollowedByAnotherTurnAtOnce) {
  World world;
  world.facts.more_fresh = true;
  EXPECT_EQ(world.turn().due, world.now);
}

TEST(Alerts, OurOwnRebootIsNeitherSilenceNorNotReady) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::verify));
  world.agent_lives = false;
  world.marks["kube"].ready = false;
  world.run(minutes{20});
  EXPECT_FALSE(world.alert("AgentSilent"));
  EXPECT_FALSE(world.alert("KubeNodeNotReady"));
  world.agent_lives = true;
  world.marks["kube"].ready = true;
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

TEST(Alerts, ANodeThatItsSchedulerDoesNotHaveReadyIsAFindingAndEndsWithIt) {
  World world;
  world.marks["kube"].ready = false;
  world.look();
  world.run(minutes{11});
  ASSERT_TRUE(world.alert("KubeNodeNotReady"));
  EXPECT_EQ(world.alert("KubeNodeNotReady")->state, AlertState::firing);
  ASSERT_TRUE(world.facts.repair);
  world.marks["kube"].ready = true;
  ASSERT_TRUE(world.until_state(RepairState::AUTO_RESOLVED, minutes{10}));
}

TEST(Alerts, TwoLiveAgentsAreAnIdentityConflictThatBarsTheStart) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  world.facts.node.identity_conflict = "machine-1 and machine-9";
  world.run(minutes{10});
  ASSERT_TRUE(world.alert("IdentityConflict"));
  EXPECT_EQ(world.alert("IdentityConflict")->severity, Severity::warning);
  EXPECT_EQ(world.facts.repair->state, RepairState::PENDING);
  EXPECT_NE(world.facts.repair->waits_for.at(0).find("identity conflict"), std::string::npos);
  world.facts.node.identity_conflict.reset();
  EXPECT_TRUE(world.until_state(RepairState::SUCCEEDED));
}

}  // namespace
}  // namespace sickbay::decide::testing
