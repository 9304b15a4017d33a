// The store's own transaction types against each other, and proof that the explorer finds what it is there to find.
#include "explorer_fixture.hpp"
#include "store/audit.hpp"
#include "store/clusters.hpp"
#include "store/events.hpp"
#include "store/findings.hpp"
#include "store/operations.hpp"
#include "store/people.hpp"
#include "store/sessions.hpp"

namespace sickbay::store {
namespace {

std::string word(const Status& status, const char* done) {
  if (status) return done;
  return status.error().code == Errc::changed || status.error().code == Errc::conflict ? "turned away"
                                                                                       : status.error().message;
}
Time start() {
  return from_micros(1'750'000'000'000'000);
}
std::string tag(int side) {
  return side == 0 ? "a" : "b";
}

// A finding arrives: the fact and the wake in one transaction.
std::string arrive(Store& store, int side) {
  Finding finding;
  finding.id = "f-" + tag(side);
  return word(store.write([&](Tx& tx) -> Status {
    add_findings(tx, "n1", 0, {finding}, start());
    wake(tx, WorkKind::node, "n1", start());
    return {};
  }),
              "woke");
}

// A turn: facts and version as one snapshot, then the write that checks the version.
std::string turn(Store& store, int) {
  std::uint64_t version = 0;
  std::vector<std::string> seen;
  const Status read = store.read([&](Tx& tx) -> Status {
    version = work_version(tx, WorkKind::node, "n1");
    seen.clear();
    for (const StoredFinding& found : unfolded_findings(tx, "n1", 10)) seen.push_back(found.finding.id);
    return {};
  });
  if (!read) return read.error().message;
  return word(store.write([&](Tx& tx) -> Status {
    if (!still(tx, WorkKind::node, "n1", version)) return fail(Errc::changed, "turn again");
    mark_folded(tx, seen);
    finish(tx, WorkKind::node, "n1", std::nullopt);
    return {};
  }),
              "turned");
}

// Admission: limits are counted after the cluster is locked.
std::string admit(Store& store, int side, bool locked) {
  const std::string repair = side == 0 ? "r1" : "r2";
  const std::string node = side == 0 ? "n1" : "n2";
  return word(store.write([&](Tx& tx) -> Status {
    if (locked ? !lock_cluster(tx, "c1") : !get_cluster(tx, "c1")) return fail(Errc::not_found, "no cluster");
    if (!slots_of(tx, "c1").empty()) return fail(Errc::conflict, "the slot is taken");
    take_slot(tx, {"c1", {}, repair, node, start()});
    wake(tx, WorkKind::node, node, start());
    return {};
  }),
              "admitted");
}

std::string plan(Store& store, int side) {
  const std::uint64_t version =
      store.read([](Tx& tx) -> Result<std::uint64_t> { return work_version(tx, WorkKind::node, "n1"); }).value_or(99);
  return word(store.write([&](Tx& tx) -> Status {
    if (!still(tx, WorkKind::node, "n1", version)) return fail(Errc::changed, "turn again");
    Operation operation;
    operation.id = "act-" + tag(side);
    operation.repair = "r1";
    operation.cluster = "c1";
    operation.node = "n1";
    operation.host = "h-n1";
    add_operation(tx, operation);
    finish(tx, WorkKind::node, "n1", start());
    return {};
  }),
              "planned");
}

std::string take(Store& store, int side) {
  return word(store.write([&](Tx& tx) -> Status {
    auto operation = get_operation(tx, "o1");
    if (!operation || operation->state != OperationState::planned) return fail(Errc::changed, "taken");
    operation->state = OperationState::dispatching;
    operation->owner = tag(side);
    ++operation->version;
    if (!swap_operation(tx, *operation)) return fail(Errc::changed, "taken");
    wake(tx, WorkKind::node, "n1", start());
    return {};
  }),
              "took");
}

std::string publish(Store& store, int side) {
  return word(store.write([&](Tx& tx) -> Status {
    const auto epoch = take_lease(tx, "publisher", tag(side), start() + seconds{60 * side}, seconds{30});
    if (!epoch || !holds_lease(tx, "publisher", tag(side), *epoch)) return fail(Errc::changed, "not the holder");
    publish_events(tx, unpublished_events(tx, 100));
    publish_audit(tx, unpublished_audit(tx, 100));
    return {};
  }),
              "published");
}

std::string say(Store& store, int side) {
  Event event;
  event.id = "event-" + tag(side);
  AuditRow row;
  row.id = "audit-" + tag(side);
  return word(store.write([&](Tx& tx) -> Status {
    add_event(tx, event);
    add_audit(tx, row);
    return {};
  }),
              "said");
}

std::string hello(Store& store, int) {
  Session session;
  session.node = "n1";
  return word(store.write([&](Tx& tx) -> Status {
    wake(tx, WorkKind::node, "n1", start());
    open_session(tx, session);
    return {};
  }),
              "said hello");
}

std::string spend(Store& store, int) {
  return word(store.write([](Tx& tx) -> Status {
    return spend_ticket(tx, "ticket", start()) ? Status{} : fail(Errc::conflict, "spent");
  }),
              "spent");
}

const std::vector<Racer> kRacers{
    {"arrive", "woke", arrive},
    {"turn", "turned", turn},
    {"admit", "admitted", [](Store& store, int side) { return admit(store, side, true); }},
    {"plan", "planned", plan},
    {"take", "took", take},
    {"publish", "published", publish},
    {"say", "said", say},
    {"hello", "said hello", hello},
    {"spend", "spent", spend},
};

TEST_F(Interleavings, NoPairOfTransactionsBreaksARule) {
  race_all(kRacers);
}

// What the explorer is for: each of these is a mistake that a test on one connection cannot show.
TEST_F(Interleavings, AConditionalWakeIsFoundToLoseAWakeUp) {
  const Racer conditional{"conditional wake", "woke", [](Store& store, int side) {
                            Finding finding;
                            finding.id = "f-" + tag(side);
                            return word(store.write([&](Tx& tx) -> Status {
                              add_findings(tx, "n1", 0, {finding}, start());
                              tx.connection().run("UPDATE work SET due = due WHERE kind = 'node' AND key = 'n1'", {},
                                                  0);
                              return {};
                            }),
                                        "woke");
                          }};
  const Exploration found = explorer_->explore(conditional, {"turn", "turned", turn}, 1000);
  EXPECT_NE(found.violation.find("a wake-up of n1 is lost"), std::string::npos) << found.violation;
}

TEST_F(Interleavings, AdmissionWithoutItsLockIsFoundToPassTheLimit) {
  const Racer unlocked{"unlocked admission", "admitted",
                       [](Store& store, int side) { return admit(store, side, false); }};
  const Exploration found = explorer_->explore(unlocked, unlocked, 1000);
  EXPECT_NE(found.violation.find("hold the one slot"), std::string::npos) << found.violation;
}

TEST_F(Interleavings, TransactionsThatLockInOppositeOrderBothEndAfterADeadlock) {
  const Racer crossing{"crossing", "woke", [](Store& store, int side) {
                         return word(store.write([&](Tx& tx) -> Status {
                           wake(tx, WorkKind::node, side == 0 ? "n1" : "n2", start());
                           wake(tx, WorkKind::node, side == 0 ? "n2" : "n1", start());
                           return {};
                         }),
                                     "woke");
                       }};
  explorer_->check = [](Store&, const std::string& a, const std::string& b) -> std::string {
    return a == "woke" && b == "woke" ? "" : "one of them failed";
  };
  race(crossing, crossing);
}

}  // namespace
}  // namespace sickbay::store
