#include "engine/commands.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/facts.hpp"
#include "engine/look.hpp"
#include "engine/write.hpp"
#include "model/json.hpp"
#include "store/nodes.hpp"
#include "store/operations.hpp"
#include "store/policies.hpp"
#include "store/repairs.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

tl::unexpected<Error> no_such(std::string_view what, std::string_view id) {
  return fail(Errc::not_found, fmt::format("there is no {} '{}'", what, id));
}

Event said(const Repair& repair, EventKind kind, const decide::Person& who, std::string message, Time now,
           std::string id) {
  Event event = event_of(repair, kind, std::move(id), now, std::move(message), who.name);
  event.data["state"] = name_of(repair.state);
  event.data["action"] = name_of(repair.action);
  return event;
}

// Takes the node's work row, so that what follows is serial with its turns, and reads the facts.
std::optional<decide::NodeFacts> taken(store::Tx& tx, std::string_view node, const Loading& loading) {
  store::wake(tx, WorkKind::node, node, store::now(tx));
  return load_node_facts(tx, node, store::now(tx), loading);
}

// The repair's operation whose outcome nobody can see, if it has one.
const Operation* ambiguous(const decide::NodeFacts& facts, const Repair& repair) {
  const auto found = std::ranges::find_if(facts.operations, [&](const Operation& operation) {
    return operation.repair == repair.id && operation.state == OperationState::ambiguous;
  });
  return found == facts.operations.end() ? nullptr : &*found;
}

}  // namespace

Commands::Commands(store::Store& store, const FaultTable& faults, Ids& ids, const Options& options,
                   std::function<void()> woken, std::function<decide::SafetyState()> caution)
    : store_(store),
      faults_(faults),
      ids_(ids),
      options_(options),
      woken_(std::move(woken)),
      caution_(caution ? std::move(caution) : [] { return decide::SafetyState{}; }) {}

template <class Change>
Result<Repair> Commands::change(std::string_view id, const decide::Person& who, std::string_view verb, Change change) {
  const std::string event_id = ids_.next("ev");
  const auto changed = store_.write([&](store::Tx& tx) -> Result<Repair> {
    const auto before = store::get_repair(tx, id);
    if (!before) return no_such("repair", id);
    store::wake(tx, WorkKind::node, before->node, store::now(tx));
    const auto repair = store::get_repair(tx, id);  // as it is now that the node's work row is ours
    const Time now = store::now(tx);
    const Policy policy = store::current_policy(tx, repair->cluster).policy;
    SICKBAY_ASSIGN(const Repair next, change(*repair, policy, now));
    if (to_json_text(next) == to_json_text(*repair)) return next;  // decided so before
    store::put_repair(tx, next);
    write_events(tx, {said(next, EventKind::repair_decision, who,
                           fmt::format("{} by {}: {} of {}", verb, who.name, name_of(next.action), next.node_name), now,
                           event_id)});
    return next;
  });
  if (changed && woken_) woken_();
  return changed;
}

Result<Repair> Commands::approve(std::string_view id, const decide::Person& who, const decide::Approval& approval) {
  return change(id, who, "approved", [&](const Repair& repair, const Policy& policy, Time now) {
    return decide::approve(repair, policy, who, approval, now);
  });
}

Result<Repair> Commands::reject(std::string_view id, const decide::Person& who, std::string_view comment) {
  return change(id, who, "rejected", [&](const Repair& repair, const Policy&, Time now) {
    return decide::reject(repair, who, comment, now);
  });
}

Result<Repair> Commands::cancel(std::string_view id, const decide::Person& who) {
  return change(id, who, "cancelled",
                [&](const Repair& repair, const Policy&, Time now) { return decide::cancel(repair, who, now); });
}

Result<Repair> Commands::force_drain(std::string_view id, const decide::Person& who) {
  return change(id, who, "drain by force asked",
                [&](const Repair& repair, const Policy&, Time now) { return decide::force_drain(repair, who, now); });
}

Result<Repair> Commands::create(std::string_view node, const decide::Person& who, const decide::Request& request) {
  const std::string event_id = ids_.next("ev");
  const auto created = store_.write([&](store::Tx& tx) -> Result<Repair> {
    const auto facts = taken(tx, node, {faults_, options_, caution_()});
    if (!facts) return no_such("node", node);
    if (!request.request_id.empty()) {
      if (const auto known = store::repair_by_request(tx, facts->node.cluster, request.request_id)) {
        const bool same = known->node == facts->node.id && known->recommended == request.action;
        if (same) return *known;
        return fail(Errc::conflict,
                    fmt::format("request '{}' was made before for another node or action ({} of {})",
                                request.request_id, name_of(known->recommended), known->node_name),
                    "remediation_id");
      }
    }
    const Time now = store::now(tx);
    SICKBAY_ASSIGN(const Repair repair, decide::request(*facts, who, request, now, ids_));
    store::put_repair(tx, repair);
    write_events(tx, {said(repair, EventKind::repair_created, who,
                           fmt::format("{} of {} asked for by {}: {}", name_of(repair.action), repair.node_name,
                                       who.name, repair.reason),
                           now, event_id)});
    return repair;
  });
  if (created && woken_) woken_();
  return created;
}

Result<Repair> Commands::preview(std::string_view node, const decide::Person& who, const decide::Request& request) {
  return store_.read([&](store::Tx& tx) -> Result<Repair> {
    const auto facts = load_node_facts(tx, node, store::now(tx), {faults_, options_, caution_()});
    if (!facts) return no_such("node", node);
    return decide::request(*facts, who, request, store::now(tx), ids_);
  });
}

Result<Repair> Commands::ended(store::Tx& tx, decide::NodeFacts& facts, std::string_view id, const decide::Person& who,
                               std::string_view comment) {
  const Time now = store::now(tx);
  auto repair = store::get_repair(tx, id);
  bool undone_as_wished = false;
  if (const Operation* open = ambiguous(facts, *repair)) {
    SICKBAY_ASSIGN(Operation settled, decide::settle(*open, who, Outcome::undone, comment, now));
    settled.version = open->version + 1;
    if (!store::swap_operation(tx, settled)) return fail(Errc::changed, "the operation changed meanwhile; look again");
    Event event = operation_event(settled, now, ids_.next("ev"));
    event.actor = who.name;
    write_events(tx, {event});
    // The repair fails with it, here and now: what follows needs it ended.
    decide::NodeFacts after = facts;
    std::ranges::replace_if(after.operations, [&](const Operation& o) { return o.id == settled.id; }, settled);
    const decide::NodeChanges changes = decide::node_turn(after, now, ids_);
    if (!write_changes(tx, changes, facts.node, after.operations, now)) {
      return fail(Errc::changed, "the operation changed meanwhile; look again");
    }
    const auto again = load_node_facts(tx, facts.node.id, now, {faults_, options_, caution_()});
    if (!again) return no_such("node", facts.node.id);
    facts = *again;
    repair = store::get_repair(tx, id);
    undone_as_wished = repair->step == RepairStep::undo || repair->state == RepairState::CANCELLED;
  }
  if (repair->state != RepairState::FAILED && !undone_as_wished) {
    return fail(Errc::conflict, fmt::format("repair {} is {}; this is for a repair that FAILED or whose outcome cannot "
                                            "be seen",
                                            repair->id, name_of(repair->state)));
  }
  return *repair;
}

Result<Repair> Commands::retry(std::string_view id, const decide::Person& who, std::optional<Action> action,
                               std::string_view comment) {
  const std::string event_id = ids_.next("ev");
  const auto made = store_.write([&](store::Tx& tx) -> Result<Repair> {
    const auto known = store::get_repair(tx, id);
    if (!known) return no_such("repair", id);
    auto facts = taken(tx, known->node, {faults_, options_, caution_()});
    if (!facts) return no_such("node", known->node);
    SICKBAY_ASSIGN(const Repair failed, ended(tx, *facts, id, who, comment));
    if (failed.state != RepairState::FAILED) {
      return fail(Errc::conflict, fmt::format("repair {} was to be cancelled; release it, then ask for a new one", id));
    }
    const Time now = store::now(tx);
    SICKBAY_ASSIGN(const Repair next, decide::retry(*facts, failed, who, action, comment, now, ids_));
    store::put_repair(tx, next);
    write_events(tx, {said(next, EventKind::repair_created, who,
                           fmt::format("{} of {} tried again by {}", name_of(next.action), next.node_name, who.name),
                           now, event_id)});
    return next;
  });
  if (made && woken_) woken_();
  return made;
}

Result<Node> Commands::release(std::string_view id, const decide::Person& who, std::string_view reason) {
  const std::string event_id = ids_.next("ev");
  const auto released = store_.write([&](store::Tx& tx) -> Result<Node> {
    const auto known = store::get_repair(tx, id);
    if (!known) return no_such("repair", id);
    auto facts = taken(tx, known->node, {faults_, options_, caution_()});
    if (!facts) return no_such("node", known->node);
    SICKBAY_ASSIGN(const Repair failed, ended(tx, *facts, id, who, reason));
    // Somebody had wished it cancelled: now that its operation is settled, its own steps give the node back.
    if (failed.state != RepairState::FAILED) return facts->node;
    const Time now = store::now(tx);
    SICKBAY_ASSIGN(const decide::Release release, decide::release(*facts, who, reason, now));
    store::put_node(tx, release.node);
    for (const Hold& hold : release.holds) store::put_hold(tx, hold);
    write_events(
        tx, {said(failed, EventKind::node_released, who,
                  fmt::format("{} released by {} as it is: {}", failed.node_name, who.name, reason), now, event_id)});
    return release.node;
  });
  if (released && woken_) woken_();
  return released;
}

Result<std::vector<std::string>> Commands::why_node(std::string_view node) {
  return store_.read([&](store::Tx& tx) -> Result<std::vector<std::string>> {
    const auto facts = load_node_facts(tx, node, store::now(tx), {faults_, options_, caution_()});
    if (!facts) return no_such("node", node);
    return decide::why(*facts, store::now(tx));
  });
}

Result<std::vector<std::string>> Commands::why_repair(std::string_view id) {
  return store_.read([&](store::Tx& tx) -> Result<std::vector<std::string>> {
    const auto repair = store::get_repair(tx, id);
    if (!repair) return no_such("repair", id);
    std::vector<std::string> sentences = repair->reasons;
    if (!repair->policy_rule.empty()) {
      sentences.push_back(fmt::format("policy version {}, rule {}", repair->policy_version, repair->policy_rule));
    }
    for (const std::string& wait : repair->waits_for) sentences.push_back("waits for " + wait);
    if (repair->person) sentences.push_back("a person must decide: " + *repair->person);
    if (!repair->error.empty()) sentences.push_back("failed: " + repair->error);
    return sentences;
  });
}

}  // namespace sickbay::engine
