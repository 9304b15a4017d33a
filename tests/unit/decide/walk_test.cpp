// Properties: whatever happens to a node, in whatever order, every turn keeps the rules of engine.md, a turn on its own
// result changes nothing, and when the mischief stops everything comes to rest. A failing walk is repeated by
// RapidCheck's RC_PARAMS, which it prints.
#include <rapidcheck.h>

#include "tests/unit/decide/small_world.hpp"

namespace sickbay::decide::testing {
namespace {

const Person kAnn{"ann", Role::admin};

Operation* open_operation(World& world) {
  for (Operation& op : world.facts.operations) {
    if (op.state != OperationState::concluded) return &op;
  }
  return nullptr;
}

// What the world does with an operation, well or badly.
void serve(World& world, unsigned how) {
  Operation* op = open_operation(world);
  if (!op) return;
  if (op->state == OperationState::ambiguous) {
    if (how % 4 == 0) *op = *settle(*op, kAnn, how % 8 == 0 ? Outcome::undone : Outcome::failed, "", world.now);
    return;
  }
  switch (how % 6) {
    case 0:
    case 1:
    case 2: {
      world.act_outcome = Outcome::succeeded;
      return world.carry_out(*op);
    }
    case 3:                                                   // sent; the reply is late
      if (how % 12 == 9 && op->kind == OperationKind::act) {  // or sent, not seen, and to be sent again
        op->dispatched_at = world.now, op->state = OperationState::planned, op->owner.clear();
        ++op->version;
        return;
      }
      op->owner = "replica-1", op->dispatched_at = world.now, op->state = OperationState::acknowledged;
      ++op->version;
      return;
    case 4:
      op->owner = "replica-1", op->dispatched_at = world.now, op->state = OperationState::ambiguous;
      ++op->version;
      return;
    default:
      op->owner = "replica-1", op->dispatched_at = world.now, op->concluded_at = world.now;
      op->state = OperationState::concluded;
      op->outcome = how % 12 == 5 ? Outcome::failed : Outcome::undone;
      op->detail = "no";
      ++op->version;
  }
}

void person(World& world, unsigned how) {
  if (world.facts.repair) {
    Repair& repair = *world.facts.repair;
    Result<Repair> decided = fail(Errc::conflict, "");
    Approval approval;
    approval.revision = repair.revision;
    switch (how % 6) {
      case 0:
      case 1:
      case 2:
        decided = approve(repair, world.facts.policy.policy, kAnn, approval, world.now);
        break;
      case 3:
        decided = reject(repair, kAnn, "no", world.now);
        break;
      case 4:
        decided = cancel(repair, kAnn, world.now);
        break;
      default:
        decided = force_drain(repair, kAnn, world.now);
    }
    if (decided) world.set_repair(*decided);
    return;
  }
  if (world.facts.node.quarantine && !world.facts.history.empty() && how % 3 == 0) {
    const auto out = release(world.facts, kAnn, "enough", world.now);
    if (out) world.facts.node = out->node, world.facts.holds = out->holds;
  } else if (world.facts.node.quarantine && !world.facts.history.empty()) {
    auto again = retry(world.facts, world.facts.history.front(), kAnn, {}, "", world.now, world.ids);
    if (again) world.facts.repair = *again;
  } else {
    Request asked;
    asked.action = std::array{Action::reboot, Action::reprovision, Action::migrate}[how % 3];
    asked.override_evidence = true, asked.reason = "drill";
    auto made = request(world.facts, kAnn, asked, world.now, world.ids);
    if (made) world.facts.repair = *made;
  }
}

void mischief(World& world, unsigned what, unsigned how) {
  Mark& mark = world.marks[world.facts.node.schedulers[how % world.facts.node.schedulers.size()]];
  switch (what) {
    case 0:
      world.tell(finding("DmesgXidError", std::array{"119", "79", "45"}[how % 3]));
      break;
    case 1: {
      Finding one = finding("NpdXfsShutdown", "", "/data");
      one.kind = how % 2 ? FindingKind::fault : FindingKind::clear;
      world.tell(one);
      break;
    }
    case 2:
      mark.busy = !mark.busy;
      break;
    case 3:
      mark.down = !mark.down;
      break;
    case 4:
      mark.ready = !mark.ready;
      break;
    case 5:
      mark.exists = how % 4 != 0;
      break;
    case 6:
      mark.owner.clear(), mark.cordoned = how % 2 == 0;
      break;
    case 7:
      world.new_boot(how % 2 == 0);
      break;
    case 8:
      world.agent_lives = !world.agent_lives;
      break;
    case 9:
      world.facts.cluster.breaker.open = how % 3 == 0;
      break;
    case 10:
      world.facts.caution.observe_only = how % 4 == 0;
      break;
    case 11:
      world.facts.caution.deadlines_frozen = how % 4 == 0;
      break;
    case 12:
      world.facts.node.identity_conflict = how % 4 ? std::nullopt : std::optional<std::string>("m1 and m2");
      break;
    case 13:
      world.facts.spares = how % 2;
      break;
    case 14: {
      const Finding one = finding("NpdXfsShutdown", "", "/data");
      world.facts.session->active.clear();
      if (how % 2) world.facts.session->active.push_back({one, one, 1});
      world.facts.session->active_at = world.now;
      break;
    }
    default:
      world.facts.policy.policy.confirmation = how % 2 ? Confirmation::automatic : Confirmation::approve;
  }
}

void turn(World& world) {
  const NodeChanges changes = world.turn();
  if (changes.wants_admission && world.facts.repair) world.admit_now();
}

void pass(World& world, Duration time) {
  world.now += time;
  if (world.agent_lives) world.facts.last_heartbeat = world.now;
  world.look();
  std::erase_if(world.facts.operations, [&](const Operation& op) {  // what the facts leave out
    const bool open_repair = world.facts.repair && world.facts.repair->id == op.repair;
    return !open_repair && op.state == OperationState::concluded && *op.concluded_at + minutes{10} < world.now;
  });
}

void move(World& world, std::uint16_t number) {
  const unsigned how = number / 40;
  const unsigned what = number % 40;
  if (what < 12) {
    pass(world, std::array{seconds{16}, seconds{16}, seconds{31}, seconds{90}, seconds{601}, seconds{3601}}[how % 6]);
  } else if (what < 22) {
    serve(world, how);
  } else if (what < 25) {
    person(world, how);
  } else {
    mischief(world, what - 25, how);
  }
  turn(world);
}

void heal(World& world) {
  for (auto& [name, mark] : world.marks) {
    mark.busy = mark.down = false;
    mark.ready = mark.exists = true;
  }
  world.agent_lives = true;
  world.facts.cluster.breaker.open = false;
  world.facts.caution = {};
  world.facts.node.identity_conflict.reset();
  world.facts.spares = 1;
  world.drain_works = true;
  world.act_outcome = Outcome::succeeded;
}

TEST(Walk, EveryTurnKeepsTheRulesAndEverythingComesToRest) {
  const bool ok = rc::check("a walk", [](const std::vector<std::uint16_t>& more) {
    // RapidCheck's lists are short: walks of a few hundred moves find more.
    const auto moves = *rc::gen::noShrink(  // shrinking hundreds of moves takes longer than reading them
        rc::gen::container<std::vector<std::uint16_t>>(300, rc::gen::inRange<std::uint16_t>(0, 65535)));
    NodeFacts facts =
        healthy_node(more.size() % 2 ? std::vector<std::string>{"kube", "slurm"} : std::vector<std::string>{"kube"});
    facts.policy.policy.wait.at_most = minutes{30};
    World world(facts);
    world.strict = false;
    for (const std::uint16_t number : moves) {
      move(world, number);
      if (!world.problem.empty()) RC_FAIL(world.problem);
    }
    heal(world);
    for (int i = 0; i < 600 && world.problem.empty(); ++i) {
      Operation* op = open_operation(world);
      if (op && op->state == OperationState::ambiguous) *op = *settle(*op, kAnn, Outcome::undone, "", world.now);
      if (op && op->state != OperationState::concluded && op->state != OperationState::ambiguous) world.carry_out(*op);
      turn(world);
      pass(world, seconds{31});
    }
    if (!world.problem.empty()) RC_FAIL(world.problem);
    RC_ASSERT(!open_operation(world));
    if (world.facts.repair) RC_ASSERT(!world.facts.repair->waits_for.empty() || world.facts.repair->person.has_value());
    for (const auto& [name, mark] : world.marks) {
      RC_ASSERT(mark.owner.empty() ||
                (world.facts.node.quarantine && world.facts.node.quarantine->repair == mark.owner));
    }
  });
  EXPECT_TRUE(ok);
}

// ---- Facts that no engine would produce: nothing crashes, and the hard rules hold all the same.

template <class E>
E one_of(std::initializer_list<E> values) {
  return *rc::gen::elementOf(std::vector<E>(values));
}

std::optional<Time> maybe_time() {
  const int minute = *rc::gen::inRange(-300, 30);
  return *rc::gen::arbitrary<bool>() ? std::optional<Time>(kStart + minutes{minute}) : std::nullopt;
}

Repair any_repair() {
  Repair repair;
  repair.id = "rep-1", repair.node = "node-1", repair.host = "host-1", repair.node_name = "gpu-1";
  using enum RepairStep;
  repair.step = one_of({ask, queued, cordon, wait, drain, act, verify, give_back, undo});
  using enum RepairState;
  repair.state = one_of({PENDING_APPROVAL, PENDING, QUARANTINING, QUARANTINED, RUNNING});
  repair.action = one_of({Action::reboot, Action::reprovision, Action::migrate, Action::remove});
  repair.alerts = *rc::gen::arbitrary<bool>() ? std::vector<std::string>{"alr-1"} : std::vector<std::string>{};
  repair.by_evidence = *rc::gen::arbitrary<bool>();
  repair.created_at = kStart - hours{3};
  if (*rc::gen::arbitrary<bool>()) {
    repair.review = Review{one_of<std::string>({"Auto-Approved", "ann"}), kStart, "",
                           one_of({ReviewHow::automatically, ReviewHow::by_person})};
  }
  if (*rc::gen::inRange(0, 4) == 0) repair.cancel_requested_by = "ann";
  if (*rc::gen::inRange(0, 4) == 0) repair.force_drain = "ann";
  repair.wait_until = maybe_time();
  repair.step_deadline = maybe_time();
  repair.acted_at = maybe_time();
  repair.attempt = *rc::gen::inRange(0U, 3U);
  return repair;
}

Operation any_operation() {
  Operation op;
  op.id = "op-1", op.repair = one_of<std::string>({"rep-1", "rep-0"}), op.node = "node-1";
  using enum OperationKind;
  op.kind = one_of({cordon, drain, act, uncordon});
  op.adapter = op.kind == act ? "sim" : "kube";
  using enum OperationState;
  op.state = one_of({planned, dispatching, acknowledged, concluded, ambiguous});
  op.attempt = *rc::gen::inRange(1U, 3U);
  op.planned_at = kStart - minutes{5};
  op.deadline = kStart + minutes{*rc::gen::inRange(-5, 5)};
  if (op.state != planned) op.owner = "replica-1", op.dispatched_at = kStart - minutes{4};
  if (op.state == concluded) {
    op.outcome = one_of({Outcome::succeeded, Outcome::failed, Outcome::undone});
    op.concluded_at = kStart - seconds{*rc::gen::inRange(0, 300)};
  }
  return op;
}

NodeFacts any_facts() {
  NodeFacts facts = healthy_node();
  const auto coin = [] { return *rc::gen::arbitrary<bool>(); };
  if (coin()) facts.session.reset();
  if (coin()) facts.listening_since.reset();
  if (coin()) facts.last_heartbeat = maybe_time();
  Alert alert;
  alert.id = "alr-1", alert.node = "node-1", alert.host = one_of<std::string>({"host-1", "host-0"});
  alert.fault = {"DmesgXidError", "119"}, alert.boot_id = one_of<std::string>({"boot-1", "boot-0"});
  alert.state = one_of({AlertState::pending, AlertState::firing, AlertState::resolved});
  alert.action = one_of({Action::none, Action::reboot, Action::migrate});
  using enum ClearsOn;
  alert.clears = one_of({reboot, quiet, condition, load, check});
  alert.started_at = alert.last.at = kStart - hours{1};
  if (alert.state != AlertState::pending) alert.firing_at = kStart - minutes{50};
  if (alert.state == AlertState::resolved) alert.resolved_at = kStart - minutes{*rc::gen::inRange(0, 10)};
  if (coin()) facts.alerts = {alert};
  if (coin()) facts.repair = any_repair();
  if (coin()) facts.operations = {any_operation()};
  if (coin())
    facts.holds.push_back(
        {"node-1", "kube", one_of<std::string>({"rep-1", "rep-0"}), "", coin(), maybe_time(), maybe_time(), {}});
  if (coin()) facts.node.quarantine = Quarantine{one_of<std::string>({"rep-1", "rep-0"}), "why", kStart};
  if (*rc::gen::inRange(0, 5) == 0) facts.node.identity_conflict = "two";
  if (*rc::gen::inRange(0, 5) == 0) facts.node.removed_at = kStart;
  facts.cluster.breaker.open = coin();
  facts.caution.observe_only = *rc::gen::inRange(0, 5) == 0;
  facts.policy.policy.confirmation = coin() ? Confirmation::automatic : Confirmation::approve;
  Observation& look = facts.observed[0];
  look.seen_at = kStart - seconds{*rc::gen::inRange(0, 100)};
  look.idleness = one_of({Idleness::unknown, Idleness::busy, Idleness::idle});
  look.idle_looks = *rc::gen::inRange(0U, 4U);
  if (coin()) look.drained = coin();
  look.exists = *rc::gen::inRange(0, 5) != 0;
  look.gone_looks = look.exists ? 0 : 2;
  look.cordoned = coin();
  look.hold_owner = one_of<std::string>({"", "rep-1", "rep-0", "rep-9"});
  if (*rc::gen::inRange(0, 5) == 0) look.error = "time-out";
  if (coin()) facts.observed.clear();
  return facts;
}

TEST(Walk, FactsThatCannotBeAreDecidedWithoutHarm) {
  const bool ok = rc::check("any facts", [] {
    World world(any_facts());
    world.strict = false;
    const NodeChanges changes = node_turn(world.facts, world.now, world.ids);
    const std::string wrong = world.wrong_with(changes);
    if (!wrong.empty()) RC_FAIL(wrong + ": " + World::describe(changes));
    world.apply(changes);
    if (!world.problem.empty()) RC_FAIL(world.problem);
    const NodeChanges again = node_turn(world.facts, world.now, world.ids);
    if (!World::is_nothing(again)) RC_FAIL(World::describe(again));
    RC_ASSERT(!why(world.facts, world.now).empty());
  });
  EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace sickbay::decide::testing
