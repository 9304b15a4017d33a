// The six rules of product.md 4, each with the sentence it leaves behind.
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

Repair past(Action action, Duration ago, RepairState state = RepairState::SUCCEEDED, bool acted = true,
            Fault fault = {"DmesgXidError", "119"}) {
  static int serial = 0;
  Repair repair;
  repair.id = "past-" + std::to_string(++serial);
  repair.node = "node-1", repair.host = "host-1";
  repair.action = repair.recommended = action;
  repair.fault = std::move(fault);
  repair.state = state;
  repair.created_at = kStart - ago;
  if (acted) repair.acted_at = repair.admitted_at = kStart - ago;
  repair.ended_at = kStart - ago + minutes{20};
  return repair;
}

// The recommendation that follows these findings, or none.
std::optional<Repair> recommended(NodeFacts facts, std::vector<Finding> findings, Duration after = minutes{11}) {
  World world(std::move(facts));
  for (Finding& one : findings) world.tell(std::move(one));
  world.obey = false;
  world.turn();
  world.now += after;
  world.facts.last_heartbeat = world.now;
  world.look();
  world.turn();
  return world.facts.repair;
}

TEST(Recommend, TheHeaviestAlertLeadsAndOthersAreLinked) {
  const auto repair =
      recommended(healthy_node(), {finding("DmesgXidError", "119"), finding("NpdXfsShutdown", "", "/data")});
  ASSERT_TRUE(repair);
  EXPECT_EQ(repair->action, Action::reprovision);
  EXPECT_EQ(repair->fault.name, "NpdXfsShutdown");
  EXPECT_EQ(repair->alerts.size(), 2U);
  EXPECT_FALSE(repair->reason.empty());
  EXPECT_FALSE(repair->reasons.empty());
}

struct Climb {
  const char* name;
  std::vector<Repair> history;
  Action expected;
};

TEST(Recommend, TheThirdTimeClimbsAndOnlyExecutedOnesOfThisWeekCount) {
  const Duration day = hours{24};
  const std::vector<Climb> cases{
      {"first", {}, Action::reboot},
      {"second", {past(Action::reboot, day)}, Action::reboot},
      {"third", {past(Action::reboot, day), past(Action::reboot, 2 * day, RepairState::FAILED)}, Action::reprovision},
      {"too old", {past(Action::reboot, day), past(Action::reboot, 8 * day)}, Action::reboot},
      {"not executed",
       {past(Action::reboot, day), past(Action::reboot, day, RepairState::CANCELLED, false)},
       Action::reboot},
      {"cleared by itself",
       {past(Action::reboot, day), past(Action::reboot, day, RepairState::AUTO_RESOLVED, false)},
       Action::reboot},
      {"another fault",
       {past(Action::reboot, day), past(Action::reboot, day, RepairState::SUCCEEDED, true, {"KernelOops", ""})},
       Action::reboot},
      {"up to migrate",
       {past(Action::reboot, day), past(Action::reboot, day), past(Action::reprovision, day),
        past(Action::reprovision, day)},
       Action::migrate},
  };
  for (const Climb& one : cases) {
    NodeFacts facts = healthy_node();
    facts.history = one.history;
    const auto repair = recommended(facts, {finding("DmesgXidError", "119")});
    ASSERT_TRUE(repair) << one.name;
    EXPECT_EQ(repair->action, one.expected) << one.name << ": " << name_of(repair->action);
  }
}

TEST(Recommend, AnotherHostsAttemptsDoNotCount) {
  NodeFacts facts = healthy_node();
  facts.history = {past(Action::reboot, hours{24}), past(Action::reboot, hours{25})};
  for (Repair& one : facts.history) one.host = "host-0";
  EXPECT_EQ(recommended(facts, {finding("DmesgXidError", "119")})->action, Action::reboot);
}

TEST(Recommend, MigrateWithoutCriticalEvidenceBecomesReprovision) {
  NodeFacts facts = healthy_node();
  facts.faults.rules.push_back(row("MyWarning", "*", Severity::warning, Action::migrate, Duration{}));
  EXPECT_EQ(recommended(facts, {finding("MyWarning")})->action, Action::reprovision);
  Alert before;
  before.id = "alr-before", before.node = "node-1", before.host = "host-1", before.severity = Severity::critical;
  before.fault.name = "KernelOops", before.state = AlertState::resolved;
  before.firing_at = kStart - hours{24 * 9}, before.resolved_at = kStart - hours{24 * 9};
  facts.alerts = {before};
  EXPECT_EQ(recommended(facts, {finding("MyWarning")})->action, Action::migrate) << "critical on this host 9 days ago";
  facts.alerts[0].resolved_at = kStart - hours{24 * 11};
  EXPECT_EQ(recommended(facts, {finding("MyWarning")})->action, Action::reprovision) << "11 days ago";
}

TEST(Recommend, TheSecondTimeTakesTheHeavierActionOfItsRow) {
  NodeFacts facts = healthy_node();
  EXPECT_EQ(recommended(facts, {finding("NpdCperHardwareErrorFatal", "", "")})->action, Action::reprovision);
  facts.history = {
      past(Action::reprovision, hours{30}, RepairState::SUCCEEDED, true, {"NpdCperHardwareErrorFatal", ""})};
  EXPECT_EQ(recommended(facts, {finding("NpdCperHardwareErrorFatal", "", "")})->action, Action::migrate);
}

TEST(Recommend, PowerCycleComesWhereItIsEnabledAndPossible) {
  NodeFacts facts = healthy_node();
  EXPECT_EQ(recommended(facts, {finding("DmesgXidError", "79")})->action, Action::migrate);
  facts.policy.policy.power_cycle_enabled = true;
  const auto cannot = recommended(facts, {finding("DmesgXidError", "79")});
  EXPECT_EQ(cannot->action, Action::reprovision) << "the next heavier that the provider can";
  EXPECT_NE(cannot->reasons.back().find("cannot do power-cycle"), std::string::npos) << cannot->reasons.back();
  facts.provider->actions.push_back(Action::power_cycle);
  EXPECT_EQ(recommended(facts, {finding("DmesgXidError", "79")})->action, Action::power_cycle);
}

TEST(Recommend, AProviderThatCanDoNothingHeavyEnoughLeavesItToAPersonAndWhySaysSo) {
  NodeFacts facts = healthy_node();
  facts.provider = ProviderCapabilities{.actions = {Action::reboot}};
  World world(facts);
  world.tell(finding("DmesgXidError", "79"));
  world.run(minutes{2});
  EXPECT_FALSE(world.facts.repair);
  EXPECT_NE(why(world.facts, world.now)[0].find("a person must act"), std::string::npos);
}

TEST(Recommend, AHostWithAnOpenTicketIsToBeRemovedByAPerson) {
  NodeFacts facts = healthy_node();
  facts.host.open_ticket = true;
  facts.policy.policy.confirmation = Confirmation::automatic;
  const auto repair = recommended(facts, {finding("DmesgXidError", "119")});
  ASSERT_TRUE(repair);
  EXPECT_EQ(repair->action, Action::remove);
  EXPECT_EQ(repair->state, RepairState::PENDING_APPROVAL);
  EXPECT_EQ(repair->policy_rule, "remove always asks");
}

TEST(Recommend, ANodeWhoseMigrateFailedTwiceIsToBeRemoved) {
  NodeFacts facts = healthy_node();
  facts.history = {past(Action::migrate, hours{24}, RepairState::FAILED),
                   past(Action::migrate, hours{48}, RepairState::FAILED)};
  EXPECT_EQ(recommended(facts, {finding("DmesgXidError", "119")})->action, Action::remove);
}

TEST(Recommend, AHeavierAlertRaisesItInPlaceOnlyWhileItAwaitsApproval) {
  World world;
  world.tell(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::PENDING_APPROVAL));
  const Repair before = *world.facts.repair;
  world.tell(finding("DmesgXidError", "79"));
  world.run(minutes{1});
  EXPECT_EQ(world.facts.repair->id, before.id);
  EXPECT_EQ(world.facts.repair->action, Action::migrate);
  EXPECT_GT(world.facts.repair->revision, before.revision);
  EXPECT_GT(*world.facts.repair->recommended_at, *before.recommended_at);

  World approved;
  approved.facts.caution.observe_only = true;  // stays PENDING
  approved.sicken(finding("DmesgXidError", "119"));
  approved.tell(finding("DmesgXidError", "79"));
  approved.run(minutes{2});
  EXPECT_EQ(approved.facts.repair->action, Action::reboot) << "what was approved is what runs";
  EXPECT_EQ(approved.facts.repair->alerts.size(), 2U);
}

TEST(Recommend, ALighterAlertJoinsWithoutLoweringIt) {
  World world;
  world.tell(finding("DmesgXidError", "79"));
  ASSERT_TRUE(world.until_state(RepairState::PENDING_APPROVAL));
  world.tell(finding("DmesgXidError", "119", "0000:af:00.0"));
  world.run(minutes{2});
  EXPECT_EQ(world.facts.repair->action, Action::migrate);
  EXPECT_EQ(world.facts.repair->alerts.size(), 2U);
}

TEST(Recommend, CooldownHoldsBackNewRecommendationsButNotAlerts) {
  World world;
  world.sicken(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_state(RepairState::SUCCEEDED));
  const Time ended = *world.repair().ended_at;
  world.tell(finding("DmesgXidError", "119"));
  world.run(minutes{20});
  EXPECT_EQ(world.facts.alerts.back().state, AlertState::firing);
  EXPECT_FALSE(world.facts.repair);
  ASSERT_TRUE(world.run_until(hours{1}, [&] { return world.facts.repair.has_value(); }));
  EXPECT_GE(world.facts.repair->created_at, ended + minutes{30});
}

TEST(Recommend, ARejectedRecommendationIsNotMadeAgainUntilSomethingChanges) {
  const auto rejected = [] {
    World world;
    world.tell(finding("NpdXfsShutdown", "", "/data"));
    EXPECT_TRUE(world.until_state(RepairState::PENDING_APPROVAL));
    world.set_repair(*reject(*world.facts.repair, {"ann", Role::operator_}, "not now", world.now));
    world.run(hours{3});
    EXPECT_FALSE(world.facts.repair);
    return world;
  };
  World heavier = rejected();
  heavier.tell(finding("DmesgXidError", "79"));
  heavier.run(minutes{2});
  ASSERT_TRUE(heavier.facts.repair) << "a heavier action is due";
  EXPECT_EQ(heavier.facts.repair->action, Action::migrate);

  World lighter = rejected();
  lighter.tell(finding("DmesgXidError", "119"));
  lighter.run(minutes{5});
  EXPECT_FALSE(lighter.facts.repair);

  World cleared = rejected();
  Finding clear = finding("NpdXfsShutdown", "", "/data");
  clear.kind = FindingKind::clear;
  cleared.tell(clear);
  cleared.run(minutes{1});
  cleared.tell(finding("NpdXfsShutdown", "", "/data"));
  cleared.run(minutes{2});
  EXPECT_TRUE(cleared.facts.repair) << "its alerts cleared and came back";
}

TEST(Recommend, AnOptedOutNodeAndAnswerNeverShowTheAlertOnly) {
  NodeFacts facts = healthy_node();
  facts.node.auto_repair = false;
  EXPECT_FALSE(recommended(facts, {finding("DmesgXidError", "119")}));
  facts = healthy_node();
  facts.policy.policy.consent = {{{"DmesgXidError"}, {}, {}, {}, ConsentAnswer::never}};
  EXPECT_FALSE(recommended(facts, {finding("DmesgXidError", "119")}));
  const auto other = recommended(facts, {finding("DmesgXidError", "119"), finding("NpdXfsShutdown", "", "/data")});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->alerts.size(), 1U) << "only what may be repaired is linked";
}

}  // namespace
}  // namespace sickbay::decide::testing
