// Looks: each is a call of its adapter, whose answer is folded in by a short transaction that wakes the node. They
// change nothing out there (engine.md 3: a successor observes before it does anything); what is to be recalled is
// recalled first (dispatch.cpp).
#include "engine/look.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.hpp"
#include "decide/windows.hpp"
#include "engine/ask.hpp"
#include "engine/engine.hpp"
#include "engine/facts.hpp"
#include "engine/write.hpp"
#include "store/nodes.hpp"
#include "store/observations.hpp"
#include "store/operations.hpp"
#include "store/repairs.hpp"
#include "store/restore.hpp"
#include "store/sync.hpp"

namespace sickbay::engine {
namespace {

constexpr Duration kOpenAgain = seconds{15};  // a node with an operation that has not ended is turned this often
constexpr Duration kHeldAgain = seconds{60};  // ... and one with a mark or hold of ours
constexpr Duration kLostAgain = minutes{5};   // ... and one whose scheduler cannot be reached: it is woken when it can
constexpr Duration kRecent = seconds{15};     // an act goes out on looks no older than this, and the scheduler's view
constexpr Duration kAfterOurs = milliseconds{200};  // a look this soon after the last, where that one is overtaken
constexpr int kTries = 5;

bool is_open(const Operation& operation) {
  return operation.state != OperationState::concluded;
}

const Observation* of(const decide::NodeFacts& facts, std::string_view scheduler) {
  const auto found = std::ranges::find(facts.observed, scheduler, &Observation::scheduler);
  return found == facts.observed.end() ? nullptr : &*found;
}

// An operation there ended after the last look began, or has not ended: what the look saw may be over.
bool is_overtaken(const decide::NodeFacts& facts, const Observation& look) {
  return std::ranges::any_of(facts.operations, [&](const Operation& operation) {
    return operation.adapter == look.scheduler && operation.kind != OperationKind::act && operation.concluded_at &&
           *operation.concluded_at >= look.seen_at;
  });
}

Duration view_age(const decide::NodeFacts& facts, const std::string& scheduler) {
  const auto declared = facts.schedulers.find(scheduler);
  return declared == facts.schedulers.end() ? Duration{} : declared->second.view_age;
}

// What a look at a scheduler changes, as it is stored now; nothing: std::nullopt.
struct Seen {
  std::optional<Observation> next;
  bool agrees = false;  // with what was stored, in all that a list says
  std::vector<Operation> operations;
};
Seen fold(store::Tx& tx, const Observation& look, Duration took, const Options& options) {
  Seen seen;
  const auto rows = store::observations_of(tx, look.node);
  const auto found = std::ranges::find(rows, look.scheduler, &Observation::scheduler);
  const auto previous = found == rows.end() ? std::nullopt : std::optional(*found);
  const bool known_failure = previous && !look.error.empty() && previous->error == look.error;
  const bool overtaken = previous && look.error.empty() && previous->seen_at >= look.seen_at;  // by another replica's
  if (known_failure || overtaken) return seen;
  seen.next = decide::fold_observation(previous, look, took);
  seen.agrees = previous && !ask::differs(*previous, *seen.next);
  for (const Operation& operation : store::open_operations_of_node(tx, look.node)) {
    if (operation.adapter != look.scheduler || operation.kind == OperationKind::act) continue;
    if (!decide::is_sent(operation)) continue;
    Operation next = decide::seen(operation, *seen.next, call_times(options), look.seen_at);
    if (next.state != operation.state) seen.operations.push_back(std::move(next));
  }
  return seen;
}

}  // namespace

bool wants_look(const decide::NodeFacts& facts) {
  const bool working = facts.repair && facts.repair->state != RepairState::PENDING_APPROVAL &&
                       facts.repair->state != RepairState::PENDING && !is_final(facts.repair->state);
  const bool marked = std::ranges::any_of(facts.observed, [](const Observation& o) { return !o.hold_owner.empty(); });
  return working || marked || !facts.holds.empty() || std::ranges::any_of(facts.operations, decide::is_sent);
}

bool is_stale(const decide::NodeFacts& facts, std::string_view scheduler, const Options& options, Time now) {
  const Observation* look = of(facts, scheduler);
  return !look || !look->error.empty() || now - look->seen_at >= options.look_again || is_overtaken(facts, *look);
}

bool is_recent(const decide::NodeFacts& facts, Time now) {
  return std::ranges::all_of(facts.node.schedulers, [&](const std::string& scheduler) {
    const Observation* look = of(facts, scheduler);
    if (facts.unreachable.contains(scheduler)) return true;
    return look && (!look->error.empty() || now - look->seen_at <= kRecent + view_age(facts, scheduler));
  });
}

Duration fresh_for(const decide::NodeFacts& facts, Time now) {
  Duration left = decide::kFresh;
  for (const std::string& scheduler : facts.node.schedulers) {
    const Observation* look = of(facts, scheduler);
    if (look && look->error.empty()) left = std::min(left, look->seen_at + decide::kFresh - now);
  }
  return left;
}

std::optional<Time> look_due(const decide::NodeFacts& facts, const Options& options, Time now) {
  const bool overtaken = std::ranges::any_of(
      facts.observed, [&](const Observation& look) { return look.error.empty() && is_overtaken(facts, look); });
  if (overtaken && wants_look(facts)) return now + options.look_again;  // a view that lags has not shown ours yet
  const bool lost = std::ranges::any_of(facts.node.schedulers,
                                        [&](const std::string& name) { return facts.unreachable.contains(name); });
  if (std::ranges::any_of(facts.operations, is_open)) return now + (lost ? kLostAgain : kOpenAgain);
  if (wants_look(facts)) return now + (lost ? kLostAgain : kHeldAgain);
  return std::nullopt;
}

decide::CallTimes call_times(const Options& options) {
  return {options.call_timeout, options.observe_grace};
}

Event operation_event(const Operation& operation, Time now, std::string id) {
  const std::string what = operation.kind == OperationKind::act ? name_of(operation.action) : name_of(operation.kind);
  const std::string how = operation.state == OperationState::concluded
                              ? name_of(operation.outcome.value_or(Outcome::failed))
                              : name_of(operation.state);
  std::string message = fmt::format("{} of {} (attempt {}): {}", what, operation.node_name, operation.attempt, how);
  if (!operation.detail.empty()) message += "; " + operation.detail;
  Event event = event_of(operation, EventKind::operation, std::move(id), now, std::move(message));
  event.data["operation"] = operation.id;
  event.data["adapter"] = operation.adapter;
  event.data["state"] = name_of(operation.state);
  return event;
}

void Engine::ask_for_looks(const decide::NodeFacts& facts, Time now) {
  const Node& node = facts.node;
  for (const std::string& scheduler : node.schedulers) {
    if (!is_stale(facts, scheduler, options_, now)) continue;
    const Observation* last = of(facts, scheduler);
    const bool soon = last && is_overtaken(facts, *last) && view_age(facts, scheduler) == Duration{};
    calls_.submit({{node.cluster, scheduler}, node.id, Asks::look, soon ? kAfterOurs : options_.look_again},
                  [this, node, scheduler] { return look_at_node(node, scheduler); });
  }
  for (const Operation& operation : facts.operations) {
    if (operation.kind != OperationKind::act || !decide::is_sent(operation)) continue;
    calls_.submit({{node.cluster, operation.adapter}, node.id, Asks::look, options_.look_again},
                  [this, operation] { return look_at_act(operation); });
  }
}

Told Engine::look_at_node(const Node& node, const std::string& scheduler) {
  const auto adapters = adapters_.get();
  Scheduler* port = adapters->scheduler(node.cluster, scheduler);
  const auto began = store_.now();
  if (!port || !began) return {};
  const Observation look = ask::observe(*port, node, scheduler, *began, options_.look_timeout);
  at(Point::after_look);
  const auto ended = store_.now();
  if (!ended) return {};
  if (const Status folded = fold_look(look, *ended - *began); !folded) {
    log::error("what {} says of {} could not be written: {}", scheduler, node.name, folded.error().message);
  }
  return {true, look.error};
}

Status Engine::fold_look(const Observation& look, Duration took) {
  const auto news =
      store_.read([&](store::Tx& tx) -> Result<bool> { return fold(tx, look, took, options_).next.has_value(); });
  SICKBAY_CHECK(news);
  if (!*news) return {};
  const std::string event_id = ids_.next("ev");
  const auto write = [&](store::Tx& tx) -> Status {
    const Time now = store::now(tx);
    store::wake(tx, WorkKind::node, look.node, now);  // first: it makes this serial with the node's turns
    if (!store::get_node(tx, look.node)) return {};
    Seen seen = fold(tx, look, took, options_);
    if (!seen.next) return {};
    store::put_observation(tx, *seen.next);
    if (!seen.agrees) store::set_listed(tx, look.scheduler, {{look.node, ""}});
    for (std::size_t i = 0; i < seen.operations.size(); ++i) {
      Operation& operation = seen.operations[i];
      ++operation.version;
      if (!store::swap_operation(tx, operation)) return fail(Errc::changed, "the operation changed meanwhile");
      write_events(tx, {operation_event(operation, now, i == 0 ? event_id : fmt::format("{}-{}", event_id, i))});
    }
    return {};
  };
  Status written = store_.write(write);
  for (int tries = 1; tries < kTries && !written && written.error().code == Errc::changed; ++tries) {
    written = store_.write(write);
  }
  if (written) notify();
  return written;
}

Told Engine::look_at_act(const Operation& asked) {
  const auto adapters = adapters_.get();
  Provider* port = adapters->provider(asked.cluster, asked.adapter);
  const auto began = store_.now();
  if (!port || !began) return {};
  if (!clock_is_sound()) return {};  // it is looked at again
  // As it is now: the call may have waited while it was cancelled, or came to its end.
  bool only_looking = false;
  const auto row = store_.read([&](store::Tx& tx) -> Result<std::optional<Operation>> {
    only_looking = store::observe_only_because(tx).has_value();
    return store::get_operation(tx, asked.id);
  });
  if (!row || !*row || !decide::is_sent(**row)) return {};
  const Operation& operation = **row;
  if (operation.recall && !only_looking) recall(*port, operation);
  const OperationView view = ask::observe(*port, operation, options_.look_timeout);
  at(Point::after_look);
  if (const Status folded = fold_view(operation, view, *began); !folded) {
    log::error("what became of operation {} could not be written: {}", operation.id, folded.error().message);
  }
  return {true, view.progress != Progress::unreadable ? "" : view.detail.empty() ? "no answer" : view.detail};
}

Status Engine::fold_view(const Operation& asked, const OperationView& view, Time began) {
  const auto after = [&](store::Tx& tx) -> std::optional<Operation> {
    auto operation = store::get_operation(tx, asked.id);
    if (!operation || !decide::is_sent(*operation)) return std::nullopt;
    const auto can = load_capabilities(tx, operation->cluster, operation->adapter);
    // A provider that has not said what it guards against may be one that refuses a second effect.
    if (!can && view.progress == Progress::not_seen) return std::nullopt;
    bool fenced = can && can->is_fenced();
    if (hooks_.planted.double_action) fenced = true, operation->deadline = began + hours{1};
    Operation next = decide::seen(*operation, view, fenced, caution(), call_times(options_), began);
    if (next.state == operation->state) return std::nullopt;
    ++next.version;
    return next;
  };
  const auto news = store_.read([&](store::Tx& tx) -> Result<bool> { return after(tx).has_value(); });
  SICKBAY_CHECK(news);
  if (!*news) return {};
  const std::string event_id = ids_.next("ev");
  const auto written = store_.write([&](store::Tx& tx) -> Status {
    const Time now = store::now(tx);
    store::wake(tx, WorkKind::node, asked.node, now);
    const auto next = after(tx);
    auto node = store::get_node(tx, asked.node);
    if (!next || !node) return {};
    if (!store::swap_operation(tx, *next)) return fail(Errc::changed, "the operation changed meanwhile");
    if (next->outcome == Outcome::succeeded && !view.host.empty() && view.host != node->host) {
      node->host = view.host;
      store::put_node(tx, *node);
    }
    write_events(tx, {operation_event(*next, now, event_id)});
    return {};
  });
  if (written) notify();
  return written;
}

}  // namespace sickbay::engine
