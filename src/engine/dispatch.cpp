// Dispatch (engine.md 3): the only place that changes the world, by what it sends and what it recalls. A send is a call
// of the operation's adapter: the operation is taken by compare-and-swap, the monotonic clock is checked immediately
// before sending, and the call's time-out is shorter than what is left.
#include "base/log.hpp"
#include "decide/same.hpp"
#include "engine/ask.hpp"
#include "engine/engine.hpp"
#include "engine/look.hpp"
#include "engine/write.hpp"
#include "store/operations.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kAskAgain = seconds{10};  // after a call that reached nobody

}  // namespace

// good_for: how long the looks that it was decided on stay fresh; later the call is not made.
void Engine::ask_to_send(const Operation& operation, std::uint64_t version, Duration good_for) {
  {
    // A call that waits in the queue takes the newest version: the older one is over.
    const std::lock_guard lock(mutex_);
    to_send_[operation.id] = {version, clock_.steady() + good_for};
  }
  const Calls::About about{{operation.cluster, operation.adapter}, operation.id, Asks::send, {}};
  calls_.submit(about, [this, operation] { return dispatch(operation); });
}

// Refused: this is not the database that the operation was planned in, or a person has not confirmed that it is.
Result<Engine::Taken> Engine::take(const Operation& planned, std::uint64_t version) {
  const auto seen = witness_.seen();
  std::optional<Taken> tried;
  return store_.write([&](store::Tx& tx) -> Result<Taken> {
    auto operation = store::get_operation(tx, planned.id);
    // Taken by the try before, whose commit had no answer.
    if (tried && operation && decide::same(*operation, tried->operation)) return *tried;
    SICKBAY_CHECK(may_send(tx, seen));
    if (!store::still(tx, WorkKind::node, planned.node, version))
      return fail(Errc::changed, "the node's facts changed");
    if (!operation || operation->state != OperationState::planned) return fail(Errc::changed, "taken by another");
    const Time now = store::now(tx);
    const bool again = operation->dispatched_at.has_value();
    operation->state = OperationState::dispatching;
    operation->owner = options_.replica;
    if (!again) {  // the first time it may have left: its time counts from here, not from when it began to wait
      operation->dispatched_at = now;
      operation->deadline += now - operation->planned_at;
    }
    operation->dispatch_by = now + options_.dispatch_window;
    ++operation->version;
    if (!store::swap_operation(tx, *operation)) return fail(Errc::changed, "taken by another");
    store::wake(tx, WorkKind::node, planned.node, *operation->dispatch_by + options_.call_timeout);
    if (operation->kind == OperationKind::act) store::count_act(tx);
    tried = Taken{std::move(*operation), store::lineage(tx), again};
    return *tried;
  });
}

Status Engine::may_send(store::Tx& tx, const std::optional<store::Lineage>& seen) {
  std::string why = store::observe_only_because(tx).value_or("");
  if (why.empty()) why = store::broken_off(tx);
  if (why.empty()) why = rolled_back(seen, store::lineage(tx));
  if (!why.empty()) return fail(Errc::refused, why);
  return {};
}

Told Engine::dispatch(const Operation& planned) {
  const auto version = [&]() -> std::optional<std::uint64_t> {
    const std::lock_guard lock(mutex_);
    const auto found = to_send_.find(planned.id);
    if (found == to_send_.end()) return std::nullopt;
    const ToSend newest = found->second;
    to_send_.erase(found);
    if (clock_.steady() > newest.good_until)
      return std::nullopt;  // it waited too long: the node's next turn asks again
    return newest.version;
  }();
  if (!version) return {};
  const auto adapters = adapters_.get();
  const Duration began = clock_.steady();
  const auto taken = take(planned, *version);
  // Changed: whoever changed the node woke it, and its turn sees what is so now. Else the operation stays planned, for
  // which the node is due.
  if (!taken) {
    if (taken.error().code == Errc::refused)
      (void)compare_lineage();  // what fails here is tried again every few seconds
    return {};
  }
  // An act is witnessed before it leaves: a database that forgets it is known by that.
  if (taken->operation.kind == OperationKind::act) witness_.note(taken->lineage);

  at(Point::before_send);
  Reply reply{Answer::not_sent, "", "this replica was held up and did not send in time", {}};
  Told told;
  if (clock_.steady() - began < options_.dispatch_window) {
    at(Point::at_send);
    Operation sent = taken->operation;
    if (hooks_.planted.foreign_uncordon && sent.kind == OperationKind::uncordon) sent.force = true;
    reply = ask::send(*adapters, sent, std::min(options_.call_timeout, options_.dispatch_window - seconds{1}));
    at(Point::after_send);
    const bool failed = reply.answer == Answer::not_sent || reply.answer == Answer::unknown;
    told = {true, !failed ? "" : reply.detail.empty() ? "no answer" : reply.detail};
  }
  record(taken->operation, reply, taken->again);
  return told;
}

// The reply is the truth about this attempt, whatever a successor made of its absence meanwhile, unless it concluded.
void Engine::record(const Operation& taken, const Reply& reply, bool again) {
  const std::string event_id = ids_.next("ev");
  for (int tries = 0; tries < 5; ++tries) {
    const auto recorded = store_.write([&](store::Tx& tx) -> Status {
      const auto operation = store::get_operation(tx, taken.id);
      const bool mine = operation && operation->owner == options_.replica && operation->attempt == taken.attempt &&
                        operation->dispatch_by == taken.dispatch_by;
      if (!mine || operation->state == OperationState::concluded) return {};
      const Time now = store::now(tx);
      Operation next = decide::answered(*operation, reply, again, now);
      ++next.version;
      if (!store::swap_operation(tx, next)) return fail(Errc::changed, "changed meanwhile");
      write_events(tx, {operation_event(next, now, event_id)});
      const bool later = reply.answer == Answer::not_sent || reply.answer == Answer::unknown;
      store::wake(tx, WorkKind::node, next.node, later ? now + kAskAgain : now);
      return {};
    });
    if (recorded) return notify();
    if (recorded.error().code != Errc::changed) {
      // The operation stays dispatching: whoever turns the node next looks at the world for its outcome.
      log::error("the reply to operation {} could not be written: {}", taken.id, recorded.error().message);
      return;
    }
  }
}

// A cancelled act that was sent already: what has not begun yet is recalled, and then it certainly did not happen.
void Engine::recall(Provider& provider, const Operation& asked) {
  const Reply reply = ask::cancel(provider, asked, options_.look_timeout);
  if (reply.answer != Answer::done) return;
  const std::string event_id = ids_.next("ev");
  const Status written = store_.write([&](store::Tx& tx) -> Status {
    const Time now = store::now(tx);
    store::wake(tx, WorkKind::node, asked.node, now);
    auto operation = store::get_operation(tx, asked.id);
    if (!operation || !decide::is_sent(*operation)) return {};
    Operation next = decide::recalled(*operation, reply, now);
    ++next.version;
    if (!store::swap_operation(tx, next)) return fail(Errc::changed, "the operation changed meanwhile");
    write_events(tx, {operation_event(next, now, event_id)});
    return {};
  });
  if (written) return notify();
  log::error("that operation {} was recalled could not be written: {}", asked.id, written.error().message);
}

}  // namespace sickbay::engine
