// The sync of a cluster writes what differs and nothing else, and what it confirms counts as seen.
#include "engine/facts.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

namespace sickbay::engine::testing {
namespace {

class Sync : public EngineTest {
 protected:
  // Lists once and makes nothing else; how many transactions that wrote.
  int commits_of_a_list() {
    const int before = commits_;
    EXPECT_TRUE(engine_->turn(WorkKind::sync, "c1"));
    while (engine_->make_call()) {
    }
    return commits_ - before;
  }
  Observation seen(const std::string& name) {
    const Node of = node("c1", name);
    const auto facts =
        read([&](store::Tx& tx) { return load_node_facts(tx, of.id, store::now(tx), {faults_, {}, {}}); });
    return facts->observed.at(0);
  }
  Script script_;
};

TEST_F(Sync, AListInWhichNothingChangedWritesNoNode) {
  script_.nodes = nodes(2000);
  add_cluster("c1", script_);
  EXPECT_GE(commits_of_a_list(), 10);  // adopted, in batches
  clock_.advance(seconds{30});
  EXPECT_EQ(commits_of_a_list(), 2);  // the turn's end, and when the adapter was listed
}

TEST_F(Sync, OneNodeThatChangedIsOneTransactionMore) {
  script_.nodes = nodes(2000);
  add_cluster("c1", script_);
  commits_of_a_list();
  clock_.advance(seconds{30});
  script_.nodes[7].ready = false;
  EXPECT_EQ(commits_of_a_list(), 3);
  EXPECT_FALSE(seen("gpu-7").ready);
  EXPECT_TRUE(seen("gpu-8").ready);
}

TEST_F(Sync, WhatAnUnchangedListConfirmsWasSeenWhenTheListWas) {
  script_.nodes = nodes(2);
  script_.nodes[0].ready = false;
  add_cluster("c1", script_);
  commits_of_a_list();
  clock_.advance(minutes{10});
  EXPECT_FALSE(decide::is_fresh(seen("gpu-0"), clock_.now()));
  commits_of_a_list();
  EXPECT_EQ(seen("gpu-0").seen_at, clock_.now());
  EXPECT_TRUE(decide::is_fresh(seen("gpu-0"), clock_.now()));
}

TEST_F(Sync, ANodeThatIsNotReadyBecomesAnAlertHoweverLateItsTurn) {
  script_.nodes = nodes(2);
  script_.nodes[0].ready = false;
  add_cluster("c1", script_);
  commits_of_a_list();
  for (int i = 0; i < 10; ++i) {  // a backlog: no node is turned for five minutes
    clock_.advance(seconds{30});
    commits_of_a_list();
  }
  const std::string id = node("c1", "gpu-0").id;
  ASSERT_TRUE(engine_->turn(WorkKind::node, id));
  const auto alerts = read([&](store::Tx& tx) { return store::open_alerts_of_node(tx, id); });
  ASSERT_EQ(alerts.size(), 1u);
  EXPECT_EQ(alerts[0].fault.name, "KubeNodeNotReady");
}

TEST_F(Sync, AReadyThatNoListConfirmsProvesNothing) {
  script_.nodes = nodes(1);
  add_cluster("c1", script_);
  commits_of_a_list();
  script_.error = "connection refused";
  clock_.advance(minutes{2});
  commits_of_a_list();
  EXPECT_FALSE(decide::is_fresh(seen("gpu-0"), clock_.now()));
}

TEST_F(Sync, AListDoesNotMakeTheIdlenessOfANodeUnderRepairFresh) {
  script_.nodes = nodes(1);
  add_cluster("c1", script_);
  commits_of_a_list();
  admit("c1", "gpu-0");
  clock_.advance(minutes{2});
  commits_of_a_list();
  EXPECT_FALSE(decide::is_fresh(seen("gpu-0"), clock_.now()));
}

TEST_F(Sync, LabelsAndPoolFollowTheList) {
  script_.nodes = nodes(1);
  add_cluster("c1", script_);
  commits_of_a_list();
  script_.nodes[0].labels["tier"] = "gold";
  script_.nodes[0].pool = "vip";
  clock_.advance(seconds{30});
  commits_of_a_list();
  EXPECT_EQ(node("c1", "gpu-0").labels.at("tier"), "gold");
  EXPECT_EQ(node("c1", "gpu-0").pool, "vip");
}

TEST_F(Sync, ANodeIsGoneAfterTwoCompleteListsWithoutItAndThenWritesNoMore) {
  script_.nodes = nodes(10);
  add_cluster("c1", script_);
  commits_of_a_list();
  script_.nodes.pop_back();
  for (int i = 0; i < 2; ++i) {
    clock_.advance(seconds{30});
    EXPECT_EQ(commits_of_a_list(), 3);
  }
  EXPECT_FALSE(seen("gpu-9").exists);
  EXPECT_EQ(seen("gpu-9").gone_looks, 2u);
  clock_.advance(seconds{30});
  EXPECT_EQ(commits_of_a_list(), 2);
  EXPECT_TRUE(decide::is_fresh(seen("gpu-9"), clock_.now()));
}

TEST_F(Sync, ManyNodesGoneAtOnceAreNotBelievedNorConfirmed) {
  script_.nodes = nodes(10);
  add_cluster("c1", script_);
  commits_of_a_list();
  script_.nodes.resize(2);
  clock_.advance(minutes{2});
  commits_of_a_list();
  EXPECT_TRUE(seen("gpu-9").exists);
  EXPECT_FALSE(decide::is_fresh(seen("gpu-9"), clock_.now()));
  EXPECT_TRUE(decide::is_fresh(seen("gpu-0"), clock_.now()));
  clock_.advance(seconds{30});
  EXPECT_EQ(commits_of_a_list(), 2);
}

// A scale-in, in the end.
TEST_F(Sync, ManyNodesGoneAreBelievedWhenListsHaveSaidSoForHalfAnHour) {
  script_.nodes = nodes(10);
  add_cluster("c1", script_);
  commits_of_a_list();
  clock_.advance(hours{24 * 3});  // seen long ago, and confirmed by every list since
  commits_of_a_list();
  script_.nodes.resize(5);
  for (int i = 0; i < 50; ++i) {
    clock_.advance(seconds{30});
    commits_of_a_list();
  }
  EXPECT_TRUE(seen("gpu-9").exists) << "25 minutes";
  for (int i = 0; i < 14; ++i) {
    clock_.advance(seconds{30});
    commits_of_a_list();
  }
  EXPECT_FALSE(seen("gpu-9").exists);
  EXPECT_GE(seen("gpu-9").gone_looks, 2U);
  EXPECT_TRUE(seen("gpu-0").exists);
}

TEST_F(Sync, OneOldViewInAListHoldsUpNoOtherNode) {
  script_.nodes = nodes(4);
  add_cluster("c1", script_);
  commits_of_a_list();
  script_.nodes[2].age = hours{1};
  clock_.advance(seconds{30});
  script_.nodes[3].ready = false;
  commits_of_a_list();
  EXPECT_FALSE(seen("gpu-3").ready);
  EXPECT_TRUE(decide::is_fresh(seen("gpu-3"), clock_.now()));
  EXPECT_TRUE(decide::is_fresh(seen("gpu-0"), clock_.now()));
  clock_.advance(seconds{35});
  commits_of_a_list();
  EXPECT_TRUE(decide::is_fresh(seen("gpu-0"), clock_.now()));
  EXPECT_FALSE(decide::is_fresh(seen("gpu-2"), clock_.now())) << "what is an hour old proves nothing";
}

TEST_F(Sync, AListThatHasANodeTwiceIsNotBelieved) {
  script_.nodes = nodes(3);
  add_cluster("c1", script_);
  commits_of_a_list();
  script_.nodes[1].ready = false;
  script_.nodes.push_back(script_.nodes[1]);
  clock_.advance(seconds{30});
  commits_of_a_list();
  EXPECT_TRUE(seen("gpu-1").ready);
  EXPECT_FALSE(decide::is_fresh(seen("gpu-1"), clock_.now() + seconds{31}));
}

TEST_F(Sync, ANameThatCannotBeOneIsLeftOut) {
  script_.nodes = nodes(3);
  script_.nodes[1].name = "a b\x1b[31m";
  script_.nodes[2].name.clear();
  add_cluster("c1", script_);
  commits_of_a_list();
  const auto known = read([&](store::Tx& tx) { return store::list_nodes(tx, "c1").size(); });
  EXPECT_EQ(known, 1U);
}

TEST_F(Sync, AForgottenClusterIsNotListedAnyMore) {
  script_.nodes = nodes(1);
  add_cluster("c1", script_);
  commits_of_a_list();
  write([](store::Tx& tx) { store::delete_cluster(tx, "c1"); });
  const int lists = script_.lists;
  pass(minutes{10});
  EXPECT_EQ(script_.lists, lists);
}

TEST_F(Sync, AListThatFailsKeepsNoOtherClusterFromBeingListed) {
  Script broken;
  broken.error = "connection refused";
  script_.nodes = nodes(1);
  add_cluster("c0", broken);
  add_cluster("c1", script_);
  turn_all();
  EXPECT_EQ(node("c1", "gpu-0").name, "gpu-0");
}

}  // namespace
}  // namespace sickbay::engine::testing
