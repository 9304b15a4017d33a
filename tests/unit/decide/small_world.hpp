// A small world for the tests of decide/: one node whose schedulers and provider do at once what an operation says, and
// which feeds every turn's changes back into the facts, as the engine would. Every turn it takes is checked: the same
// turn again must change nothing, and no operation may be planned beside one that is open.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "decide/turn.hpp"
#include "tests/unit/decide/healthy_node.hpp"

namespace sickbay::decide::testing {

struct Mark {
  std::string owner, uid;
  bool cordoned = false, ready = true, registered = false, exists = true, busy = false, down = false;
  bool leftovers = false;  // pods without accelerators
  std::vector<std::string> blockers;
};

struct World {
  NodeFacts facts;
  Time now = kStart;
  SeededIds ids{7};
  std::map<std::string, Mark> marks;  // by scheduler
  std::vector<Event> events;
  std::vector<Operation> dispatched;  // the world's journal
  std::vector<Slot> slots;
  std::vector<Host> hosts;
  bool agent_lives = true;
  bool obey = true;  // operations are carried out; else they stay planned
  bool drain_works = true;
  bool refuse_drains = false;
  bool names_hosts = true;
  Outcome act_outcome = Outcome::succeeded;
  std::uint32_t nodes = 100, out_of_service = 0;
  std::vector<Time> turned_unhealthy;
  int boots = 1;

  explicit World(NodeFacts start = healthy_node()) : facts(std::move(start)) {
    for (const std::string& name : facts.node.schedulers) marks[name];
  }

  const Repair& repair() const { return facts.repair ? *facts.repair : facts.history.front(); }
  Alert* alert(std::string_view name) {
    for (Alert& one : facts.alerts) {
      if (one.fault.name == name) return &one;
    }
    return nullptr;
  }
  int said(EventKind kind) const { return static_cast<int>(std::ranges::count(events, kind, &Event::kind)); }
  void tell(Finding one) {
    if (facts.session && one.boot_id == "boot-1") one.boot_id = facts.session->boot_id;
    facts.fresh.push_back({std::move(one), facts.session ? facts.session->epoch : 0, now});
  }

  template <class T, class Same>
  static void merge(std::vector<T>& into, const std::vector<T>& changed, Same same_one) {
    for (const T& one : changed) {
      const auto found = std::ranges::find_if(into, [&](const T& old) { return same_one(old, one); });
      if (found == into.end())
        into.push_back(one);
      else
        *found = one;
    }
  }

  void apply(NodeChanges changes) {
    if (changes.node) facts.node = *changes.node;
    merge(facts.alerts, changes.alerts, [](auto& a, auto& b) { return a.id == b.id; });
    merge(facts.operations, changes.operations, [](auto& a, auto& b) { return a.id == b.id; });
    merge(facts.holds, changes.holds,
          [](auto& a, auto& b) { return a.scheduler == b.scheduler && a.repair == b.repair; });
    std::erase_if(facts.holds, [](const Hold& hold) { return hold.released_at.has_value(); });
    for (const Host& host : changes.hosts) {
      hosts.push_back(host);
      if (host.id == facts.host.id) facts.host = host;
      if (facts.host_before && host.id == facts.host_before->id) facts.host_before = host;
    }
    for (Event& event : changes.events) events.push_back(std::move(event));
    std::erase_if(facts.fresh, [&](const FreshFinding& fresh) {
      return std::ranges::find(changes.folded, fresh.finding.id) != changes.folded.end();
    });
    if (changes.repair) set_repair(*changes.repair);
    if (changes.release_slots) slots.clear();
  }
  void set_repair(const Repair& repair) {
    if (is_final(repair.state)) {
      for (const Operation& operation : facts.operations) {
        // Marks that a dead repair left are tended in its name; what reaches jobs or the machine is over.
        const bool tends = operation.kind == OperationKind::cordon || operation.kind == OperationKind::uncordon;
        if (operation.repair == repair.id && operation.state != OperationState::concluded &&
            !(tends && operation.planned_at == now)) {
          complain("a final repair has an open operation");
        }
      }
      facts.history.insert(facts.history.begin(), repair);
      facts.repair.reset();
    } else {
      facts.repair = repair;
    }
  }

  static bool is_nothing(const NodeChanges& c) {
    return !c.node && c.alerts.empty() && !c.repair && c.operations.empty() && c.holds.empty() && c.hosts.empty() &&
           c.events.empty() && c.folded.empty();
  }

  // What is wrong with a turn, in words; empty: nothing. `facts` are still those it was taken on.
  std::string wrong_with(const NodeChanges& changes) const {
    int planned = 0;
    for (const Operation& op : changes.operations) {
      if (op.state != OperationState::planned) continue;
      ++planned;
      const std::optional<Repair>& repair = changes.repair ? changes.repair : facts.repair;
      if (facts.caution.observe_only) return "an operation was planned while only observing";
      if (op.kind != OperationKind::act && op.kind != OperationKind::drain) continue;
      if (!repair || repair->id != op.repair) return "a drain or act without its repair";
      if (is_automatic(*repair) && facts.cluster.breaker.open) return "something automatic while the breaker is open";
      if (facts.node.identity_conflict) return "an action during an identity conflict";
      if (op.kind != OperationKind::act || repair->force_drain) continue;
      for (const std::string& name : (changes.node ? *changes.node : facts.node).schedulers) {
        const auto look = std::ranges::find(facts.observed, name, &Observation::scheduler);
        if (look == facts.observed.end() || !is_fresh(*look, now) || look->idleness != Idleness::idle ||
            look->idle_looks < 2) {
          return "an act without fresh idle or a recorded force";
        }
      }
    }
    return planned > 1 ? "two operations planned in one turn" : "";
  }
  std::string wrong_after() const {
    int open = 0;
    for (const Operation& op : facts.operations) open += op.state != OperationState::concluded;
    if (open > 1) return "two operations of a node are open";
    if (facts.history.empty()) return "";
    const Repair& ended = facts.history.front();
    for (const Operation& op : facts.operations) {
      if (op.repair == ended.id && op.kind == OperationKind::act && op.state != OperationState::concluded) {
        return "a final repair has an open act";
      }
    }
    for (const Hold& hold : facts.holds) {
      if (hold.repair == ended.id && hold.wanted && ended.state != RepairState::FAILED)
        return "a final repair holds on";
    }
    const bool returned = ended.state == RepairState::SUCCEEDED && ended.action != Action::remove;
    if (returned && facts.session->epoch <= ended.epoch_before) return "SUCCEEDED without a later boot";
    return "";
  }
  static std::string describe(const NodeChanges& c) {
    std::string text = "a turn on its own result still changes something:";
    if (c.node) text += " node";
    if (!c.alerts.empty()) text += " alert " + c.alerts[0].fault.text() + " " + name_of(c.alerts[0].state);
    if (c.repair) text += " repair " + name_of(c.repair->step);
    for (const std::string& one : c.repair ? c.repair->waits_for : std::vector<std::string>{}) text += " <" + one + ">";
    for (const Operation& op : c.operations) text += " operation " + name_of(op.kind) + " " + name_of(op.state);
    if (!c.holds.empty()) text += " hold";
    if (!c.hosts.empty()) text += " host";
    for (const Event& event : c.events) text += " says '" + event.message + "'";
    return text;
  }

  bool strict = true;  // a wrong turn fails the test at once; else it is left in `problem`
  std::string problem;
  void complain(std::string text) {
    if (text.empty() || !problem.empty()) return;
    if (strict) ADD_FAILURE() << text;
    problem = std::move(text);
  }

  // One turn, then the same again, which must find nothing to do.
  NodeChanges turn() {
    NodeChanges changes = node_turn(facts, now, ids);
    complain(wrong_with(changes));
    apply(changes);
    complain(wrong_after());
    const NodeChanges again = node_turn(facts, now, ids);
    if (!is_nothing(again)) complain(describe(again));
    return changes;
  }

  AdmissionChanges admit_now() {
    AdmissionFacts f;
    f.cluster = facts.cluster, f.policy = facts.policy, f.node = facts.node, f.repair = *facts.repair;
    for (const Alert& one : facts.alerts) {
      if (std::ranges::find(f.repair.alerts, one.id) != f.repair.alerts.end()) f.alerts.push_back(one);
    }
    f.nodes = nodes, f.out_of_service = out_of_service, f.slots = slots, f.spares = facts.spares;
    f.turned_unhealthy = turned_unhealthy, f.caution = facts.caution;
    AdmissionChanges changes = admit(f, now, ids);
    if (changes.repair) set_repair(*changes.repair);
    if (changes.cluster) facts.cluster = *changes.cluster;
    for (const Slot& slot : changes.take) slots.push_back(slot);
    for (const Event& event : changes.events) events.push_back(event);
    return changes;
  }

  void look() {
    for (Observation& old : facts.observed) {
      const Mark& mark = marks[old.scheduler];
      Observation fresh;
      fresh.node = "node-1", fresh.scheduler = old.scheduler;
      fresh.error = mark.down ? "connection refused" : "";
      fresh.exists = mark.exists, fresh.ready = mark.ready, fresh.registered = mark.registered,
      fresh.cordoned = mark.cordoned;
      fresh.hold_owner = mark.owner;
      fresh.idleness = mark.busy ? Idleness::busy : Idleness::idle;
      fresh.drained = !mark.busy && !mark.leftovers;
      fresh.uid = mark.uid;
      if (mark.busy) fresh.holders = {{"pod", "train-0", "train-0", "", {}}};
      fresh.blockers = mark.blockers;
      fresh.kind = old.kind, fresh.seen_at = now;
      old = fold_observation(old, fresh);
      // As a list does that has the node again.
      std::vector<std::string>& in = facts.node.schedulers;
      if (mark.exists && std::ranges::find(in, old.scheduler) == in.end()) in.push_back(old.scheduler);
    }
  }

  void new_boot(bool new_machine, std::string host = {}) {
    Session& session = *facts.session;
    ++boots;
    session.epoch += 1;
    session.boot_id = "boot-" + std::to_string(boots);
    if (new_machine) session.machine_id = "machine-" + std::to_string(boots);
    session.boot_started_at = session.hello_at = session.active_at = now;
    session.active.clear();
    facts.last_heartbeat = now;
    if (host.empty() || host == facts.node.host) return;
    facts.host_before = facts.host;
    facts.host = Host{};
    facts.host.id = host, facts.host.state = HostState::spare;
    facts.node.host = session.host = host;
  }

  void carry_out(Operation& op) {
    Mark& mark = marks[op.adapter];
    op.owner = "replica-1";
    op.dispatched_at = now;
    op.state = OperationState::dispatching;
    ++op.version;
    dispatched.push_back(op);
    Outcome outcome = Outcome::succeeded;
    if (op.kind == OperationKind::act) {
      outcome = act_outcome;
    } else if (mark.down) {
      outcome = Outcome::failed;
    } else if (op.kind == OperationKind::cordon) {
      mark.owner = op.repair, mark.cordoned = true;
    } else if (op.kind == OperationKind::uncordon) {
      if (mark.owner == op.repair) mark.owner.clear(), mark.cordoned = false;
    } else if (refuse_drains) {
      outcome = Outcome::failed;
    } else if (drain_works || op.force) {
      mark.busy = mark.leftovers = false;
    }
    now += seconds{1};
    op.concluded_at = now;
    op.outcome = outcome;
    op.state = OperationState::concluded;
    ++op.version;
    if (op.kind == OperationKind::act && outcome == Outcome::succeeded && op.action != Action::remove) {
      now += seconds{30};
      new_boot(op.action == Action::reprovision || op.action == Action::migrate,
               op.action == Action::migrate && names_hosts ? "host-2" : "");
    }
  }

  // A turn, admission where it is wanted, and what was planned is carried out.
  void step() {
    const NodeChanges changes = turn();
    if (changes.wants_admission && facts.repair) admit_now();
    if (!obey) return;
    for (Operation& op : facts.operations) {
      if (op.state == OperationState::planned) carry_out(op);
    }
  }

  // Lets time pass in steps, with heartbeats and looks, for `span` or until `enough`.
  template <class Enough>
  bool run_until(Duration span, Enough enough, Duration each = seconds{16}) {
    const Time end = now + span;
    while (now < end) {
      step();
      if (enough()) return true;
      now += each;
      if (agent_lives && facts.last_heartbeat) facts.last_heartbeat = now;
      look();
    }
    step();
    return enough();
  }
  void run(Duration span, Duration each = seconds{16}) {
    run_until(span, [] { return false; }, each);
  }
  bool until_state(RepairState state, Duration span = hours{6}) {
    return run_until(span, [&] { return (facts.repair || !facts.history.empty()) && repair().state == state; });
  }
  bool until_step(RepairStep step_wanted, Duration span = hours{6}) {
    return run_until(span, [&] { return facts.repair && facts.repair->step == step_wanted; });
  }
  void approve_it(std::optional<Action> action = {}) {
    Approval approval;
    approval.action = action, approval.comment = "as discussed", approval.revision = facts.repair->revision;
    const auto approved = approve(*facts.repair, facts.policy.policy, {"ann", Role::operator_}, approval, now);
    ASSERT_TRUE(approved) << approved.error().message;
    facts.repair = *approved;
  }
  // A node with an approved repair for this finding.
  void sicken(Finding one) {
    tell(std::move(one));
    ASSERT_TRUE(until_state(RepairState::PENDING_APPROVAL));
    approve_it();
  }
  // An approved repair whose act is planned and not taken yet; the world does nothing by itself from here on.
  Operation* plan_act(Finding one) {
    sicken(std::move(one));
    EXPECT_TRUE(until_step(RepairStep::drain));
    obey = false;
    for (int i = 0; i < 50 && !(facts.repair && facts.repair->attempt == 1); ++i) {
      turn();
      for (Operation& op : facts.operations) {
        if (op.state == OperationState::planned && op.kind != OperationKind::act) carry_out(op);
      }
      now += seconds{16};
      facts.last_heartbeat = now;
      look();
    }
    for (Operation& op : facts.operations) {
      if (op.kind == OperationKind::act) return &op;
    }
    ADD_FAILURE() << "no act was planned";
    return nullptr;
  }
  const Operation* act() const {
    for (const Operation& op : dispatched) {
      if (op.kind == OperationKind::act) return &op;
    }
    return nullptr;
  }
};

}  // namespace sickbay::decide::testing
