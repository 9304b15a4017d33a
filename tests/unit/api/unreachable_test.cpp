// Unknown is not healthy: what the API says of a cluster some of whose adapters do not answer, and of looks that lists
// have confirmed since.
#include <gtest/gtest.h>

#include "store/observations.hpp"
#include "store/sync.hpp"
#include "store/work.hpp"
#include "tests/unit/api/api_fixture.hpp"

namespace sickbay::api {
namespace {

class Unreachable : public ApiTest {
 protected:
  json::object summary() { return body_of(call("GET", cluster_path + "/summary")); }
  static json::array unreachable_of(const json::object& resource) {
    const json::value* list = resource.if_contains("unreachable");
    return list && list->is_array() ? list->get_array() : json::array{};
  }
  static std::vector<std::string> names_of(const json::object& resource) {
    std::vector<std::string> names;
    for (const json::value& one : unreachable_of(resource)) names.push_back(text(one.as_object(), "adapter"));
    return names;
  }
  void put(const store::Adapter& adapter) {
    write([&](store::Tx& tx) { store::put_adapter(tx, adapter); });
  }
  void schedule_by(const std::string& scheduler) {
    write([&](store::Tx& tx) {
      Node node = *store::get_node(tx, "n1");
      node.schedulers = {scheduler};
      store::put_node(tx, node);
    });
  }
  void configure(const std::vector<std::string>& schedulers, const std::string& provider) {
    config::ClusterConfig demo{.name = "demo"};
    for (const std::string& name : schedulers) demo.schedulers.emplace_back().name = name;
    demo.provider.name = provider;
    configured_ = {demo};
  }
  json::object first_look() {
    return body_of(call("GET", cluster_path + "/nodes/gpu-n1")).at("schedulers").as_array().at(0).as_object();
  }
};

using Names = std::vector<std::string>;

TEST_F(Unreachable, ClusterSummaryAndNodeSaySinceWhenAnAdapterCannotBeReachedAndWhy) {
  lose_able("timed out");
  for (const std::string& path : {cluster_path, cluster_path + "/summary", cluster_path + "/nodes/gpu-n1"}) {
    const json::array list = unreachable_of(body_of(call("GET", path)));
    ASSERT_EQ(list.size(), 1u) << path;
    const json::object& able = list[0].as_object();
    EXPECT_EQ(text(able, "adapter"), "able");
    EXPECT_EQ(text(able, "role"), "provider");
    EXPECT_EQ(text(able, "since"), format_time(clock_.now() - minutes{2}));
    EXPECT_EQ(text(able, "because"), "timed out");
    EXPECT_EQ(text(able, "listed_at"), format_time(clock_.now() - minutes{3}));
  }
  EXPECT_NE(call("GET", "/metrics").body.find("sickbay_adapter_unreachable{cluster=\"demo\",adapter=\"able\"} 1"),
            std::string::npos);
}

TEST_F(Unreachable, ATurnThatFailsAgainAndAgainIsNamedInTheSummary) {
  write([&](store::Tx& tx) {
    store::wake(tx, WorkKind::node, "n1", clock_.now());
    for (int i = 0; i < 5; ++i) store::finish_failed(tx, WorkKind::node, "n1", clock_.now(), "its row cannot be read");
  });
  const json::object seen = summary();
  EXPECT_EQ(text(seen, "headline"), "node gpu-n1 cannot be decided about: its row cannot be read");
  ASSERT_EQ(seen.at("failing_turns").as_array().size(), 1u);
  EXPECT_EQ(text(seen.at("failing_turns").as_array()[0].as_object(), "node_name"), "gpu-n1");
  EXPECT_NE(call("GET", "/metrics").body.find("sickbay_failing_turns{cluster=\"demo\"} 1"), std::string::npos);
}

TEST_F(Unreachable, ASummaryDoesNotCallHealthyWhatItCannotSee) {
  EXPECT_EQ(text(summary(), "headline"), "1 of 3 nodes are not healthy");
  lose_able("timed out");
  EXPECT_EQ(text(summary(), "headline"), "1 of 3 nodes are not healthy, and not all can be seen: able does not answer");
  write([&](store::Tx& tx) {
    Alert alert = *store::get_alert(tx, "alert-1");
    alert.state = AlertState::resolved;
    alert.resolved_at = clock_.now();
    store::put_alert(tx, alert);
  });
  EXPECT_EQ(text(summary(), "headline"),
            "No node is known to be unhealthy, but not all can be seen: able does not answer");
  put(adapter("able", "provider"));
  EXPECT_EQ(text(summary(), "headline"), "All 3 nodes are healthy");
}

TEST_F(Unreachable, AClusterWithoutNodesIsNotPraisedForThem) {
  configured_ = {{.name = "empty"}};
  ASSERT_EQ(call("POST", "/v1/compute/clusters", R"({"cluster_name":"empty","num_gpus":0})").status, 200);
  EXPECT_EQ(text(body_of(call("GET", "/v1/compute/clusters/empty/summary")), "headline"), "There are no nodes yet");
}

TEST_F(Unreachable, AnAdapterThatHasNeverAnsweredIsNotFine) {
  configure({"slurm"}, "able");
  put(adapter("able", "provider"));
  EXPECT_EQ(names_of(summary()), Names{"slurm"});  // no row of it yet
  const json::object never = unreachable_of(summary()).at(0).as_object();
  EXPECT_FALSE(never.contains("since"));
  EXPECT_FALSE(never.contains("listed_at"));
  EXPECT_EQ(text(never, "role"), "scheduler");
  EXPECT_EQ(text(never, "because"), "it has not answered yet");
  store::Adapter slurm = adapter("slurm", "scheduler");
  slurm.listed_at.reset();
  put(slurm);
  EXPECT_EQ(names_of(summary()), Names{"slurm"});
  slurm.listed_at = clock_.now();
  put(slurm);
  EXPECT_EQ(names_of(summary()), Names{});
}

TEST_F(Unreachable, AnAdapterTakenOutOfTheConfigurationIsNamedWhileNodesHaveIt) {
  configure({}, "able");
  put(adapter("able", "provider"));
  put(adapter("slurm", "scheduler"));
  schedule_by("slurm");
  EXPECT_EQ(names_of(summary()), Names{});  // another server may have it: it lists it
  clock_.advance(minutes{10});
  put(adapter("able", "provider"));
  EXPECT_EQ(names_of(summary()), Names{"slurm"});
  EXPECT_EQ(text(unreachable_of(summary()).at(0).as_object(), "because"), "it is not configured on this server");
  schedule_by("other");
  EXPECT_EQ(names_of(summary()), Names{});  // nothing hangs on it
}

TEST_F(Unreachable, AnAdapterWhoseListsBringNothingNewIsNotFine) {
  configure({}, "able");
  put(adapter("able", "provider"));
  clock_.advance(minutes{6});
  EXPECT_EQ(names_of(summary()), Names{"able"});
  const json::object silent = unreachable_of(summary()).at(0).as_object();
  EXPECT_EQ(text(silent, "because"), "it has given no complete list since");
  EXPECT_EQ(text(silent, "since"), text(silent, "listed_at"));
}

TEST_F(Unreachable, AnAdapterThatWasRenamedIsForgottenHoweverItEnded) {
  lose_able("timed out");
  configure({}, "better");
  put(adapter("better", "provider"));
  EXPECT_EQ(names_of(summary()), Names{"able"});  // its nodes still say so
  write([&](store::Tx& tx) {
    for (Node node : store::list_nodes(tx, "clu-1")) {
      node.provider = "better";
      store::put_node(tx, node);
    }
  });
  EXPECT_EQ(names_of(summary()), Names{});
}

TEST_F(Unreachable, ANodeNamesOnlyItsOwnAdapters) {
  configure({"slurm"}, "able");
  put(adapter("able", "provider"));
  store::Adapter slurm = adapter("slurm", "scheduler");
  slurm.unreachable_since = clock_.now();
  put(slurm);
  schedule_by("slurm");
  EXPECT_EQ(names_of(body_of(call("GET", cluster_path + "/nodes/gpu-n1"))), Names{"slurm"});
  EXPECT_EQ(names_of(body_of(call("GET", cluster_path + "/nodes/gpu-n2"))), Names{});
  EXPECT_EQ(names_of(body_of(call("GET", cluster_path))), Names{"slurm"});
}

TEST_F(Unreachable, ALookWasSeenWhenAListLastConfirmedIt) {
  const Time seen = clock_.now();
  write([&](store::Tx& tx) {
    Observation look;
    look.node = "n1", look.scheduler = "slurm", look.name = "gpu-n1", look.ready = true, look.seen_at = seen;
    store::put_observation(tx, look);
    store::put_adapter(tx, adapter("slurm", "scheduler"));
  });
  clock_.advance(minutes{7});
  put(adapter("slurm", "scheduler"));
  EXPECT_EQ(text(first_look(), "seen_at"), format_time(seen));  // the list said something else
  write([&](store::Tx& tx) { store::set_listed(tx, "slurm", {{"n1", "digest"}}); });
  EXPECT_EQ(text(first_look(), "seen_at"), format_time(clock_.now()));
  EXPECT_EQ(text(first_look(), "name"), "gpu-n1");
  EXPECT_FALSE(first_look().contains("age"));  // of the adapter's view, accounted for in seen_at
  write([&](store::Tx& tx) {  // a list does not say whether a node is idle, which is what a repair waits for
    Repair worked_on = *store::get_repair(tx, "rep-1");
    worked_on.state = RepairState::QUARANTINING;
    worked_on.admitted_at = clock_.now();
    store::put_repair(tx, worked_on);
  });
  EXPECT_EQ(text(first_look(), "seen_at"), format_time(seen));
}

}  // namespace
}  // namespace sickbay::api
