// The invariants.
#include "tests/simulation/invariants.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model/json.hpp"
#include "store/alerts.hpp"
#include "store/findings.hpp"
#include "store/nodes.hpp"
#include "store/operations.hpp"
#include "store/repairs.hpp"
#include "store/work.hpp"

namespace sickbay::simulation {

using simworld::What;

void Invariants::at(const simworld::Entry& entry) {
  for (std::string& what : checker_.take(entry)) flag(std::move(what));
  if (entry.what == What::recalled) ++met_["act recalled"];
  if (entry.what == What::unmark && entry.by.starts_with("the provider's")) ++met_["mark ended by an action"];
  met_["mark or cordon overtaken"] = checker_.count().overtaken;
  check_patience(entry);
  // One that the provider took from its queue was received before.
  const bool received = entry.what == What::request && !entry.outcome && entry.by != "queue";
  if (received && entry.kind == OperationKind::act) check_request(entry);
  if (entry.what == What::end && entry.outcome == Outcome::succeeded) rebooted_.insert(entry.repair);
}

// At least 15 s lie between a cordon and the first eviction: time for a person's uncordon and for the breaker
// (product.md 4.1). By the world's own clock; not where the database's was stepped.
void Invariants::check_patience(const simworld::Entry& entry) {
  if (entry.what == What::mark) marked_.emplace(entry.repair, entry.at);
  if (entry.what != What::request || entry.outcome || entry.force || plan_.clock_step > 0 || entry.by == "queue")
    return;
  if (entry.kind != OperationKind::drain && entry.kind != OperationKind::act) return;
  const auto marked = marked_.find(entry.repair);
  if (marked == marked_.end() || entry.at - marked->second >= seconds{15}) return;
  std::string how;
  (void)store_.read([&](store::Tx& tx) -> Status {
    const auto repair = store::get_repair(tx, entry.repair);
    for (const StepTime& step : repair ? repair->steps : std::vector<StepTime>{}) {
      how += fmt::format("; {} {} {}", format_time(step.at), name_of(step.step), step.why);
    }
    return {};
  });
  flag(fmt::format("{} was asked to {} by {} only {} after its cordon{}", entry.node, name_of(entry.kind),
                   entry.operation, format_duration(entry.at - marked->second), how));
}

void Invariants::check_request(const simworld::Entry& entry) {
  (void)store_.read([&](store::Tx& tx) -> Status {
    const auto operation = store::get_operation(tx, entry.operation);
    if (!operation) {
      flag(fmt::format("{} was asked to {} by operation {}, which was never committed", entry.node,
                       name_of(entry.action), entry.operation));
      return {};
    }
    const auto repair = store::get_repair(tx, operation->repair);
    const auto says = [&](const std::string& what) {
      flag(fmt::format("{} was asked to {} by {} of {}: {}", entry.node, name_of(entry.action), operation->id,
                       operation->repair, what));
    };
    // Planned again after it was sent: the first request may still come, and the provider refuses a second effect.
    if (operation->state == OperationState::planned && !operation->dispatched_at) says("the operation is only planned");
    if (operation->action != entry.action) says("the intent was another action");
    if (!repair) return says("there is no such repair"), Status{};
    if (repair->action != entry.action) says(fmt::format("approved was {}", name_of(repair->action)));
    if (!repair->review && repair->trigger == Trigger::automated) says("nobody approved it");
    return {};
  });
}

void Invariants::between() {
  (void)store_.read([&](store::Tx& tx) -> Status {
    const auto slots = store::slots_of(tx, "default");
    std::map<std::string, std::uint32_t> taken;
    for (const Slot& slot : slots) ++taken[text_of(slot.scope)];
    for (const auto& [scope, count] : taken) {
      const std::uint32_t most =
          scope == "cluster" ? plan_.policy.limits.slots_per_cluster.value_or(1) : plan_.policy.limits.slots_per_pool;
      if (count > most) flag(fmt::format("{} slots are taken in {}, {} are allowed", count, scope, most));
    }
    for (const Slot& slot : slots) {
      const auto repair = store::get_repair(tx, slot.repair);
      const bool for_host = repair && !repair->waits_for.empty() &&
                            repair->waits_for.front().find("on the same host") != std::string::npos;
      if (for_host && waited_for_host_.insert(repair->id).second) ++met_["repair that waited for its host"];
      if (!repair || is_final(repair->state)) flag(fmt::format("the slot of {} outlived it", slot.repair));
    }
    return {};
  });
}

void Invariants::at_rest(const simworld::World& world, const Agents& agents, Time now) {
  (void)store_.read([&](store::Tx& tx) -> Status {
    check_repairs(tx);
    check_marks(tx, world);
    check_alerts(tx, agents);
    const auto due = store::next_due(tx);
    if (due && *due + minutes{1} < now) flag("work has been due for over a minute and nobody turned it");
    return {};
  });
}

void Invariants::check_repairs(store::Tx& tx) {
  store::RepairFilter filter;
  filter.cluster = "default";
  for (const Repair& repair : store::list_repairs(tx, filter, {1000, ""}).items) {
    const auto says = [&](const std::string& what) {
      flag(fmt::format("{} is {} {}: {}", repair.id, name_of(repair.state), name_of(repair.step), what));
    };
    bool open = false;
    for (const Operation& operation : store::operations_of_repair(tx, repair.id)) {
      if (operation.state == OperationState::concluded) continue;
      open = true;
      if (is_final(repair.state)) says("its operation is not concluded: " + to_json_text(operation));
    }
    if (!is_final(repair.state)) {
      if (!repair.person && repair.waits_for.empty()) says("it neither ended nor names what it waits for");
      if (open && !repair.person) says("an operation is open and no person is asked");
      continue;
    }
    for (const Hold& hold : store::holds_of(tx, repair.node)) {
      if (hold.repair == repair.id && repair.state != RepairState::FAILED) says("it still holds its node");
    }
    const bool acts = repair.action != Action::none && repair.action != Action::remove;
    if (repair.state == RepairState::SUCCEEDED && acts && !rebooted_.contains(repair.id)) {
      says("its action never ended well in the world");
    }
  }
}

// Marks of ours in the world are the holds of a quarantined node, and every hold that is wanted is in the world.
void Invariants::check_marks(store::Tx& tx, const simworld::World& world) {
  for (const auto& [name, state] : world.state().nodes) {
    if (state.removed) continue;
    const auto node = store::find_node(tx, "default", name);
    for (const simworld::Membership& in : state.in) {
      if (!in.mark || in.mark->installation != "installation") continue;
      if (!node || !node->quarantine) {
        flag(fmt::format("{} carries {}'s mark in {} and is not quarantined", name, in.mark->repair, in.scheduler));
      }
    }
    if (!node || !node->quarantine || !state.listed) continue;
    for (const Hold& hold : store::holds_of(tx, node->id)) {
      const auto in = std::ranges::find(state.in, hold.scheduler, &simworld::Membership::scheduler);
      if (hold.wanted && in != state.in.end() && !in->mark) {
        flag(fmt::format("{} is quarantined by {} but not held in {}", name, hold.repair, hold.scheduler));
      }
    }
  }
}

// Every fault that an agent holds to be active has an alert that is not resolved.
void Invariants::check_alerts(store::Tx& tx, const Agents& agents) {
  for (const Agents::Holding& agent : agents.holding()) {
    const auto node = store::find_node(tx, "default", agent.node);
    if (!node || !agent.connected) continue;
    const auto alerts = store::open_alerts_of_node(tx, node->id);
    for (const ActiveFault& fault : agent.active) {
      const bool has = std::ranges::any_of(alerts, [&](const Alert& alert) {
        return alert.fault == fault.first.fault ||
               std::ranges::find(alert.joined, fault.first.fault) != alert.joined.end();
      });
      if (!has && fault.first.severity != Severity::info) {
        flag(fmt::format("{} reports {} and there is no alert", agent.node, fault.first.fault.text()));
      }
    }
    if (!store::unfolded_findings(tx, node->id, 1).empty())
      flag(fmt::format("a finding of {} was never folded", agent.node));
  }
}

void Invariants::never_rested(const simworld::World& world) {
  (void)store_.read([&](store::Tx& tx) -> Status {
    std::string why = "it did not come to rest:";
    for (const auto& [name, state] : world.state().nodes) {
      const auto node = store::find_node(tx, "default", name);
      if (!node) continue;
      if (const auto repair = store::open_repair_of(tx, node->id)) {
        why += fmt::format(" {} is {} {} ({}; person: {}; waits: {});", repair->id, name_of(repair->state),
                           name_of(repair->step), name, repair->person.value_or("-"),
                           repair->waits_for.empty() ? "-" : repair->waits_for.front());
      } else if (node->quarantine) {
        why += fmt::format(" {} is quarantined by {};", name, node->quarantine->repair);
      }
      for (const Operation& operation : store::open_operations_of_node(tx, node->id)) {
        why += fmt::format(" {};", to_json_text(operation));
      }
    }
    flag(why);
    return {};
  });
}

}  // namespace sickbay::simulation
