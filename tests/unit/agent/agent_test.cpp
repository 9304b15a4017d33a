// The agent as a whole: what it remembers over restarts and boots, how it makes a storm small, what it says when it
// loses something.
#include <set>

#include "tests/unit/agent/rig.hpp"

namespace sickbay::agent {
namespace {

// A storm of duplicates is one finding at once and one more, with a count, at the next heartbeat.
TEST(Agent, AStormIsCountedNotRepeated) {
  Rig rig;
  rig.config.heartbeat = milliseconds{300};
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  ASSERT_TRUE(run_until(rig.io, [&] { return rig.agent->standing().connected; }));
  for (int i = 0; i < 20'000; ++i) rig.say(xid(95));
  ASSERT_TRUE(run_until(rig.io, [&] {
    std::uint64_t counted = 0;
    for (const Finding& finding : good.findings) counted += finding.count;
    return counted == 20'000;
  }));
  EXPECT_LE(good.findings.size(), 12U);  // a slow machine may have its heartbeats in between
  EXPECT_EQ(good.findings[0].count, 1U);
  ASSERT_TRUE(run_until(rig.io, [&] {
    return !good.heartbeats.empty() && good.heartbeats.back().active &&
           good.heartbeats.back().active->at(0).count == 20'000;
  }));
}

TEST(Agent, ActiveFaultsGoWholeWithEveryHello) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.say(xid(119));
  rig.say(xid(95, "0000:4c:00"));
  rig.say(xid(95, "0000:4c:00"));
  ASSERT_TRUE(rig.delivered());
  rig.agent->stop();
  rig.start(server.url());
  ASSERT_TRUE(run_until(rig.io, [&] { return good.hellos.size() == 2; }));
  const auto& active = good.hellos[1].active;
  ASSERT_EQ(active.size(), 2U);
  EXPECT_EQ(active[1].first.fault.text(), "DmesgXidError/95");
  EXPECT_EQ(active[1].count, 2U);
  EXPECT_FALSE(good.hellos[1].active_digest.empty());
}

TEST(Agent, AHeartbeatCarriesTheActiveFaultsOnlyWhenTheyAreNews) {
  Rig rig;
  rig.config.heartbeat = milliseconds{20};
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  ASSERT_TRUE(run_until(rig.io, [&] { return good.heartbeats.size() == 2; }));
  EXPECT_FALSE(good.heartbeats[0].active);
  rig.say(xid(119));
  ASSERT_TRUE(run_until(rig.io, [&] { return good.heartbeats.size() >= 4; }));
  int whole = 0;
  for (const auto& heartbeat : good.heartbeats) whole += heartbeat.active ? 1 : 0;
  EXPECT_EQ(whole, 1);
  good.send_active = true;  // the server has lost them
  const std::size_t before = good.heartbeats.size();
  ASSERT_TRUE(run_until(rig.io, [&] { return good.heartbeats.size() >= before + 3; }));
  whole = 0;
  for (const auto& heartbeat : good.heartbeats) whole += heartbeat.active ? 1 : 0;
  EXPECT_EQ(whole, 2);
  EXPECT_EQ(good.hellos.size(), 1U);
}

TEST(Agent, ARestartInTheSameBootReadsOnWhereItWas) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  rig.agent.reset();        // as kill -9
  rig.say(xid(79));         // while it is away
  rig.start(server.url());  // reads the ring from its first record
  ASSERT_TRUE(run_until(rig.io, [&] { return !good.of("DmesgXidError").empty() && good.findings.size() >= 2; }));
  ASSERT_TRUE(rig.delivered());
  std::set<std::string> ids;
  for (const Finding& finding : good.findings) ids.insert(finding.id);
  EXPECT_EQ(ids.size(), good.findings.size()) << "nothing is told twice";
}

TEST(Agent, ACrashBeforeTheFindingsAreDurableRepeatsThemWithTheSameIds) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  rig.agent.reset();
  std::filesystem::remove_all(rig.scratch / "state");  // the position is lost altogether
  rig.start(server.url());
  ASSERT_TRUE(run_until(rig.io, [&] { return good.findings.size() == 2; }));
  EXPECT_EQ(good.findings[0].id, good.findings[1].id);
}

TEST(Agent, ANewBootReadsFromTheFirstRecordAndForgetsWhatWasActive) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  for (int i = 0; i < 5; ++i) rig.say("nothing to see here");
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  rig.agent->stop();
  rig.identity.boot_id = "boot-2";
  rig.feed->reboot();
  rig.say(xid(95));  // sequence 0 of the new boot
  rig.start(server.url());
  ASSERT_TRUE(run_until(rig.io, [&] { return good.findings.size() == 2; }));
  EXPECT_EQ(good.findings[1].fault.code, "95");
  EXPECT_EQ(good.findings[1].boot_id, "boot-2");
  EXPECT_EQ(good.hellos[1].boot_id, "boot-2");
  for (const auto& fault : good.hellos[1].active) EXPECT_NE(fault.first.fault.code, "119");
}

TEST(Agent, AGapInTheSequenceIsAFindingAndIsOverAfterwards) {
  Rig rig;
  rig.config.heartbeat = milliseconds{50};
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.feed->push("4,10,1000000,-;first\n");
  rig.feed->overrun();
  rig.feed->push("4,31,2000000,-;after twenty were lost\n");
  ASSERT_TRUE(run_until(rig.io, [&] { return good.of("DetectorBroken", FindingKind::clear).size() == 1; }));
  const auto broken = good.of("DetectorBroken");
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].fault.code, "kernel-log");
  EXPECT_EQ(broken[0].evidence.at("lost").to_number<int>(), 20);
  EXPECT_EQ(broken[0].action, Action::none) << "a broken detector alerts people and never drains a node";
}

TEST(Agent, ALogThatCannotBeReadIsAFindingNotSilence) {
  Rig rig;
  rig.config.heartbeat = milliseconds{50};
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.feed->fail("'/dev/kmsg' may not be read (Operation not permitted)");
  ASSERT_TRUE(run_until(rig.io, [&] { return good.of("DetectorBroken").size() == 1; }));
  EXPECT_NE(good.of("DetectorBroken")[0].sentence.find("not permitted"), std::string::npos);
  ASSERT_TRUE(run_until(rig.io, [&] { return good.heartbeats.size() > 3; }));
  EXPECT_EQ(good.of("DetectorBroken", FindingKind::clear).size(), 0U) << "it is still broken";
  rig.say("readable again");
  ASSERT_TRUE(run_until(rig.io, [&] { return good.of("DetectorBroken", FindingKind::clear).size() == 1; }));
}

TEST(Agent, AProcessCannotForgeAFault) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.feed->push("12,0,1000000,-;" + xid(79) + "\n");  // facility 1: written by a program
  rig.feed->push("10,1,1000000,-;Killed process 7 (NVRM: Xid (PCI:)\n");
  rig.feed->push("4,2,1000000,-;" + xid(119) + "\n");
  ASSERT_TRUE(run_until(rig.io, [&] { return !good.findings.empty(); }));
  ASSERT_TRUE(rig.delivered());
  ASSERT_EQ(good.findings.size(), 1U);
  EXPECT_EQ(good.findings[0].fault.code, "119");
}

TEST(Agent, InjectionCountsWhereItIsAllowed) {
  Rig rig;
  rig.config.allow_injected = true;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.feed->push("12,0,1000000,-;" + xid(119) + "\n");
  ASSERT_TRUE(run_until(rig.io, [&] { return good.findings.size() == 1; }));
}

TEST(Agent, MalformedRecordsAreLeftOutAndTheOthersAreRead) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  for (const std::string& record : {std::string("garbage"), std::string("4,x,1,-;text"), std::string(1U << 20, ','),
                                    std::string("4,5,6", 5), std::string("\0\xff\xfe", 3)}) {
    rig.feed->push(record);
  }
  rig.feed->push("4,7,1000000,-;NVRM: Xid (PCI:0000:3b:00): 119, pid=\\x00\xff\xfe, name=\\xff, Timeout\n");
  ASSERT_TRUE(run_until(rig.io, [&] { return good.of("DmesgXidError").size() == 1; }));
  EXPECT_TRUE(is_utf8(to_json_text(good.findings[0])));
}

TEST(Agent, TwoAgentsOnOneDirectoryAreRefused) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  Agent second(rig.io, rig.config, rig.identity, std::make_unique<MemorySource>(rig.feed), built_in_rules(), rig.faults,
               rig.clock);
  const auto status = second.start();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::conflict);
}

TEST(Agent, WhenItsDiskTurnsReadOnlyItSaysSoAndGoesOn) {
  Rig rig;
  rig.config.heartbeat = milliseconds{50};
  if (!rig.scratch.mount_small("size=1m")) GTEST_SKIP() << "mounting a small file system needs root";
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  rig.agent->stop();
  rig.agent.reset();
  rig.io.restart();
  rig.io.poll();  // its last words; then its files are closed
  ASSERT_TRUE(rig.scratch.remount(MS_RDONLY));
  rig.start(server.url());
  rig.say(xid(95));
  ASSERT_TRUE(run_until(rig.io, [&] {
    const auto xids = good.of("DmesgXidError");  // the first perhaps twice: its acknowledgement could not be kept
    return !xids.empty() && xids.back().fault.code == "95" && !good.of("DetectorBroken").empty() &&
           !good.heartbeats.empty() && good.heartbeats.back().outbox == "memory";
  }));
  EXPECT_EQ(good.of("DetectorBroken")[0].fault.code, "outbox");
  ASSERT_TRUE(rig.scratch.remount(0));
  ASSERT_TRUE(run_until(rig.io, [&] {
    return good.of("DetectorBroken", FindingKind::clear).size() == 1 && good.heartbeats.back().outbox == "disk";
  }));
  rig.agent->stop();
}

// A tree as sysfs shows it, with `count` H100s of which the one with index `dead` reads as ones.
void put_gpus(const Scratch& scratch, int count, int dead = -1) {
  std::filesystem::remove_all(scratch / "sys");
  for (int i = 0; i < count; ++i) {
    const std::string base = fmt::format("sys/bus/pci/devices/0000:{:02x}:00.0/", 0x10 + i);
    scratch.write(base + "vendor", "0x10de\n");
    scratch.write(base + "device", "0x2330\n");
    scratch.write(base + "class", "0x030200\n");
    scratch.write(base + "config", i == dead ? "\xff\xff\xff\xff" : std::string("\xde\x10\x30\x23", 4));
  }
  scratch.write("sys/bus/pci/devices/0000:00:1f.0/vendor", "0x8086\n");
  scratch.write("sys/bus/pci/devices/0000:00:1f.0/class", "0x060100\n");
}

TEST(Agent, AGpuThatLeavesTheBusIsNamedAndItsReturnClears) {
  Rig rig;
  rig.config.watch_host = true;
  rig.config.sys = rig.scratch / "sys";
  rig.config.proc = rig.scratch / "proc";
  rig.config.heartbeat = milliseconds{50};
  put_gpus(rig.scratch, 8);
  GoodServer good;
  good.expected = {"8x10de:2330", 8};
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  ASSERT_TRUE(run_until(rig.io, [&] { return good.heartbeats.size() > 1; }));
  EXPECT_EQ(good.hellos[0].shape.name, "8x10de:2330");
  EXPECT_EQ(good.findings.size(), 0U);
  put_gpus(rig.scratch, 8, 3);
  ASSERT_TRUE(run_until(rig.io, [&] { return good.of("GpuMissing").size() == 1; }));
  EXPECT_NE(good.of("GpuMissing")[0].sentence.find("7 of 8 GPUs"), std::string::npos);
  EXPECT_NE(good.of("GpuMissing")[0].sentence.find("0000:13:00.0"), std::string::npos);
  EXPECT_EQ(good.of("GpuMissing")[0].action, Action::migrate);
  put_gpus(rig.scratch, 7);  // another one: known by its address, though nothing is left of it
  ASSERT_TRUE(run_until(rig.io, [&] { return good.of("GpuMissing").size() == 2; }));
  EXPECT_NE(good.of("GpuMissing")[1].sentence.find("0000:17:00.0"), std::string::npos);
  put_gpus(rig.scratch, 8);
  ASSERT_TRUE(run_until(rig.io, [&] { return good.of("GpuMissing", FindingKind::clear).size() == 1; }));
}

// The heartbeat is far away: only the line can have made it look.
TEST(Agent, AKernelLineThatSpeaksOfALostDeviceMakesItLookAtTheBus) {
  for (const std::string line :
       {"amdgpu 0000:13:00.0: amdgpu: device lost from bus!", "amdgpu 0000:13:00.0: amdgpu: GPU reset(4) failed",
        "habanalabs hl3: Device heartbeat failed!", "NVRM: Xid (PCI:0000:13:00): 79, GPU has fallen off the bus."}) {
    Rig rig;
    rig.config.watch_host = true;
    rig.config.sys = rig.scratch / "sys";
    rig.config.proc = rig.scratch / "proc";
    put_gpus(rig.scratch, 8);
    GoodServer good;
    good.expected = {"8x10de:2330", 8};
    FakeServer server(rig.io, std::ref(good));
    rig.start(server.url());
    ASSERT_TRUE(run_until(rig.io, [&] { return rig.agent->standing().connected; }));
    put_gpus(rig.scratch, 8, 3);
    rig.say(xid(31));  // a program's own mistake: no reason to look
    ASSERT_TRUE(rig.delivered());
    EXPECT_EQ(good.of("GpuMissing").size(), 0U);
    rig.say(line);
    ASSERT_TRUE(rig.delivered());
    EXPECT_EQ(good.of("GpuMissing").size(), 1U) << line;
    EXPECT_TRUE(good.heartbeats.empty());
  }
}

TEST(Agent, WithTheSwitchOnceItEndsWhenEverythingIsDelivered) {
  Rig rig;
  rig.config.once = true;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.config.server = server.url();
  rig.agent = std::make_unique<Agent>(rig.io, rig.config, rig.identity, std::make_unique<MemorySource>(rig.feed),
                                      built_in_rules(), rig.faults, rig.clock);
  bool done = false;
  rig.agent->on_done([&] { done = true, rig.agent->stop(); });
  ASSERT_TRUE(rig.agent->start());
  for (int i = 0; i < 3; ++i) rig.say(xid(119));
  rig.feed->end();
  ASSERT_TRUE(run_until(rig.io, [&] { return done; }));
  ASSERT_EQ(good.findings.size(), 2U);
  EXPECT_EQ(good.findings[0].count + good.findings[1].count, 3U);
}

TEST(Agent, ManyAgentsShareOneProcess) {
  log::set_level(log::Level::error);
  asio::io_context io(1);
  SystemClock clock;
  const FaultTable faults = rules::default_faults();
  std::map<std::string, std::uint64_t> hellos;
  std::size_t findings = 0;
  FakeServer server(io, [&](const FakeServer::Request& request) {
    if (request.target == "/v1/agent/hello") {
      const auto hello = from_json_text<wire::Hello>(request.body).value();
      return http(200, to_json_text(wire::HelloReply{hello.node, ++hellos[hello.node], "", 0, minutes{1}, {}}));
    }
    const auto batch = from_json_text<wire::Batch>(request.body).value();
    findings += batch.findings.size();
    return http(200, to_json_text(wire::BatchReply{batch.first_sequence + batch.findings.size() - 1}));
  });
  std::vector<std::unique_ptr<Agent>> agents;
  std::vector<std::shared_ptr<MemorySource::Feed>> feeds;
  for (int i = 0; i < 64; ++i) {
    Config config;
    config.server = server.url();
    config.node = fmt::format("gpu-{}", i);
    config.ticket = "ticket";
    config.watch_host = false;
    Identity identity;
    identity.boot_id = fmt::format("boot-{}", i);
    feeds.push_back(std::make_shared<MemorySource::Feed>());
    agents.push_back(std::make_unique<Agent>(io, config, identity, std::make_unique<MemorySource>(feeds.back()),
                                             built_in_rules(), faults, clock));
    ASSERT_TRUE(agents.back()->start());
  }
  for (auto& feed : feeds) feed->say(xid(119), seconds{1});
  ASSERT_TRUE(run_until(io, [&] { return findings == 64; }));
  agents.resize(32);  // some end without a word; the others go on
  for (auto& feed : feeds) feed->say(xid(95), seconds{2});
  ASSERT_TRUE(run_until(io, [&] { return findings == 96; }));
  EXPECT_EQ(hellos.size(), 64U);
  log::set_level(log::Level::info);
}

}  // namespace
}  // namespace sickbay::agent
