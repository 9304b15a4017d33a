// Whole commands against the real API, in this process: what a person sees of what the server really says. Its cluster
// has three nodes, of which gpu-n1 is ill and waits for an approval.
#include <gtest/gtest.h>

#include "model/policy.hpp"
#include "resources/remediation.hpp"
#include "resources/summary.hpp"
#include "resources/why.hpp"
#include "store/clusters.hpp"
#include "store/events.hpp"
#include "tests/unit/api/api_fixture.hpp"
#include "tests/unit/cli/console.hpp"

namespace sickbay::cli {
namespace {

class Commands : public api::ApiTest {
 protected:
  int run(std::vector<std::string> arguments) {
    console_.environment["SICKBAY_SERVER"] = "in-process";
    console_.environment["SICKBAY_TOKEN"] = admin_;
    return console_.run(std::move(arguments), clock_, [this](const Settings& settings) {
      return Result<std::unique_ptr<Transport>>(std::make_unique<InProcess>(*api_, settings.token));
    });
  }
  std::string out() const { return console_.out.str(); }
  std::string err() const { return console_.err.str(); }
  // What the command printed with --json, as T.
  template <class T>
  T printed() const {
    const auto value = from_json_text<T>(out(), Reading::strict);
    EXPECT_TRUE(value) << out() << err();
    return value.value_or(T{});
  }

  void publish(const std::string& id, const std::string& message) {
    write([&](store::Tx& tx) {
      Event event;
      event.id = id;
      event.at = clock_.now();
      event.cluster = "clu-1";
      event.node = "n2";
      event.node_name = "gpu-n2";
      event.kind = EventKind::cluster;
      event.message = message;
      store::add_event(tx, event);
      store::publish_events(tx, {id});
    });
  }

  Console console_;
};

TEST_F(Commands, StatusSaysHowTheClusterIs) {
  EXPECT_EQ(run({"status"}), 0) << err();
  EXPECT_EQ(out(),
            "1 of 3 nodes are not healthy\n"
            "cluster       demo\n"
            "nodes         2 healthy, 1 unhealthy\n"
            "hosts         3 in-use\n"
            "alerts        1 firing, 0 pending\n"
            "open repairs  1 PENDING_APPROVAL\n"
            "breaker       closed\n"
            "policy        version 1\n");
}

TEST_F(Commands, StatusSaysFirstWhatCannotBeSeenAndDoesNotCallItHealthy) {
  write([&](store::Tx& tx) {
    Alert alert = *store::get_alert(tx, "alert-1");
    alert.state = AlertState::resolved;
    alert.resolved_at = clock_.now();
    store::put_alert(tx, alert);
    store::Adapter slurm = adapter("slurm", "scheduler");
    slurm.listed_at.reset();
    store::put_adapter(tx, slurm);
    Node node = *store::get_node(tx, "n1");
    node.schedulers = {"slurm"};
    store::put_node(tx, node);
  });
  lose_able("connection refused\nsickbay: all is well\r\x1b[2J");
  EXPECT_EQ(run({"status"}), 0) << err();
  EXPECT_TRUE(out().starts_with(
      "able of cluster demo cannot be reached since 2027-01-15 07:58:00: connection refused sickbay: all is "
      "well[2J; what it says of its hosts is as of 2027-01-15 07:57:00\n"
      "slurm of cluster demo has not answered yet; nothing it says of its nodes is known\n"
      "No node is known to be unhealthy, but not all can be seen: able, slurm do not answer\n"))
      << out();
  EXPECT_NE(out().find("nodes         3 healthy, as far as is known\n"), std::string::npos) << out();
  EXPECT_EQ(out().find("are healthy"), std::string::npos) << out();
  EXPECT_EQ(run({"status", "--json"}), 0) << err();
  const auto summary = printed<resources::Summary>();
  ASSERT_EQ(summary.unreachable.size(), 2U);
  EXPECT_EQ(summary.unreachable[0].adapter, "able");
}

TEST_F(Commands, ALongErrorDoesNotFillTheScreen) {
  lose_able(std::string(20'000, 'x'));
  EXPECT_EQ(run({"status"}), 0) << err();
  EXPECT_LT(out().size(), 1000U);
}

TEST_F(Commands, ClustersSayWhatOfThemCannotBeSeen) {
  lose_able("timed out");
  EXPECT_EQ(run({"clusters"}), 0) << err();
  EXPECT_EQ(out(),
            "NAME  TYPE        STATUS  NODES  UNREACHABLE  ID\n"
            "demo  KUBERNETES  Ready   3      able         clu-1\n");
}

TEST_F(Commands, WatchSaysWhatCannotBeSeen) {
  lose_able("timed out");
  publish("e1", "hello");
  console_.person = true;
  console_.pause = [&](Duration) {  // the first view is drawn
    publish("e2", "news");
    console_.out.setstate(std::ios::failbit);  // the reader went away
  };
  EXPECT_EQ(run({"--no-color", "watch"}), 0) << err();
  EXPECT_NE(out().find("able of cluster demo cannot be reached since 2027-01-15 07:58:00: timed out; "),
            std::string::npos)
      << out();
}

TEST_F(Commands, NodesSayWhatIsWrongWithThem) {
  EXPECT_EQ(run({"nodes", "--unhealthy"}), 0) << err();
  EXPECT_EQ(out(),
            "NODE    POOL   STATE      HOST     GPUS  REPAIR  WHY\n"
            "gpu-n1  train  unhealthy  host-n1  8     rep-1   GPU 0000:05:00.0: GSP RPC timeout (Xid 119)\n");
  EXPECT_EQ(run({"nodes", "list", "--unhealthy", "--json"}), 0) << err();
  EXPECT_EQ(parse_json(out())->at("nodes").as_array().size(), 1U);
  EXPECT_EQ(run({"nodes", "show", "gpu-n1"}), 0) << err();
  EXPECT_NE(out().find("auto repair  yes\n"), std::string::npos) << out();
  EXPECT_EQ(run({"nodes", "show", "gpu-n9"}), 1);
  EXPECT_EQ(err(), "sickbay: there is no node gpu-n9 in the cluster demo\n");
}

TEST_F(Commands, WhySaysTheSameSentencesAsTheServer) {
  EXPECT_EQ(run({"nodes", "why", "gpu-n1"}), 0) << err();
  const std::string node = out();
  EXPECT_EQ(run({"nodes", "why", "gpu-n1", "--json"}), 0) << err();
  std::string sentences;
  const auto why = printed<resources::Why>();
  for (const std::string& sentence : why.why) sentences += sentence + "\n";
  EXPECT_FALSE(sentences.empty());
  EXPECT_EQ(node, sentences);
  EXPECT_EQ(run({"repairs", "why", "rep-1"}), 0) << err();
  EXPECT_FALSE(out().empty());
}

TEST_F(Commands, RepairsAreATableForPeopleAndADocumentForPrograms) {
  EXPECT_EQ(run({"repairs"}), 0) << err();
  EXPECT_EQ(out(),
            "ID     NODE    ACTION  STATE             AGE  WHAT\n"
            "rep-1  gpu-n1  reboot  PENDING_APPROVAL  now  Xid 119\n");
  EXPECT_EQ(run({"repairs", "list", "--action", "migrate", "--open"}), 0) << err();
  EXPECT_EQ(out(), "no repairs\n");
  EXPECT_EQ(run({"repairs", "list", "--trigger", "automated", "--node", "gpu-n1", "--json"}), 0) << err();
  EXPECT_EQ(parse_json(out())->at("remediations").as_array().size(), 1U);
  EXPECT_EQ(run({"repairs", "show", "rep-1", "--json"}), 0) << err();
  EXPECT_EQ(printed<resources::Remediation>().sickbay.revision, 1U);
  EXPECT_EQ(run({"repairs", "show", "rep-1"}), 0) << err();
  EXPECT_NE(out().find("DmesgXidError/119  GPU 0000:05:00.0: GSP RPC timeout (Xid 119)\n"), std::string::npos) << out();
}

TEST_F(Commands, AnApprovalRuns) {
  EXPECT_EQ(run({"repairs", "approve", "rep-1", "--action", "migrate", "--comment", "third time"}), 0) << err();
  EXPECT_EQ(out(), "rep-1  gpu-n1  migrate  PENDING\n");
  const Repair approved = repair();
  EXPECT_EQ(approved.action, Action::migrate);
  EXPECT_EQ(approved.review->comment, "third time");
}

TEST_F(Commands, ADryRunChangesNothingAndSaysWhatIsLost) {
  EXPECT_EQ(run({"repairs", "approve", "rep-1", "--action", "reprovision", "--dry-run"}), 0) << err();
  EXPECT_NE(out().find("reprovision gpu-n1"), std::string::npos) << out();
  EXPECT_NE(out().find("LOST"), std::string::npos) << out();
  EXPECT_EQ(run({"repairs", "create", "gpu-n3", "reboot", "-n", "--override-evidence", "--reason", "x"}), 0) << err();
  EXPECT_NE(out().find("would reboot gpu-n3"), std::string::npos) << out();
  EXPECT_EQ(repair().state, RepairState::PENDING_APPROVAL);
}

TEST_F(Commands, APersonWhoSaysNoIsObeyed) {
  console_.person = true;
  console_.in.str("n\n");
  EXPECT_EQ(run({"repairs", "approve", "rep-1"}), 1);
  EXPECT_NE(err().find("nothing was done"), std::string::npos) << err();
  EXPECT_EQ(repair().state, RepairState::PENDING_APPROVAL);
}

TEST_F(Commands, CreateTwiceWithOneIdIsOneRepair) {
  const std::vector<std::string> create = {"repairs",  "create", "gpu-n3",       "reboot", "--override-evidence",
                                           "--reason", "odd",    "--request-id", "r7",     "--json"};
  EXPECT_EQ(run(create), 0) << err();
  const auto first = printed<resources::Remediation>();
  EXPECT_EQ(run(create), 0) << err();
  EXPECT_EQ(printed<resources::Remediation>().id, first.id);
}

TEST_F(Commands, AlertsAndHostsAreShown) {
  EXPECT_EQ(run({"alerts"}), 0) << err();
  EXPECT_NE(out().find("alert-1  gpu-n1  DmesgXidError/119  critical  firing  3      now"), std::string::npos) << out();
  EXPECT_EQ(run({"alerts", "show", "alert"}), 0) << err();
  EXPECT_NE(out().find("  mnemonic: GSP_RPC_TIMEOUT\n"), std::string::npos) << out();
  EXPECT_EQ(run({"alerts", "--state", "resolved"}), 0) << err();
  EXPECT_TRUE(out().starts_with("no alerts")) << out();
  EXPECT_EQ(run({"hosts"}), 0) << err();
  EXPECT_NE(out().find("host-n2  in-use  gpu-n2  8x10de:2330"), std::string::npos) << out();
}

TEST_F(Commands, APolicyIsReadAsItIsPut) {
  EXPECT_EQ(run({"policy"}), 0) << err();
  EXPECT_EQ(err(), "the default, never changed\n");
  const auto policy = parse_json(out());
  ASSERT_TRUE(policy) << out();
  EXPECT_TRUE(from_json<Policy>(*policy, Reading::strict));
  console_.in.str("confirmation: automatic\n");
  EXPECT_EQ(run({"policy", "put", "-", "--comment", "trust"}), 0) << err();
  EXPECT_EQ(out(), "the policy is version 2 now\n");
  console_.in = std::istringstream("wait: {at_most: 25h}\n");
  EXPECT_EQ(run({"policy", "check", "-"}), 1);
  EXPECT_NE(out().find("error: "), std::string::npos) << out();
}

TEST_F(Commands, TheBreakerIsShownAndReset) {
  write([&](store::Tx& tx) {
    Cluster cluster = *store::get_cluster(tx, "clu-1");
    cluster.breaker.open = true;
    cluster.breaker.why = "14 of 64 nodes turned unhealthy within 5 minutes";
    store::put_cluster(tx, cluster);
  });
  EXPECT_EQ(run({"breaker"}), 0) << err();
  EXPECT_TRUE(out().starts_with("breaker  OPEN\n")) << out();
  EXPECT_EQ(run({"breaker", "reset", "--reason", "power is back"}), 0) << err();
  EXPECT_TRUE(out().starts_with("breaker           closed\n")) << out();
}

TEST_F(Commands, TokensAreMadeListedAndRevoked) {
  EXPECT_EQ(run({"tokens", "create", "ci", "--role", "operator", "--expires", "90d"}), 0) << err();
  std::string secret = out();
  secret.pop_back();
  EXPECT_EQ(call_as(secret, "GET", "/v1/session").status, 200);
  EXPECT_EQ(run({"tokens", "create", "ci", "--expires", "soon"}), 1);
  EXPECT_EQ(run({"tokens"}), 0) << err();
  EXPECT_NE(out().find("operator"), std::string::npos) << out();
  EXPECT_EQ(run({"tickets", "create", "gpu-n2"}), 0) << err();
  EXPECT_FALSE(out().empty());
}

TEST_F(Commands, ClustersAndRestoreAreShown) {
  EXPECT_EQ(run({"clusters"}), 0) << err();
  EXPECT_NE(out().find("demo  KUBERNETES  Ready   3      -            clu-1"), std::string::npos) << out();
  EXPECT_EQ(run({"restore"}), 0) << err();
  EXPECT_NE(out().find("repairs are started and sent"), std::string::npos) << out();
}

TEST_F(Commands, EventsAreListedAndFollowed) {
  publish("e1", "hello");
  EXPECT_EQ(run({"events", "--node", "gpu-n2"}), 0) << err();
  EXPECT_NE(out().find("gpu-n2     cluster            hello\n"), std::string::npos) << out();
  int looks = 0;
  console_.pause = [&](Duration) {  // the stream gave what there was
    ++looks;
    publish("f" + std::to_string(looks), "news " + std::to_string(looks));
    if (looks == 3) console_.out.setstate(std::ios::failbit);  // the reader went away
  };
  EXPECT_EQ(run({"events", "--follow"}), 0) << err();
  EXPECT_NE(out().find("hello\n"), std::string::npos) << out();
  EXPECT_NE(out().find("news 1\n"), std::string::npos) << out();
  EXPECT_NE(out().find("news 2\n"), std::string::npos) << out();
}

TEST_F(Commands, AViewerIsToldThatTheyMayNot) {
  admin_ = token_of(Role::viewer);
  EXPECT_EQ(run({"repairs", "approve", "rep-1"}), 1);
  EXPECT_TRUE(err().starts_with("sickbay: ")) << err();
  EXPECT_EQ(repair().state, RepairState::PENDING_APPROVAL);
}

}  // namespace
}  // namespace sickbay::cli
