// The engine's real transactions against each other. Adding one is a line in the list of racers.
#include <fmt/core.h>

#include <atomic>

#include "engine/commands.hpp"
#include "engine/engine.hpp"
#include "explorer_fixture.hpp"
#include "store/nodes.hpp"
#include "store/operations.hpp"
#include "store/people.hpp"
#include "store/repairs.hpp"

namespace sickbay::store {
namespace {

// A scheduler that takes every request and counts the marks it was asked to place.
class CountingScheduler final : public Scheduler {
 public:
  SchedulerCapabilities capabilities() const override { return {}; }
  NodeStatus observe(std::string_view name, Duration) override {
    NodeStatus seen;
    seen.name = name;
    seen.ready = true;
    seen.idleness = Idleness::idle;
    seen.drained = true;
    seen.cordoned = placed > 0;
    if (placed > 0) seen.hold_owner = "r1";
    return seen;
  }
  Reply cordon(const Operation&, Duration) override { return ++placed, Reply{Answer::done, "", ""}; }
  Reply uncordon(const Operation&, Duration) override { return {Answer::done, "", ""}; }
  Reply drain(const Operation&, Duration) override { return {Answer::done, "", ""}; }
  Result<std::vector<NodeStatus>> list(Duration) override { return std::vector<NodeStatus>{}; }
  std::atomic<int> placed = 0;
};

class EngineInterleavings : public Interleavings {
 protected:
  void SetUp() override {
    Interleavings::SetUp();
    if (IsSkipped()) return;
    auto scheduler = std::make_unique<CountingScheduler>();
    scheduler_ = scheduler.get();
    engine::Adapters adapters;
    adapters.clusters["c1"].add("counting", std::move(scheduler));
    adapters_.replace(std::move(adapters));
    at_most_ = at_most_ * 2 / 3;  // these have many statements each
    explorer_->set_up = [this](Store& observer) {
      set_up(observer);
      set_up_repairs(observer);
      scheduler_->placed = 0;
    };
    explorer_->check = [this](Store& observer, const std::string& a, const std::string& b) {
      if (scheduler_->placed > 1) return fmt::format("the node was cordoned {} times", scheduler_->placed.load());
      return check(observer, a, b);
    };
  }

  // r1 is about to be cordoned by the planned operation o1; r2 waits for approval.
  static void set_up_repairs(Store& observer) {
    const Status done = observer.write([](Tx& tx) -> Status {
      Node node = get_node(tx, "n1").value();
      node.schedulers = {"counting"};
      node.quarantine = Quarantine{"r1", "Xid 119", start()};
      put_node(tx, node);
      Repair repair = get_repair(tx, "r1").value();
      repair.state = RepairState::QUARANTINING;
      repair.step = RepairStep::cordon;
      put_repair(tx, repair);
      Hold hold;
      hold.node = "n1";
      hold.scheduler = "counting";
      hold.repair = "r1";
      put_hold(tx, hold);
      Operation operation = get_operation(tx, "o1").value();
      operation.adapter = "counting";
      operation.deadline = now(tx) + hours{24};
      ++operation.version;
      swap_operation(tx, operation);
      return {};
    });
    if (!done) throw std::runtime_error(done.error().message);
  }

  engine::Options options(int side) const {
    engine::Options made;
    made.replica = side == 0 ? "replica-a" : "replica-b";
    return made;
  }
  std::string turn(Store& store, int side, WorkKind kind, std::string_view key) {
    engine::Engine engine(store, adapters_, faults_, clock_, ids_, options(side), {},
                          std::make_unique<engine::QueueExecutor>());
    const Status turned = engine.turn(kind, key);
    while (engine.make_call()) {  // what the turn asked for
    }
    return word(turned, "turned");
  }
  template <class Command>
  std::string command(Store& store, int side, Command run) {
    engine::Commands commands(store, faults_, ids_, options(side));
    return word(run(commands), "done");
  }
  template <class T>
  static std::string word(const Result<T>& result, const char* done) {
    return result ? done : result.error().message;
  }
  std::string findings(Store& store, int side, std::string_view node) {
    engine::Intake intake(store, clock_, ids_, options(side));
    Finding finding;
    finding.id = side == 0 ? "finding-a" : "finding-b";
    finding.fault = {"DmesgXidError", "79"};
    wire::Batch batch;
    batch.findings.push_back(finding);
    return word(intake.findings(node, batch), "woke");
  }
  std::string hello(Store& store, int side) {
    engine::Intake intake(store, clock_, ids_, options(side));
    wire::Hello hello;
    hello.machine_id = "machine";
    hello.boot_id = hello.stream = side == 0 ? "a" : "b";
    const auto ticket = store.read([](Tx& tx) -> Result<Token> { return find_token(tx, "ticket").value(); });
    return ticket ? word(intake.hello(hello, *ticket), "spent") : ticket.error().message;
  }

  engine::CurrentAdapters adapters_;
  CountingScheduler* scheduler_ = nullptr;
  FaultTable faults_;
  SystemClock clock_;
  RandomIds ids_;
};

TEST_F(EngineInterleavings, NoPairOfTheEnginesTransactionsBreaksARule) {
  const decide::Person ada{"ada", Role::admin};
  race_all({
      {"node turn", "turned", [&](Store& store, int side) { return turn(store, side, WorkKind::node, "n1"); }},
      {"cluster turn", "turned", [&](Store& store, int side) { return turn(store, side, WorkKind::cluster, "c1"); }},
      {"publish turn", "turned",
       [&](Store& store, int side) { return turn(store, side, WorkKind::publish, "events"); }},
      {"findings", "woke", [&](Store& store, int side) { return findings(store, side, "n1"); }},
      {"hello", "spent", [&](Store& store, int side) { return hello(store, side); }},
      {"approve", "done",
       [&](Store& store, int side) {
         return command(store, side, [&](engine::Commands& c) { return c.approve("r2", ada, {}); });
       }},
      {"cancel", "done",
       [&](Store& store, int side) {
         return command(store, side, [&](engine::Commands& c) { return c.cancel("r1", ada); });
       }},
  });
}

TEST_F(EngineInterleavings, ATurnThatDoesNotCheckItsVersionIsFoundToLoseAWakeUp) {
  const Racer careless{"careless node turn", "turned", [&](Store& store, int side) {
                         engine::TestHooks hooks;
                         hooks.planted.lost_wakeup = true;
                         engine::Engine engine(store, adapters_, faults_, clock_, ids_, options(side), hooks,
                                               std::make_unique<engine::QueueExecutor>());
                         return word(engine.turn(WorkKind::node, "n2"), "turned");
                       }};
  const Racer arriving{"findings", "woke", [&](Store& store, int side) { return findings(store, side, "n2"); }};
  const Exploration found = explorer_->explore(careless, arriving, 1000);
  EXPECT_NE(found.violation.find("a wake-up of n2 is lost"), std::string::npos) << found.violation;
}

}  // namespace
}  // namespace sickbay::store
