// What must never break, whoever races: constraints, sequences and fences.
#include <atomic>
#include <thread>

#include "fixture.hpp"
#include "model/json.hpp"
#include "store/alerts.hpp"
#include "store/clusters.hpp"
#include "store/findings.hpp"
#include "store/hosts.hpp"
#include "store/nodes.hpp"
#include "store/observations.hpp"
#include "store/operations.hpp"
#include "store/paging.hpp"
#include "store/policies.hpp"
#include "store/repairs.hpp"
#include "store/sessions.hpp"

namespace sickbay::store {
namespace {

class Aggregates : public OnEveryDatabase {
 protected:
  void SetUp() override {
    OnEveryDatabase::SetUp();
    if (!store_) return;
    add_cluster();
    add_node("n1");
    add_node("n2");
  }
  Status try_write(const std::function<void(Tx&)>& body) {
    return store_->write([&](Tx& tx) -> Status {
      body(tx);
      return {};
    });
  }
};
INSTANTIATE_TEST_SUITE_P(All, Aggregates,
                         testing::Values(Backend::sqlite_file, Backend::sqlite_memory, Backend::postgresql),
                         backend_name);

TEST_P(Aggregates, WhatWasPutReadsBack) {
  Node changed = node("n1");
  changed.pool = "b200";
  changed.quarantine = Quarantine{"rep-1", "Xid 79", clock_.now()};
  changed.labels["zone"] = "a";
  write([&](Tx& tx) { put_node(tx, changed); });
  EXPECT_EQ(to_json_text(*read([](Tx& tx) { return get_node(tx, "n1"); })), to_json_text(changed));
  EXPECT_EQ(read([](Tx& tx) { return find_node(tx, "c1", "name-of-n1"); })->id, "n1");
  EXPECT_EQ(read([](Tx& tx) { return list_nodes(tx, "c1"); }).size(), 2U);
  EXPECT_EQ(read([](Tx& tx) { return get_node(tx, "n9"); }).has_value(), false);
}

TEST_P(Aggregates, TwoNodesOfOneNameAreRefused) {
  Node twin = node("n3");
  twin.name = "name-of-n1";
  const Status done = try_write([&](Tx& tx) { put_node(tx, twin); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::conflict);
  EXPECT_EQ(done.error().field, "node_one_per_name");
}

TEST_P(Aggregates, ANodeHasOneOpenRepair) {
  write([](Tx& tx) { put_repair(tx, repair("r1", "n1")); });
  const Status second = try_write([](Tx& tx) { put_repair(tx, repair("r2", "n1")); });
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::conflict);
  EXPECT_EQ(second.error().field, "repair_one_open_per_node");
  Repair changed = repair("r1", "n1");
  changed.revision = 2;
  write([&](Tx& tx) { put_repair(tx, changed); });  // the same one may change
  EXPECT_EQ(read([](Tx& tx) { return open_repair_of(tx, "n1"); })->revision, 2U);
  changed.state = RepairState::FAILED;
  write([&](Tx& tx) { put_repair(tx, changed); });
  write([](Tx& tx) { put_repair(tx, repair("r2", "n1")); });
  EXPECT_EQ(read([](Tx& tx) { return open_repair_of(tx, "n1"); })->id, "r2");
  EXPECT_EQ(read([&](Tx& tx) { return ended_repairs(tx, "n1", "", clock_.now() - hours{1}); }).size(), 1U);
}

TEST_P(Aggregates, ARequestIdMakesOneRepair) {
  Repair first = repair("r1", "n1");
  first.request_id = "req-1";
  Repair second = repair("r2", "n2");
  second.request_id = "req-1";
  write([&](Tx& tx) { put_repair(tx, first); });
  const Status done = try_write([&](Tx& tx) { put_repair(tx, second); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().field, "repair_one_per_request");
  EXPECT_EQ(read([](Tx& tx) { return repair_by_request(tx, "c1", "req-1"); })->id, "r1");
  EXPECT_FALSE(read([](Tx& tx) { return repair_by_request(tx, "c1", ""); }));
}

TEST_P(Aggregates, ANodeAndAHostHaveOneActionInProgress) {
  write([](Tx& tx) {
    put_repair(tx, repair("r1", "n1"));
    put_repair(tx, repair("r2", "n2"));
    add_operation(tx, act("o1", "r1", "n1", "h1"));
  });
  const Status same_node = try_write([](Tx& tx) { add_operation(tx, act("o2", "r1", "n1", "h9")); });
  ASSERT_FALSE(same_node);
  EXPECT_EQ(same_node.error().field, "operation_one_open_per_node");
  const Status same_host = try_write([](Tx& tx) { add_operation(tx, act("o3", "r2", "n2", "h1")); });
  ASSERT_FALSE(same_host);
  EXPECT_EQ(same_host.error().field, "operation_one_open_per_host");
  Operation ambiguous = act("o1", "r1", "n1", "h1");
  ambiguous.version = 2;
  ambiguous.state = OperationState::ambiguous;
  EXPECT_TRUE(write([&](Tx& tx) { return swap_operation(tx, ambiguous); }));
  EXPECT_FALSE(try_write([](Tx& tx) { add_operation(tx, act("o4", "r1", "n1", "h9")); })) << "ambiguous is open";
  ambiguous.version = 3;
  ambiguous.state = OperationState::concluded;
  EXPECT_TRUE(write([&](Tx& tx) { return swap_operation(tx, ambiguous); }));
  write([](Tx& tx) { add_operation(tx, act("o5", "r1", "n1", "h1")); });
  EXPECT_EQ(read([](Tx& tx) { return open_operations_of_node(tx, "n1"); }).front().id, "o5");
  EXPECT_EQ(read([](Tx& tx) { return operations_of_repair(tx, "r1"); }).size(), 2U);
}

TEST_P(Aggregates, OfManyWhoSwapAnOperationOneWins) {
  write([](Tx& tx) {
    put_repair(tx, repair("r1", "n1"));
    add_operation(tx, act("o1", "r1", "n1", "h1"));
  });
  std::atomic<int> won = 0;
  std::vector<std::thread> replicas;
  for (int i = 0; i < 6; ++i) {
    replicas.emplace_back([&, i] {
      Operation mine = act("o1", "r1", "n1", "h1");
      mine.version = 2;
      mine.owner = std::to_string(i);
      if (write([&](Tx& tx) { return swap_operation(tx, mine); })) ++won;
    });
  }
  for (std::thread& replica : replicas) replica.join();
  EXPECT_EQ(won, 1);
}

TEST_P(Aggregates, AFindingIsAddedOnceForEver) {
  const auto add = [&](const std::vector<Finding>& findings) {
    return write([&](Tx& tx) { return add_findings(tx, "n1", 7, findings, clock_.now()); });
  };
  EXPECT_EQ(add({finding("a"), finding("b"), finding("a")}), 2U);
  EXPECT_EQ(add({finding("b"), finding("c")}), 1U);
  write([](Tx& tx) { mark_folded(tx, {"a", "b"}); });
  EXPECT_EQ(add({finding("a")}), 0U) << "folded ones stay known";
  const auto left = read([](Tx& tx) { return unfolded_findings(tx, "n1", 10); });
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].finding.id, "c");
  EXPECT_EQ(left[0].epoch, 7U);
  EXPECT_EQ(left[0].received_at, clock_.now());
}

TEST_P(Aggregates, EvidenceWithEveryKindOfTextComesBackUnchanged) {
  Finding odd = finding("odd");
  odd.evidence["nul"] = std::string("a\0b", 3);
  odd.evidence["quote"] = R"('"\ ? $1 :x {} é 💥)";
  odd.evidence["numbers"] = json::array{1, 2.5, 18446744073709551615ULL, -9223372036854775807LL};
  write([&](Tx& tx) { add_findings(tx, "n1", 1, {odd}, clock_.now()); });
  EXPECT_EQ(to_json_text(read([](Tx& tx) { return list_findings(tx, "n1", 10); }).at(0).finding), to_json_text(odd));
}

TEST_P(Aggregates, EverySessionGetsAnEpochOfItsOwn) {
  std::mutex mutex;
  std::vector<std::uint64_t> epochs;
  std::vector<std::thread> agents;
  for (int i = 0; i < 4; ++i) {
    agents.emplace_back([&, i] {
      for (int start = 0; start < 5; ++start) {
        Session session;
        session.node = i % 2 == 0 ? "n1" : "n2";
        session.hello_at = clock_.now();
        const auto epoch = write([&](Tx& tx) { return open_session(tx, session); });
        const std::lock_guard lock(mutex);
        epochs.push_back(epoch);
      }
    });
  }
  for (std::thread& agent : agents) agent.join();
  std::sort(epochs.begin(), epochs.end());
  EXPECT_EQ(std::unique(epochs.begin(), epochs.end()), epochs.end());
  EXPECT_EQ(epochs.size(), 20U);
  for (const char* id : {"n1", "n2"}) {
    const auto newest = read([&](Tx& tx) { return newest_session(tx, id); });
    EXPECT_EQ(read([&](Tx& tx) { return get_node(tx, id); })->epoch, 0U) << "the node is changed by its own turn";
    EXPECT_EQ(read([&](Tx& tx) { return last_heartbeat(tx, id, newest->epoch); }), clock_.now());
  }
  Session nobody;
  nobody.node = "n9";
  const Status refused = try_write([&](Tx& tx) { open_session(tx, nobody); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_found);
}

TEST_P(Aggregates, HeartbeatsOnlyMoveForward) {
  const Time at = clock_.now();
  write([&](Tx& tx) { put_heartbeats(tx, {{"n1", 5, at}, {"n2", 1, at}, {"n1", 5, at + seconds{1}}}); });
  write([&](Tx& tx) { put_heartbeats(tx, {{"n1", 4, at + hours{1}}, {"n2", 1, at - seconds{1}}}); });
  EXPECT_EQ(read([](Tx& tx) { return last_heartbeat(tx, "n1", 5); }), at + seconds{1});
  EXPECT_EQ(read([](Tx& tx) { return last_heartbeat(tx, "n1", 4); }), std::nullopt);
  EXPECT_EQ(read([](Tx& tx) { return last_heartbeat(tx, "n2", 1); }), at);
}

TEST_P(Aggregates, ListeningIsCountedWithoutGapsOverReplicas) {
  const Time at = clock_.now();
  EXPECT_EQ(read([&](Tx& tx) { return listening_since(tx, at); }), std::nullopt);
  write([&](Tx& tx) {
    put_listening(tx, "a", at, at + minutes{10});               // stopped after ten minutes
    put_listening(tx, "b", at + minutes{5}, at + minutes{60});  // took over before
    put_listening(tx, "c", at - hours{1}, at - minutes{1});     // stopped a minute before a began
  });
  EXPECT_EQ(read([&](Tx& tx) { return listening_since(tx, at + minutes{60} + seconds{20}); }), at);
  EXPECT_EQ(read([&](Tx& tx) { return listening_since(tx, at + minutes{61}); }), std::nullopt);
}

TEST_P(Aggregates, SparesAreCountedByShapePoolAndCheck) {
  const auto spare = [&](const std::string& id, const std::string& pool, Time checked) {
    Host host;
    host.id = id;
    host.cluster = "c1";
    host.shape.name = "8xh100";
    host.reserved_for_pool = pool;
    host.state = HostState::spare;
    host.checked_at = checked;
    return host;
  };
  const Time at = clock_.now();
  Host ticket = spare("h5", "", at);
  ticket.open_ticket = true;
  write([&](Tx& tx) {
    for (const Host& host : {spare("h1", "", at), spare("h2", "p", at), spare("h3", "q", at),
                             spare("h4", "", at - hours{24 * 8}), ticket}) {
      put_host(tx, host);
    }
  });
  const Time since = at - hours{24 * 7};
  EXPECT_EQ(read([&](Tx& tx) { return count_spares(tx, "c1", "8xh100", "p", since); }), 2U);
  EXPECT_EQ(read([&](Tx& tx) { return count_spares(tx, "c1", "8xh100", "z", since); }), 1U);
  EXPECT_EQ(read([&](Tx& tx) { return count_spares(tx, "c1", "8xb200", "p", since); }), 0U);
}

TEST_P(Aggregates, OutOfServiceCountsEachNodeOnceWhateverTheCause) {
  const Time at = clock_.now();
  for (const char* id : {"n3", "n4", "n5", "n6"}) add_node(id);
  write([&](Tx& tx) {
    Node quarantined = node("n1");
    quarantined.quarantine = Quarantine{"r", "x", at};
    put_node(tx, quarantined);
    Hold hold;
    hold.scheduler = "k8s";
    for (const char* id : {"n1", "n3"}) {
      hold.node = id;
      put_hold(tx, hold);
    }
    hold.node = "n2";
    hold.released_at = at;
    put_hold(tx, hold);
    Observation seen;
    seen.scheduler = "k8s";
    seen.ready = true;
    seen.node = "n6";
    put_observation(tx, seen);
    seen.node = "n4";
    seen.cordoned = true;
    put_observation(tx, seen);
    put_heartbeats(tx, {{"n5", 1, at - minutes{10}}, {"n6", 1, at}});
  });
  EXPECT_EQ(read([&](Tx& tx) { return count_out_of_service(tx, "c1", "", at - minutes{5}); }), 4U);
  EXPECT_EQ(read([&](Tx& tx) { return count_out_of_service(tx, "c1", "n1", at - minutes{5}); }), 3U);
  EXPECT_EQ(read([&](Tx& tx) { return holds_of(tx, "n2"); }).size(), 0U);
}

TEST_P(Aggregates, APolicyVersionIsWrittenOnce) {
  EXPECT_EQ(read([](Tx& tx) { return current_policy(tx, "c1"); }).version, 1U);
  PolicyVersion second;
  second.cluster = "c1";
  second.version = 2;
  second.policy.confirmation = Confirmation::automatic;
  write([&](Tx& tx) { add_policy(tx, second); });
  const Status race = try_write([&](Tx& tx) { add_policy(tx, second); });
  ASSERT_FALSE(race);
  EXPECT_EQ(race.error().code, Errc::changed);
  EXPECT_EQ(read([](Tx& tx) { return current_policy(tx, "c1"); }).policy.confirmation, Confirmation::automatic);
}

TEST_P(Aggregates, SlotsGoWithTheirRepair) {
  write([&](Tx& tx) {
    put_repair(tx, repair("r1", "n1"));
    take_slot(tx, {"c1", SlotScope{"h100"}, "r1", "n1", clock_.now()});
    take_slot(tx, {"c1", {}, "r1", "n1", clock_.now()});
    take_slot(tx, {"c1", {}, "r1", "n1", clock_.now()});  // taking it again changes nothing
  });
  EXPECT_EQ(read([](Tx& tx) { return slots_of(tx, "c1"); }).size(), 2U);
  write([](Tx& tx) { free_slots(tx, "r1"); });
  EXPECT_TRUE(read([](Tx& tx) { return slots_of(tx, "c1"); }).empty());
}

TEST_P(Aggregates, AForgottenClusterLeavesNothing) {
  write([&](Tx& tx) {
    put_repair(tx, repair("r1", "n1"));
    add_operation(tx, act("o1", "r1", "n1", "h1"));
    add_findings(tx, "n1", 1, {finding("f")}, clock_.now());
    wake(tx, WorkKind::node, "n1", clock_.now());
  });
  write([](Tx& tx) { delete_cluster(tx, "c1"); });
  EXPECT_FALSE(read([](Tx& tx) { return get_cluster(tx, "c1"); }));
  EXPECT_FALSE(read([](Tx& tx) { return get_node(tx, "n1"); }));
  EXPECT_FALSE(read([](Tx& tx) { return get_repair(tx, "r1"); }));
  EXPECT_FALSE(read([](Tx& tx) { return get_operation(tx, "o1"); }));
  EXPECT_EQ(read([](Tx& tx) { return next_due(tx); }), std::nullopt);
}

TEST_P(Aggregates, UnhealthyNodesTurnedSoWithTheirOldestAlert) {
  const Time at = clock_.now();
  const auto alert = [&](const std::string& id, const std::string& node, Time started, Action action) {
    Alert made;
    made.id = id;
    made.cluster = "c1";
    made.node = node;
    made.fault = {"DmesgXidError", "119"};
    made.action = action;
    made.started_at = started;
    return made;
  };
  Alert over = alert("a5", "n5", at, Action::reboot);
  over.state = AlertState::resolved;
  over.host = "h1";
  over.resolved_at = at;
  write([&](Tx& tx) {
    for (const Alert& a :
         {alert("a1", "n1", at, Action::reboot), alert("a2", "n1", at + seconds{9}, Action::reboot),
          alert("a3", "n2", at - hours{1}, Action::reboot), alert("a4", "n4", at, Action::none), over}) {
      put_alert(tx, a);
    }
  });
  const auto turned = read([&](Tx& tx) { return unhealthy_nodes(tx, "c1", at - minutes{5}); });
  ASSERT_EQ(turned.size(), 1U);
  EXPECT_EQ(turned[0], std::pair(std::string("n1"), at));
  EXPECT_EQ(read([](Tx& tx) { return open_alerts_of_node(tx, "n1"); }).size(), 2U);
  EXPECT_EQ(read([](Tx& tx) { return alerts_by_id(tx, {"a3", "a1", "nope"}); }).size(), 2U);
  EXPECT_EQ(read([&](Tx& tx) { return alerts_of_host_resolved_since(tx, "h1", at); }).size(), 1U);
  AlertFilter filter;
  filter.cluster = "c1";
  filter.state = AlertState::pending;
  EXPECT_EQ(read([&](Tx& tx) { return list_alerts(tx, filter, {}); }).items.size(), 4U);
}

TEST_P(Aggregates, PagesCoverAListOnceThoughRowsComeMeanwhile) {
  const Time at = clock_.now();
  const auto ended = [&](int i) {
    Repair made = repair("r" + std::to_string(i), "n1");
    made.state = RepairState::FAILED;
    made.created_at = at + seconds{i / 2};  // pairs of the same moment
    return made;
  };
  for (int i = 0; i < 7; ++i) write([&](Tx& tx) { put_repair(tx, ended(i)); });
  RepairFilter filter;
  filter.states = {RepairState::FAILED, RepairState::CANCELLED};
  std::vector<std::string> seen;
  Page page{3, ""};
  do {
    const auto got = read([&](Tx& tx) { return list_repairs(tx, filter, page); });
    for (const Repair& r : got.items) seen.push_back(r.id);
    page.token = got.next;
    write([&](Tx& tx) { put_repair(tx, ended(100)); });
  } while (!page.token.empty());
  EXPECT_EQ(seen, (std::vector<std::string>{"r6", "r5", "r4", "r3", "r2", "r1", "r0"}));
  filter.oldest_first = true;
  EXPECT_EQ(read([&](Tx& tx) { return list_repairs(tx, filter, {1, ""}); }).items.front().id, "r0");
  auto bad = store_->read([&](Tx& tx) -> Result<Paged<Repair>> { return list_repairs(tx, filter, {3, "x'y"}); });
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Errc::invalid);
  EXPECT_EQ(bad.error().field, "page_token");
}

TEST_P(Aggregates, ADamagedDocumentIsAnErrorThatNamesTheRow) {
  write([](Tx& tx) { damage_for_test(tx, "node", "n1"); });
  auto found = store_->read([](Tx& tx) -> Result<std::optional<Node>> { return get_node(tx, "n1"); });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::internal);
  EXPECT_NE(found.error().message.find("row 'n1' of table node"), std::string::npos) << found.error().message;
}

}  // namespace
}  // namespace sickbay::store
