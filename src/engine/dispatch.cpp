// Dispatch (engine.md 3): the only place that touches the world. An operation is taken by compare-and-swap, the
// monotonic clock is checked immediately before sending, and the call's time-out is shorter than what is left.
#include "base/log.hpp"
#include "engine/engine.hpp"
#include "engine/look.hpp"
#include "engine/write.hpp"
#include "store/repairs.hpp"

namespace sickbay::engine {
namespace {

Reply call(const World& world, const Operation& operation, Duration timeout) {
  const auto missing = [&] {
    return Reply{Answer::not_sent, "", "no adapter '" + operation.adapter + "' is configured on this server"};
  };
  if (operation.kind == OperationKind::act) {
    Provider* provider = world.provider(operation.adapter);
    return provider ? provider->start(operation, timeout) : missing();
  }
  Scheduler* scheduler = world.scheduler(operation.adapter);
  if (!scheduler) return missing();
  if (operation.kind == OperationKind::cordon) return scheduler->place(operation, timeout);
  if (operation.kind == OperationKind::drain) return scheduler->drain(operation, timeout);
  return scheduler->release(operation, timeout);
}

void conclude(Operation& operation, Outcome outcome, Time now) {
  operation.state = OperationState::concluded;
  operation.outcome = outcome;
  operation.concluded_at = now;
}

// What the reply makes of the operation. `again`: it may have left before, in a call whose reply never came, so neither
// "not sent" nor "refused" of this call says that it did not happen. Pure.
Operation answered(Operation operation, const Reply& reply, bool again, Time now) {
  operation.detail = reply.detail;
  if (!reply.reference.empty()) operation.reference = reply.reference;
  const bool act = operation.kind == OperationKind::act;
  switch (reply.answer) {
    case Answer::done:
      conclude(operation, Outcome::succeeded, now);
      break;
    case Answer::accepted:
      // A drain that was taken on has been asked for; whether the node is empty is for the next look.
      if (act) operation.state = OperationState::acknowledged;
      if (!act) conclude(operation, Outcome::succeeded, now);
      break;
    case Answer::refused:
      if (!again || !act) {
        conclude(operation, Outcome::failed, now);
      } else {
        operation.state = OperationState::ambiguous;
        operation.detail = "asked again and refused, so the first request may have happened: " + reply.detail;
      }
      break;
    case Answer::not_sent:
      operation.state = OperationState::planned;
      operation.owner.clear();
      operation.dispatch_by.reset();
      if (!again) operation.dispatched_at.reset();
      break;
    case Answer::unknown:
      break;  // stays dispatching: look before anything else
  }
  return operation;
}

constexpr Duration kAskAgain = seconds{10};  // after a call that reached nobody

}  // namespace

void Engine::dispatch(const Operation& planned, std::uint64_t version) {
  const Duration began = clock_.steady();
  const auto taken = store_.write([&](store::Tx& tx) -> Result<Operation> {
    if (!store::still(tx, "node", planned.node, version)) return fail(Errc::changed, "the node's facts changed");
    auto operation = store::get_operation(tx, planned.id);
    if (!operation || operation->state != OperationState::planned) return fail(Errc::changed, "taken by another");
    const Time now = store::now(tx);
    operation->state = OperationState::dispatching;
    operation->owner = options_.replica;
    if (!operation->dispatched_at) operation->dispatched_at = now;  // the first time it may have left
    operation->dispatch_by = now + options_.dispatch_window;
    ++operation->version;
    if (!store::swap_operation(tx, *operation)) return fail(Errc::changed, "taken by another");
    store::wake(tx, "node", planned.node, *operation->dispatch_by + options_.call_timeout);
    return *operation;
  });
  if (!taken) return;  // changed: its next turn sees what is so now; else the store failed and the work stays due

  at(Point::before_send);
  Reply reply{Answer::not_sent, "", "this replica was held up and did not send in time"};
  if (clock_.steady() - began < options_.dispatch_window) {
    at(Point::at_send);
    Operation sent = *taken;
    if (options_.planted.foreign_uncordon && sent.kind == OperationKind::uncordon) sent.force = true;
    reply = call(world_, sent, std::min(options_.call_timeout, options_.dispatch_window - seconds{1}));
    at(Point::after_send);
  }

  // The reply is the truth about this attempt, whatever a successor made of its absence meanwhile, unless it concluded.
  const std::string event_id = ids_.next("ev");
  for (int tries = 0; tries < 5; ++tries) {
    const auto recorded = store_.write([&](store::Tx& tx) -> Status {
      const auto operation = store::get_operation(tx, taken->id);
      const bool mine = operation && operation->owner == options_.replica && operation->attempt == taken->attempt &&
                        operation->dispatch_by == taken->dispatch_by;
      if (!mine || operation->state == OperationState::concluded) return {};
      const Time now = store::now(tx);
      Operation next = answered(*operation, reply, planned.dispatched_at.has_value(), now);
      ++next.version;
      if (!store::swap_operation(tx, next)) return fail(Errc::changed, "changed meanwhile");
      Event event = operation_event(next, now, ids_);
      event.id = event_id;
      write_events(tx, {event});
      const bool later = reply.answer == Answer::not_sent || reply.answer == Answer::unknown;
      store::wake(tx, "node", next.node, later ? now + kAskAgain : now);
      return {};
    });
    if (recorded) return notify();
    if (recorded.error().code != Errc::changed) {
      // The operation stays dispatching: whoever turns the node next looks at the world for its outcome.
      log::error("the reply to operation {} could not be written: {}", taken->id, recorded.error().message);
      return;
    }
  }
}

}  // namespace sickbay::engine
