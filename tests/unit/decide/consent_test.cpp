// Who must agree (product.md 4.1): first match wins for a fault, the strictest answer over several faults.
#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

using enum ConsentAnswer;

Alert of(std::string name, std::string code = {}, bool always_ask = false) {
  Alert alert;
  alert.fault = {std::move(name), std::move(code)};
  alert.always_ask = always_ask;
  return alert;
}

Node node() {
  return healthy_node().node;
}

TEST(Consent, WithoutARuleConfirmationDecides) {
  Policy policy;
  EXPECT_EQ(consent(policy, {of("DmesgXidError", "119")}, Action::reboot, node()).answer, ask);
  policy.confirmation = Confirmation::automatic;
  const auto decision = consent(policy, {of("DmesgXidError", "119")}, Action::reboot, node());
  EXPECT_EQ(decision.answer, auto_);
  EXPECT_EQ(decision.rule, "confirmation");
}

TEST(Consent, PatternsNameAFaultEveryCodeOrABeginning) {
  const std::vector<std::tuple<std::string, Alert, bool>> cases{
      {"DmesgXidError/119", of("DmesgXidError", "119"), true},
      {"DmesgXidError/119", of("DmesgXidError", "11"), false},
      {"DmesgXidError", of("DmesgXidError", "119"), true},
      {"DmesgXid", of("DmesgXidError", "119"), false},
      {"Npd*", of("NpdXfsShutdown"), true},
      {"Npd*", of("KernelOops"), false},
      {"DmesgXidError/1*", of("DmesgXidError", "119"), true},
      {"*", of("KernelOops"), true},
      {"", of("KernelOops"), false},
  };
  for (const auto& [pattern, alert, matches] : cases) {
    Policy policy;
    policy.consent = {{{pattern}, {}, {}, {}, auto_}};
    EXPECT_EQ(consent(policy, {alert}, Action::reboot, node()).answer == auto_, matches) << pattern;
  }
}

// By product.md 4.2 it means cancel, in every step before the act; a person's repair goes on, and what has acted too.
TEST(Consent, WithdrawnBeforeTheActCancelsAnAutomaticRepairInEveryStep) {
  const std::vector<std::pair<std::string, std::function<void(NodeFacts&)>>> ways{
      {"never", [](NodeFacts& facts) { facts.policy.policy.consent = {{{}, {}, {}, {}, never}}; }},
      {"approve", [](NodeFacts& facts) { facts.policy.policy.confirmation = Confirmation::approve; }},
      {"opted out", [](NodeFacts& facts) { facts.node.auto_repair = false; }}};
  for (const auto& [way, withdraw] : ways) {
    for (const RepairStep step : {RepairStep::queued, RepairStep::cordon, RepairStep::wait, RepairStep::drain}) {
      NodeFacts facts = healthy_node();
      facts.policy.policy.confirmation = Confirmation::automatic;
      World world(facts);
      world.marks["kube"].busy = step == RepairStep::wait;
      world.out_of_service = step == RepairStep::queued ? 99 : 0;
      world.look();
      world.tell(finding("DmesgXidError", "119"));
      ASSERT_TRUE(world.until_step(step)) << way << name_of(step);
      withdraw(world.facts);
      EXPECT_TRUE(world.until_state(RepairState::CANCELLED, hours{1})) << way << " in " << name_of(step);
      EXPECT_EQ(std::ranges::count(world.dispatched, OperationKind::act, &Operation::kind), 0);
      EXPECT_FALSE(world.marks["kube"].cordoned) << way << " in " << name_of(step);
    }
  }
}

TEST(Consent, WithdrawnStopsNoRepairThatAPersonApprovedAndNoneThatActed) {
  World asked;
  asked.sicken(finding("DmesgXidError", "119"));
  asked.facts.policy.policy.consent = {{{}, {}, {}, {}, never}};
  EXPECT_TRUE(asked.until_state(RepairState::SUCCEEDED));

  NodeFacts facts = healthy_node();
  facts.policy.policy.confirmation = Confirmation::automatic;
  World acted(facts);
  acted.tell(finding("DmesgXidError", "119"));
  ASSERT_TRUE(acted.until_step(RepairStep::verify));
  acted.facts.policy.policy.consent = {{{}, {}, {}, {}, never}};
  EXPECT_TRUE(acted.until_state(RepairState::SUCCEEDED));
}

TEST(Consent, WhatJoinsAfterTheApprovalWithdrawsNothing) {
  NodeFacts facts = healthy_node();
  facts.policy.policy.consent = {{{"DmesgXidError/119"}, {}, {}, {}, auto_}};
  World world(facts);
  world.marks["kube"].busy = true;
  world.look();
  world.tell(finding("DmesgXidError", "119"));
  ASSERT_TRUE(world.until_step(RepairStep::wait));
  world.tell(finding("DmesgXidError", "95"));
  world.run(minutes{10});
  EXPECT_EQ(world.repair().step, RepairStep::wait);
  EXPECT_FALSE(world.repair().cancel_requested_by);
}

TEST(Consent, TheFirstMatchWinsAndIsNamed) {
  Policy policy;
  policy.consent = {{{"DmesgXidError/119", "DmesgXidError/95"}, {Action::reboot}, {}, {}, auto_},
                    {{}, {Action::migrate}, {}, {}, ask},
                    {{"DmesgXidError"}, {}, {}, {}, never}};
  EXPECT_EQ(consent(policy, {of("DmesgXidError", "119")}, Action::reboot, node()).rule, "consent[0]");
  EXPECT_EQ(consent(policy, {of("DmesgXidError", "119")}, Action::migrate, node()).rule, "consent[1]");
  EXPECT_EQ(consent(policy, {of("DmesgXidError", "46")}, Action::reboot, node()).answer, never);
}

TEST(Consent, TheStrictestAnswerOverSeveralFaultsWins) {
  Policy policy;
  policy.consent = {{{"A"}, {}, {}, {}, auto_}, {{"B"}, {}, {}, {}, ask}, {{"C"}, {}, {}, {}, never}};
  EXPECT_EQ(consent(policy, {of("A")}, Action::reboot, node()).answer, auto_);
  EXPECT_EQ(consent(policy, {of("A"), of("B")}, Action::reboot, node()).answer, ask);
  EXPECT_EQ(consent(policy, {of("C"), of("B"), of("A")}, Action::reboot, node()).answer, never);
}

TEST(Consent, PoolsAndLabelsSelect) {
  Policy policy;
  policy.consent = {{{}, {}, {"other"}, {}, never}, {{}, {}, {"gpu"}, {{"team", "a"}}, auto_}};
  Node here = node();
  EXPECT_EQ(consent(policy, {of("A")}, Action::reboot, here).answer, ask);
  here.labels["team"] = "a";
  EXPECT_EQ(consent(policy, {of("A")}, Action::reboot, here).answer, auto_);
}

TEST(Consent, SomeThingsAlwaysAsk) {
  Policy policy;
  policy.confirmation = Confirmation::automatic;
  EXPECT_EQ(consent(policy, {of("GpuRowRemapPending", "", true)}, Action::reboot, node()).answer, ask);
  EXPECT_EQ(consent(policy, {of("A")}, Action::remove, node()).answer, ask);
  policy.consent = {{{}, {}, {}, {}, never}};
  EXPECT_EQ(consent(policy, {of("A", "", true)}, Action::reboot, node()).answer, never)
      << "asking is no way round never";
}

TEST(Consent, AnOptedOutNodeIsNeverRepairedByPolicy) {
  Policy policy;
  policy.confirmation = Confirmation::automatic;
  Node opted_out = node();
  opted_out.auto_repair = false;
  EXPECT_EQ(consent(policy, {of("A")}, Action::reboot, opted_out).answer, never);
}

}  // namespace
}  // namespace sickbay::decide::testing
