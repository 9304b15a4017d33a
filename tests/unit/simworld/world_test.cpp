// The simulated world: what it does, that it replays, and that its oracle sees what must not happen.
#include "simworld/world.hpp"

#include <gtest/gtest.h>

#include "simworld/checker.hpp"
#include "simworld/journal_file.hpp"

namespace sickbay::simworld {
namespace {

const Time start = from_micros(1'800'000'000'000'000);

Operation act(const World& world, std::string id, Action action = Action::reboot, std::string node = "gpu-001") {
  Operation operation;
  operation.id = id;
  operation.repair = "repair-of-" + id;
  operation.node_name = node;
  operation.action = action;
  operation.boot_before = world.state().nodes.at(node).boot;
  return operation;
}

struct WorldTest : testing::Test {
  static Config settings() {
    Config config;
    config.nodes = 8, config.spares = 2;
    return config;
  }
  MemoryJournal journal;
  World world{settings(), start, journal};
  const NodeState& node(const std::string& name = "gpu-001") { return world.state().nodes.at(name); }
  void pass(Duration time) { world.advance(world.now() + time); }
  bool log_has(std::string_view text, const std::string& name = "gpu-001") {
    for (const LogRecord& record : node(name).log) {
      if (record.text.find(text) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(WorldTest, ARebootEndsTheBootAndItsLog) {
  ASSERT_TRUE(world.inject({"gpu-001", "xid-119", 2, {}}));
  EXPECT_TRUE(log_has("NVRM: Xid (PCI:0000:3a:00): 119"));
  const std::string before = node().boot;
  world.start(act(world, "op-1"));
  EXPECT_FALSE(node().up);
  pass(seconds{20});
  EXPECT_TRUE(node().up);
  EXPECT_NE(node().boot, before);
  EXPECT_FALSE(log_has("Xid"));
  pass(minutes{5});
  EXPECT_FALSE(log_has("Xid"));
}

TEST_F(WorldTest, AHardwareFaultComesBackUntilTheNodeIsOnAnotherHost) {
  ASSERT_TRUE(world.inject({"gpu-001", "xid-119", 0, Action::migrate}));
  for (const Action action : {Action::reboot, Action::reprovision}) {
    world.start(act(world, "op-" + name_of(action), action));
    pass(minutes{5});
    EXPECT_TRUE(log_has(": 119,")) << name_of(action);
  }
  const std::string host = node().host;
  world.start(act(world, "op-migrate", Action::migrate));
  pass(minutes{5});
  EXPECT_NE(node().host, host);
  EXPECT_FALSE(log_has(": 119,"));
  EXPECT_EQ(world.state().hosts.at(host).state, sickbay::HostState::vacated);
}

TEST_F(WorldTest, WithoutSparesAMigrateIsRefused) {
  for (int i = 0; i < 2; ++i) {
    world.start(act(world, "op-" + std::to_string(i), Action::migrate, "gpu-00" + std::to_string(i)));
    pass(minutes{2});
  }
  EXPECT_EQ(world.start(act(world, "op-9", Action::migrate, "gpu-005")).answer, Answer::refused);
  EXPECT_EQ(world.view("op-9").progress, Progress::failed);
}

TEST_F(WorldTest, ALateRequestIsCarriedOutAfterItsCallerGaveUp) {
  world.next_fate(Fate::late);
  EXPECT_EQ(world.start(act(world, "op-1")).answer, Answer::unknown);
  EXPECT_EQ(world.view("op-1").progress, Progress::not_seen);
  EXPECT_TRUE(world.is_pending("op-1"));
  pass(minutes{1});
  EXPECT_EQ(world.view("op-1").progress, Progress::succeeded);
  EXPECT_FALSE(world.is_pending("op-1"));
}

TEST_F(WorldTest, JobsComeAndGoOnNodesThatTakeWork) {
  ASSERT_TRUE(world.cordon("sim-k8s", "gpu-005", "alice"));
  world.set_jobs(seconds{1}, seconds{30});
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    pass(seconds{1});
    std::size_t busy = 0;
    for (const auto& [name, node] : world.state().nodes) {
      for (const Membership& in : node.in) {
        busy += in.jobs.size();
        EXPECT_TRUE(in.jobs.empty() || !in.cordoned());
      }
    }
    most = std::max(most, busy);
  }
  EXPECT_GT(most, 3u);
  world.set_jobs(Duration{}, seconds{30});
  pass(minutes{2});
  for (const auto& [name, node] : world.state().nodes) {
    for (const Membership& in : node.in) EXPECT_TRUE(in.jobs.empty());
  }
}

TEST_F(WorldTest, TheSameSeedAndCallsGiveTheSameJournal) {
  const auto history = [] {
    MemoryJournal journal;
    Config config = settings();
    config.job_every = seconds{1};
    config.weather.late = 0.3, config.weather.fail = 0.3;
    World world(config, start, journal);
    for (int i = 0; i < 8; ++i) {
      world.start(act(world, "op-" + std::to_string(i), Action::reboot, "gpu-00" + std::to_string(i)));
      world.advance(world.now() + seconds{10});
    }
    world.advance(world.now() + minutes{10});
    std::string text;
    for (const Entry& entry : journal.entries) text += to_line(entry) + "\n";
    return text;
  };
  EXPECT_EQ(history(), history());
}

TEST_F(WorldTest, ARestartGoesOnWhereTheJournalEnds) {
  ASSERT_TRUE(world.inject({"gpu-001", "xid-79", 0, {}}));
  ASSERT_TRUE(world.cordon("sim-k8s", "gpu-005", "alice"));
  ASSERT_TRUE(world.start_job("sim-k8s", "gpu-006", minutes{3}, false));
  world.start(act(world, "op-1"));
  world.next_fate(Fate::late);
  world.start(act(world, "op-2", Action::migrate, "gpu-002"));
  std::vector<Entry> written;
  for (const Entry& entry : journal.entries) written.push_back(from_line(to_line(entry)).value());
  MemoryJournal second;
  auto again = World::restore(written, second);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE((*again)->state().nodes.at("gpu-001").up);
  EXPECT_EQ((*again)->state().nodes.at("gpu-006").in[0].jobs.size(), 1u);
  EXPECT_EQ((*again)->state().nodes.at("gpu-005").in[0].cordons.size(), 1u);
  (*again)->advance(start + minutes{10});
  EXPECT_EQ((*again)->view("op-1").progress, Progress::succeeded);
  EXPECT_EQ((*again)->view("op-2").progress, Progress::succeeded);
  EXPECT_EQ(second.entries.front().n, journal.entries.back().n + 1);
}

TEST_F(WorldTest, TheOracleIsContentWithAProperRepairAndSeesADoubleOne) {
  world.start(act(world, "op-1"));
  pass(minutes{1});
  EXPECT_EQ(check(journal.entries), std::vector<std::string>{});
  Operation again = act(world, "op-2");
  again.repair = "repair-of-op-1";
  world.start(again);
  EXPECT_EQ(check(journal.entries).size(), 1u);
}

TEST_F(WorldTest, TheOracleSeesTwoActionsInFlightOnOneNode) {
  world.start(act(world, "op-1"));
  world.start(act(world, "op-2"));
  EXPECT_EQ(check(journal.entries).size(), 2u);  // the node and its host
}

TEST_F(WorldTest, TheOracleSeesAnActionOnRunningWorkUnlessForced) {
  ASSERT_TRUE(world.start_job("sim-k8s", "gpu-005", hours{1}, true));
  ASSERT_TRUE(world.start_job("sim-k8s", "gpu-006", hours{1}, true));
  pass(minutes{5});
  Operation forced = act(world, "op-1", Action::reboot, "gpu-005");
  forced.force = true;
  world.start(forced);
  EXPECT_TRUE(check(journal.entries).empty());
  world.start(act(world, "op-2", Action::reboot, "gpu-006"));
  EXPECT_EQ(check(journal.entries).size(), 1u);
}

TEST_F(WorldTest, TheOracleSeesAForeignCordonTakenAway) {
  ASSERT_TRUE(world.cordon("sim-k8s", "gpu-005", "alice"));
  Operation uncordon = act(world, "op-1", Action::none, "gpu-005");
  uncordon.kind = OperationKind::uncordon;
  uncordon.adapter = "sim-k8s";
  world.hold("installation", uncordon);
  EXPECT_TRUE(check(journal.entries).empty());
  EXPECT_TRUE(node("gpu-005").in[0].cordoned());
  uncordon.force = true;
  world.hold("installation", uncordon);
  EXPECT_EQ(check(journal.entries).size(), 1u);
}

TEST_F(WorldTest, AnUnknownFaultNamesTheKnownOnes) {
  const Status status = world.inject({"gpu-001", "gremlins", 0, {}});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("xid-119"), std::string::npos);
}

}  // namespace
}  // namespace sickbay::simworld
