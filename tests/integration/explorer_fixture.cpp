#include "explorer_fixture.hpp"

#include <fmt/core.h>

#include <map>
#include <set>

#include "store/audit.hpp"
#include "store/clusters.hpp"
#include "store/events.hpp"
#include "store/findings.hpp"
#include "store/nodes.hpp"
#include "store/operations.hpp"
#include "store/people.hpp"
#include "store/repairs.hpp"
#include "store/sessions.hpp"

namespace sickbay::store {
namespace {

template <class Body>
auto must(Store& store, Body body) -> std::invoke_result_t<Body, Tx&> {
  using T = std::invoke_result_t<Body, Tx&>;
  auto done = store.write([&](Tx& tx) -> Result<T> { return body(tx); });
  if (!done) throw std::runtime_error(done.error().message);
  return std::move(*done);
}

Repair repair(const std::string& id, const std::string& node) {
  Repair made;
  made.id = id;
  made.cluster = "c1";
  made.node = node;
  made.action = Action::reboot;
  made.recommended = Action::reboot;
  return made;
}

void add_nodes(Tx& tx) {
  Cluster cluster;
  cluster.id = "c1";
  put_cluster(tx, cluster);
  for (const char* id : {"n1", "n2"}) {
    Node node;
    node.id = node.name = id;
    node.cluster = "c1";
    node.host = std::string("h-") + id;
    put_node(tx, node);
  }
}

void add_people(Tx& tx, Time at) {
  Token ticket;
  ticket.hash = "ticket";
  ticket.purpose = TokenPurpose::ticket;
  ticket.cluster = "c1";
  ticket.node = "n1";
  ticket.expires_at = at + hours{24 * 3650};
  put_token(tx, ticket);
  AuditRow row;
  row.id = "audit-0";
  add_audit(tx, row);
}

}  // namespace

void Interleavings::SetUp() {
  if (postgres_url().empty()) GTEST_SKIP() << "SICKBAY_TEST_POSTGRES is not set: no PostgreSQL to explore";
  if (const char* more = std::getenv("SICKBAY_EXPLORE")) at_most_ = std::strtoul(more, nullptr, 10);
  database_ = std::make_unique<TestDatabase>(Backend::postgresql);
  explorer_ = std::make_unique<Explorer>(database_->url() + "%20-cdeadlock_timeout%3D5ms");
  explorer_->set_up = set_up;
  explorer_->check = check;
}

void Interleavings::race(const Racer& a, const Racer& b) {
  const Exploration done = explorer_->explore(a, b, at_most_);
  EXPECT_EQ(done.violation, "");
  EXPECT_GT(done.schedules, 1U) << a.name << " against " << b.name << " met nowhere";
  fmt::print("{} against {}: {} schedules{}\n", a.name, b.name, done.schedules, done.all ? ", all there are" : "");
}

void Interleavings::race_all(const std::vector<Racer>& racers) {
  for (const Racer& racer : racers) EXPECT_EQ(explorer_->alone(racer), racer.alone) << racer.name;
  for (std::size_t i = 0; i < racers.size() && !HasFailure(); ++i) {
    for (std::size_t j = i; j < racers.size() && !HasFailure(); ++j) race(racers[i], racers[j]);
  }
}

void Interleavings::set_up(Store& observer) {
  must(observer, [](Tx& tx) {
    for (const char* table : {"work", "lease", "finding", "alert", "operation", "slot", "repair", "event", "audit",
                              "token", "answered", "heartbeat", "listening", "principal", "cluster"}) {
      tx.connection().control(std::string("DELETE FROM ") + table);
    }
    tx.connection().control("UPDATE counter SET value = 0, hash = ''");
    add_nodes(tx);
    add_people(tx, start());
    put_repair(tx, repair("r1", "n1"));
    put_repair(tx, repair("r2", "n2"));
    Operation operation;
    operation.id = "o1";
    operation.repair = "r1";
    operation.cluster = "c1";
    operation.node = "n1";
    operation.host = "h-n1";
    operation.kind = OperationKind::cordon;
    operation.adapter = "simulated";
    add_operation(tx, operation);
    Finding finding;
    finding.id = "f0";
    finding.fault = {"DmesgXidError", "119"};
    add_findings(tx, "n1", 0, {finding}, start());
    for (const char* id : {"e1", "e2"}) {
      Event event;
      event.id = id;
      add_event(tx, event);
    }
    wake(tx, WorkKind::node, "n1", start());
    return true;
  });
}

std::string Interleavings::check(Store& observer, const std::string& a, const std::string& b) {
  return must(observer, [&](Tx& tx) -> std::string {
    // engine.md 1: a fact that no turn has seen has its turn at once.
    for (const char* node : {"n1", "n2"}) {
      if (unfolded_findings(tx, node, 1).empty()) continue;
      bool due = false;
      for (const Row& row : tx.connection().run("SELECT key, due FROM work WHERE kind = 'node'", {}, 2)) {
        due = due || (row[0] == node && from_micros(std::stoll(row[1].value())) <= now(tx));
      }
      if (!due) return fmt::format("a wake-up of {} is lost", node);
    }
    // engine.md 3: one action in progress per node; what was taken has one owner.
    for (const char* node : {"n1", "n2"}) {
      int acts = 0;
      for (const Operation& operation : open_operations_of_node(tx, node)) acts += operation.kind == OperationKind::act;
      if (acts > 1) return fmt::format("{} actions in progress on {}", acts, node);
    }
    if (a == "took" && b == "took") return "both took the operation";
    if (a == "spent" && b == "spent") return "the ticket was spent twice";
    if (a == "planned" && b == "planned") return "both planned the action";
    // engine.md 4: the limit here is one slot of the cluster.
    std::set<std::string> holders;
    for (const Slot& slot : slots_of(tx, "c1")) {
      if (!slot.scope.pool) holders.insert(slot.repair);
    }
    if (holders.size() > 1) return fmt::format("{} repairs hold the one slot", holders.size());
    // engine.md 6: the node follows its newest session, and only a turn of its own moves it on.
    const auto session = newest_session(tx, "n1");
    const auto node = get_node(tx, "n1");
    if (!node) return "the node is gone";
    if (node->epoch > (session ? session->epoch : 0)) {
      return fmt::format("the node has epoch {}, its newest session {}", node->epoch, session ? session->epoch : 0);
    }
    // engine.md 8: published numbers have no gap and are given once.
    std::uint64_t expected = 0;
    for (const Event& event : events_after(tx, {}, 0, 1000)) {
      if (event.sequence != ++expected) return fmt::format("event {} has number {}", event.id, *event.sequence);
    }
    std::map<std::uint64_t, AuditRow> published;
    for (AuditRow& row : list_audit(tx, {}).items) {
      if (row.sequence && !published.emplace(*row.sequence, row).second) return "two audit rows of one number";
    }
    std::string previous;
    for (const auto& [number, row] : published) {
      if (row.hash != audit_hash(previous, row)) return "the audit chain is broken";
      previous = row.hash;
    }
    return "";
  });
}

}  // namespace sickbay::store
