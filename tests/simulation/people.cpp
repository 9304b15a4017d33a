// What people do.
#include "tests/simulation/people.hpp"

#include <fmt/core.h>

#include "store/clusters.hpp"
#include "store/nodes.hpp"
#include "store/operations.hpp"
#include "store/repairs.hpp"

namespace sickbay::simulation {

namespace {

std::string said(const auto& result) {
  return result ? "done" : result.error().message;
}

}  // namespace

void People::act(Time, bool calm) {
  struct Seen {
    std::vector<Repair> open;
    std::vector<Node> nodes;
  };
  const auto seen = store_.read([](store::Tx& tx) -> Result<Seen> {
    Seen all;
    all.nodes = store::list_nodes(tx, "default");
    for (const std::string& node : store::nodes_with_open_repairs(tx, "default")) {
      if (auto repair = store::open_repair_of(tx, node)) all.open.push_back(std::move(*repair));
    }
    return all;
  });
  if (!seen) return;
  content_ = true;
  for (const Repair& repair : seen->open) {
    const bool waits_for_a_host =
        repair.state == RepairState::PENDING && !repair.waits_for.empty() && repair.action == Action::migrate;
    if (!waits_for_a_host) content_ = false;
    look_after(repair, calm);
  }
  for (const Node& node : seen->nodes) {
    const bool open = std::ranges::any_of(seen->open, [&](const Repair& repair) { return repair.node == node.id; });
    if (node.quarantine && !open) content_ = false, look_after_failed(node, calm);
  }
  if (calm) return mend();
  if (random_.chance(plan_.people)) meddle();
}

// Its act went out and may not have begun: a cancel now is what recalling is for.
bool People::may_recall(const Repair& repair) const {
  return repair.step == RepairStep::act && !plan_.world.capabilities.cancellable.empty();
}

void People::look_after(const Repair& repair, bool calm) {
  if (repair.state == RepairState::PENDING_APPROVAL) {
    if (calm || random_.chance(0.3)) review(repair, calm);
  } else if (repair.person) {
    if (calm || random_.chance(0.3)) help(repair, calm);
  } else if (!calm && random_.chance(may_recall(repair) ? 0.2 : plan_.people / 4)) {
    trace_(fmt::format("alice cancels {}: {}", repair.id, said(commands_.cancel(repair.id, operator_))));
  }
}

void People::review(const Repair& repair, bool calm) {
  if (!calm && random_.chance(0.1)) {
    trace_(fmt::format("alice rejects {}: {}", repair.id, said(commands_.reject(repair.id, operator_, "not now"))));
    return;
  }
  decide::Approval approval;
  approval.revision = repair.revision;
  if (!calm && random_.chance(0.15)) {
    approval.action = random_.chance(0.5) ? Action::reboot : Action::migrate;
    approval.comment = "I know better";
  }
  trace_(fmt::format("alice approves {}: {}", repair.id, said(commands_.approve(repair.id, operator_, approval))));
}

// A person is asked something: they look at the world first, and never declare over what may still happen.
void People::help(const Repair& repair, bool calm) {
  const auto operations = store_.read(
      [&](store::Tx& tx) -> Result<std::vector<Operation>> { return store::open_operations_of_node(tx, repair.node); });
  if (!operations) return;
  for (const Operation& operation : *operations) {
    if (world_.is_pending(operation.id) || somebody_may_send_()) return;
    if (operation.state != OperationState::ambiguous) continue;
    if (!calm && random_.chance(0.5)) {
      trace_(fmt::format("alice retries {}: {}", repair.id,
                         said(commands_.retry(repair.id, operator_, std::nullopt, "I looked: it will not happen"))));
    } else {
      trace_(fmt::format("alice releases {}: {}", repair.id,
                         said(commands_.release(repair.id, operator_, "I looked: it will not happen"))));
    }
    return;
  }
  if (repair.step == RepairStep::drain) {
    trace_(fmt::format("alice forces {}: {}", repair.id, said(commands_.force_drain(repair.id, operator_))));
  } else if (!operations->empty()) {
    return;
  } else {
    trace_(fmt::format("alice cancels {}: {}", repair.id, said(commands_.cancel(repair.id, operator_))));
  }
}

void People::look_after_failed(const Node& node, bool calm) {
  const auto repair = store_.read(
      [&](store::Tx& tx) -> Result<std::optional<Repair>> { return store::get_repair(tx, node.quarantine->repair); });
  if (!repair || !*repair || (*repair)->state != RepairState::FAILED) return;
  if (!calm && random_.chance(0.8)) return;
  if (random_.chance(0.5) && !calm) {
    trace_(fmt::format("alice retries {}: {}", (*repair)->id,
                       said(commands_.retry((*repair)->id, operator_, std::nullopt, "once more"))));
  } else {
    trace_(fmt::format("alice releases {}: {}", (*repair)->id,
                       said(commands_.release((*repair)->id, operator_, "it looks well"))));
  }
}

void People::meddle() {
  std::vector<std::string> names;
  for (const auto& [name, node] : world_.state().nodes) names.push_back(name);
  const std::string node = random_.pick(names);
  const auto& in = world_.state().nodes.at(node).in;
  const std::string scheduler = in[random_.below(in.size())].scheduler;
  switch (random_.below(4)) {
    case 0:
      trace_(fmt::format("bob cordons {} in {}", node, scheduler));
      (void)world_.cordon(scheduler, node, "bob");
      break;
    case 1:
      trace_(fmt::format("bob uncordons {} in {}", node, scheduler));
      (void)world_.uncordon(scheduler, node, "bob");
      break;
    case 2:
      trace_(fmt::format("carol starts work on {} in {}", node, scheduler));
      (void)world_.start_job(scheduler, node, random_.between(seconds{30}, minutes{5}), random_.chance(0.3),
                             random_.chance(0.2));
      break;
    default: {
      const auto found = store_.read(
          [&](store::Tx& tx) -> Result<std::optional<Node>> { return store::find_node(tx, "default", node); });
      if (!found || !*found) return;
      decide::Request request;
      request.action = random_.chance(0.7) ? Action::reboot : Action::reprovision;
      request.request_id = fmt::format("request-{}", ++asked_);
      request.reason = "I want to";
      request.override_evidence = true;
      trace_(fmt::format("root asks for a {} of {}: {}", name_of(request.action), node,
                         said(commands_.create((*found)->id, admin_, request))));
    }
  }
}

// People take back their cordons (not while ours is there: lifting it would say cancel), mend broken hardware and
// switch dead nodes on; and they reset the breaker.
void People::mend() {
  const auto cluster =
      store_.read([](store::Tx& tx) -> Result<std::optional<Cluster>> { return store::get_cluster(tx, "default"); });
  if (cluster && *cluster && (*cluster)->breaker.open) {
    trace_(fmt::format("root resets the breaker: {}", said(commands_.reset_breaker("default", admin_, "it is over"))));
  }
  for (const auto& [name, node] : world_.state().nodes) {
    if (!node.faults.empty()) (void)world_.mend(name);
    if (!node.up && node.listed && !node.removed) (void)world_.crash(name);  // refused while it is being acted on
    for (const simworld::Membership& in : node.in) {
      if (in.mark || in.cordons.empty()) continue;
      trace_(fmt::format("bob takes back his cordon of {} in {}", name, in.scheduler));
      (void)world_.uncordon(in.scheduler, name, "bob");
    }
  }
}

}  // namespace sickbay::simulation
