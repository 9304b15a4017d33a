// What a hello makes of a node: nothing by itself, and in the node's own turn a new boot that is recorded, ours or not.
#include <fmt/core.h>

#include "store/events.hpp"
#include "store/sessions.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

namespace sickbay::engine::testing {
namespace {

class Sessions : public EngineTest {
 protected:
  Sessions() {
    script_.nodes = nodes(1);
    add_cluster("c1", script_);
    turn_all();
  }
  wire::HelloReply hello(const std::string& boot, std::uint32_t gpus = 8) {
    Token credential;
    credential.purpose = TokenPurpose::agent;
    credential.cluster = "c1";
    credential.node = node("c1", "gpu-0").id;
    wire::Hello hello;
    hello.cluster = "c1", hello.node = "gpu-0";
    hello.machine_id = "machine-1", hello.boot_id = boot, hello.stream = "stream-of-" + boot, hello.host = "host-1";
    hello.boot_started_at = clock_.now();
    hello.shape = {"h100x8", gpus};
    const auto reply = engine_->intake().hello(hello, credential);
    EXPECT_TRUE(reply) << reply.error().message;
    return reply.value_or(wire::HelloReply{});
  }
  std::vector<std::string> boots() {
    const auto events = read([&](store::Tx& tx) {
      return store::list_events(tx, {"c1", {}, {}, std::string(name_of(EventKind::node_booted))}, {}).items;
    });
    std::vector<std::string> messages;
    for (const Event& event : events) messages.push_back(event.message);
    return messages;
  }
  Script script_;
};

TEST_F(Sessions, ABootBeganWhenTheDatabaseSaysSoWhateverTheNodesClockShows) {
  const auto began = [&](Duration up) {
    Token credential;
    credential.purpose = TokenPurpose::agent;
    credential.cluster = "c1";
    credential.node = node("c1", "gpu-0").id;
    wire::Hello hello;
    hello.cluster = "c1", hello.node = "gpu-0";
    hello.machine_id = "machine-1", hello.boot_id = "boot-1", hello.stream = "stream";
    hello.boot_started_at = clock_.now() - hours{9};
    hello.up = up;
    EXPECT_TRUE(engine_->intake().hello(hello, credential));
    return clock_.now() -
           read([&](store::Tx& tx) { return store::newest_session(tx, credential.node)->boot_started_at; });
  };
  EXPECT_EQ(began(minutes{3}), minutes{3});
  EXPECT_EQ(began({}), hours{9}) << "an older agent has only its own clock";
  EXPECT_EQ(began(-minutes{3}), hours{9});
  EXPECT_EQ(began(Duration::max()), hours{9}) << "nobody's boot is older than time";
}

TEST_F(Sessions, AThousandFindingsAreFoldedWithoutWaitingForTheNextWake) {
  const auto reply = hello("boot-1");
  turn_all();
  wire::Batch batch;
  batch.epoch = reply.epoch, batch.stream = "stream-of-boot-1";
  for (int i = 0; i < 1200; ++i) {
    Finding finding;
    finding.id = "finding-" + std::to_string(i);
    finding.boot_id = "boot-1";
    finding.fault = {"KernelOops", ""};
    finding.device = "host";
    batch.findings.push_back(finding);
  }
  Token credential;
  credential.purpose = TokenPurpose::agent;
  credential.cluster = "c1";
  credential.node = node("c1", "gpu-0").id;
  std::size_t sent = 0;
  while (sent < batch.findings.size()) {
    wire::Batch part = batch;
    part.first_sequence = sent + 1;
    part.findings.assign(batch.findings.begin() + static_cast<std::ptrdiff_t>(sent),
                         batch.findings.begin() + static_cast<std::ptrdiff_t>(std::min(sent + 100, std::size_t{1200})));
    const auto taken = engine_->intake().findings(credential.node, part);
    ASSERT_TRUE(taken) << taken.error().message;
    sent += part.findings.size();
  }
  turn_all();
  EXPECT_TRUE(read([&](store::Tx& tx) { return store::unfolded_findings(tx, credential.node, 10); }).empty());
}

TEST_F(Sessions, AHelloOpensASessionAndLeavesTheNodeToItsTurn) {
  const auto reply = hello("boot-1");
  EXPECT_EQ(reply.expected.gpus, 8U);
  EXPECT_EQ(node("c1", "gpu-0").epoch, 0U);
  turn_all();
  const Node joined = node("c1", "gpu-0");
  EXPECT_EQ(joined.epoch, reply.epoch);
  EXPECT_EQ(joined.boot_id, "boot-1");
  EXPECT_EQ(joined.machine_id, "machine-1");
  EXPECT_EQ(joined.host, "host-1");
  EXPECT_EQ(joined.shape.gpus, 8U);
  EXPECT_TRUE(boots().empty()) << "the first boot is no new one";
  EXPECT_EQ(hello("boot-1", 7).expected.gpus, 8U) << "the shape is pinned";
}

TEST_F(Sessions, ABootThatNobodyAskedForIsRecordedAsNotOurs) {
  hello("boot-1");
  turn_all();
  pass(minutes{5});
  hello("boot-2");
  turn_all();
  EXPECT_EQ(boots(), std::vector<std::string>{"gpu-0 runs a new boot, not by us"});
  hello("boot-2");  // the agent alone started again
  turn_all();
  EXPECT_EQ(boots().size(), 1U);
}

TEST_F(Sessions, ABootAfterARepairsActIsRecordedAsOurs) {
  hello("boot-1");
  turn_all();
  admit("c1", "gpu-0");
  Repair acted = repair("c1", "gpu-0");
  write([&](store::Tx& tx) {
    acted.state = RepairState::RUNNING;
    acted.step = RepairStep::verify;
    acted.acted_at = clock_.now();
    acted.boot_before = "boot-1";
    store::wake(tx, WorkKind::node, acted.node, clock_.now());
    store::put_repair(tx, acted);
  });
  clock_.advance(minutes{5});
  hello("boot-2");
  turn_all();
  EXPECT_EQ(boots(), std::vector<std::string>{"gpu-0 runs a new boot, by our repair"});
}

TEST_F(Sessions, AnOldAgentThatSpeaksOnBeforeTheTurnConflictsWithTheNewestSession) {
  const auto old = hello("boot-1");
  turn_all();
  const auto newer = hello("boot-2");
  wire::Heartbeat heartbeat;
  heartbeat.epoch = old.epoch, heartbeat.boot_id = "boot-1", heartbeat.stream = "stream-of-boot-1";
  EXPECT_FALSE(engine_->intake().heartbeat(node("c1", "gpu-0").id, heartbeat));
  EXPECT_EQ(node("c1", "gpu-0").identity_conflict,
            fmt::format("two agents speak for this node: boot boot-2 (session {}) and boot boot-1 (session {})",
                        newer.epoch, old.epoch));
  turn_all();
  EXPECT_TRUE(node("c1", "gpu-0").identity_conflict);
  pass(minutes{10});
  EXPECT_FALSE(node("c1", "gpu-0").identity_conflict) << "over by itself, without anything else to wake the node";
}

}  // namespace
}  // namespace sickbay::engine::testing
