// The tests of the provider's contract.
#include "tests/conformance/provider_suite.hpp"

#include <algorithm>

namespace sickbay::conformance {

TEST_P(ProviderContract, ARebootRunsSucceedsAndGivesAnotherBoot) {
  const Operation reboot = act("op-1");
  const std::string before = lab->boot();
  EXPECT_EQ(view(reboot).progress, Progress::not_seen);
  EXPECT_EQ(start(reboot).answer, Answer::accepted);
  EXPECT_EQ(view(reboot).progress, Progress::running);
  lab->wait_until_done();
  EXPECT_EQ(view(reboot).progress, Progress::succeeded);
  EXPECT_NE(lab->boot(), before);
}

TEST_P(ProviderContract, ObservingChangesNothing) {
  const Operation reboot = act("op-1");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(view(reboot).progress, Progress::not_seen);
  EXPECT_EQ(lab->effects(), 0u);
}

TEST_P(ProviderContract, TheSameOperationAgainHasNoSecondEffectWhereDeclared) {
  const ProviderCapabilities can = capabilities();
  if (!can.is_fenced()) GTEST_SKIP() << "declares neither";
  const Operation reboot = act("op-1");
  ASSERT_EQ(start(reboot).answer, Answer::accepted);
  EXPECT_NE(start(reboot).answer, Answer::not_sent);
  lab->wait_until_done();
  EXPECT_NE(start(reboot).answer, Answer::not_sent);
  lab->wait_until_done();
  EXPECT_EQ(lab->effects(), 1u);
}

TEST_P(ProviderContract, ALostReplyIsUnknownAndRepeatingIsHarmlessWhereDeclared) {
  const ProviderCapabilities can = capabilities();
  const Operation reboot = act("op-1");
  lab->lose_next_reply();
  EXPECT_EQ(start(reboot).answer, Answer::unknown);
  EXPECT_EQ(view(reboot).progress, Progress::running);
  if (can.is_fenced()) start(reboot);
  lab->wait_until_done();
  EXPECT_EQ(lab->effects(), 1u);
}

TEST_P(ProviderContract, AnotherBootThanExpectedIsRefusedWhereFenced) {
  if (!capabilities().fenced_by_boot) GTEST_SKIP() << "is not fenced by boot";
  Operation reboot = act("op-1");
  reboot.boot_before = "a-boot-of-last-week";
  EXPECT_EQ(start(reboot).answer, Answer::refused);
  EXPECT_EQ(lab->effects(), 0u);
}

TEST_P(ProviderContract, AnUnknownNodeIsRefused) {
  Operation reboot = act("op-1");
  reboot.node_name = "no-such-node";
  EXPECT_EQ(start(reboot).answer, Answer::refused);
}

TEST_P(ProviderContract, AnActionItCannotDoIsRefused) {
  EXPECT_EQ(start(act("op-1", Action::none)).answer, Answer::refused);
  EXPECT_EQ(lab->effects(), 0u);
}

TEST_P(ProviderContract, ReprovisionIsOneEffectThatIsSeenToSucceed) {
  if (!can(Action::reprovision)) GTEST_SKIP() << "cannot reprovision";
  const Operation rebuild = act("op-1", Action::reprovision);
  ASSERT_EQ(start(rebuild).answer, Answer::accepted);
  lab->wait_until_done();
  EXPECT_EQ(view(rebuild).progress, Progress::succeeded);
  EXPECT_EQ(lab->effects(), 1u);
}

TEST_P(ProviderContract, MigrateUsesASpareHostAndVacatesTheOldOne) {
  if (!can(Action::migrate)) GTEST_SKIP() << "cannot migrate";
  const auto host_of_node = [&] {
    const auto hosts = lab->provider().hosts(lab->soon());
    for (const ListedHost& host : hosts.value()) {
      if (std::ranges::find(host.nodes, lab->node()) != host.nodes.end()) return host.id;
    }
    return std::string{};
  };
  const std::string before = host_of_node();
  const Operation migrate = act("op-1", Action::migrate);
  ASSERT_EQ(start(migrate).answer, Answer::accepted);
  lab->wait_until_done();
  const OperationView seen = view(migrate);
  EXPECT_EQ(seen.progress, Progress::succeeded);
  EXPECT_NE(seen.host, before);
  EXPECT_EQ(seen.host, host_of_node());
  const auto hosts = lab->provider().hosts(lab->soon()).value();
  const auto old = std::find_if(hosts.begin(), hosts.end(), [&](const ListedHost& host) { return host.id == before; });
  ASSERT_NE(old, hosts.end());
  EXPECT_EQ(old->state, HostState::vacated);
}

TEST_P(ProviderContract, WhatHasNotBegunIsRecalledForGoodWhereDeclared) {
  if (!capabilities().can_cancel(Action::reboot)) GTEST_SKIP() << "declares nothing that it can recall";
  const Operation reboot = act("op-1");
  lab->queue_next_start();
  ASSERT_EQ(start(reboot).answer, Answer::accepted);
  EXPECT_EQ(cancel(reboot).answer, Answer::done);
  EXPECT_EQ(cancel(reboot).answer, Answer::done) << "it may be repeated";
  lab->wait_until_done();
  EXPECT_EQ(lab->effects(), 0u);
  EXPECT_EQ(view(reboot).progress, Progress::failed);
}

TEST_P(ProviderContract, WhatIsRecalledBeforeItArrivedIsRefusedWhenItComes) {
  if (!capabilities().can_cancel(Action::reboot)) GTEST_SKIP() << "declares nothing that it can recall";
  const Operation reboot = act("op-1");
  EXPECT_EQ(cancel(reboot).answer, Answer::done);
  EXPECT_EQ(start(reboot).answer, Answer::refused);
  lab->wait_until_done();
  EXPECT_EQ(lab->effects(), 0u);
}

TEST_P(ProviderContract, WhatHasBegunIsNotRecalled) {
  const Operation reboot = act("op-1");
  ASSERT_EQ(start(reboot).answer, Answer::accepted);
  EXPECT_EQ(cancel(reboot).answer, Answer::refused);
  lab->wait_until_done();
  EXPECT_EQ(lab->effects(), 1u);
}

TEST_P(ProviderContract, ItSaysWhichPathsAnActionKeeps) {
  for (const KeptPaths& kept : capabilities().kept_paths) {
    EXPECT_TRUE(can(kept.action)) << name_of(kept.action);
    for (const std::string& path : kept.paths) EXPECT_EQ(path.substr(0, 1), "/") << path;
  }
}

TEST_P(ProviderContract, HostsAreListedWithShapesAndSpares) {
  const auto hosts = lab->provider().hosts(lab->soon());
  ASSERT_TRUE(hosts) << hosts.error().message;
  EXPECT_TRUE(std::any_of(hosts->begin(), hosts->end(),
                          [](const ListedHost& h) { return h.state == HostState::spare && h.checked_at; }));
  for (const ListedHost& host : *hosts) EXPECT_GT(host.shape.gpus, 0u);
}

TEST_P(ProviderContract, WithoutAConnectionNothingIsSentAndNothingIsKnown) {
  const Operation reboot = act("op-1");
  lab->break_connection();
  EXPECT_EQ(start(reboot).answer, Answer::not_sent);
  EXPECT_EQ(view(reboot).progress, Progress::unreadable);
  EXPECT_FALSE(lab->provider().hosts(lab->soon()));
  EXPECT_FALSE(lab->provider().capabilities(lab->soon())) << "not known is not the same as nothing";
  EXPECT_EQ(cancel(reboot).answer, Answer::not_sent);
}

TEST_P(ProviderContract, WithoutTimeLeftNothingIsSent) {
  EXPECT_EQ(lab->provider().start(act("op-1"), Duration{0}).answer, Answer::not_sent);
  EXPECT_EQ(lab->effects(), 0u);
}

}  // namespace sickbay::conformance
