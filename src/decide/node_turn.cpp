// One turn of a node: the parts in order, then what differs from the facts. The repair is advanced until it must wait,
// so that a turn applied to its own result finds nothing to do.
#include <algorithm>

#include "decide/advance.hpp"
#include "decide/alerts.hpp"
#include "decide/clock.hpp"
#include "decide/holds.hpp"
#include "decide/recommend.hpp"
#include "decide/same.hpp"
#include "decide/session.hpp"

namespace sickbay::decide {

namespace {

constexpr int kMostPasses = 16;  // a repair advances by each step once at most without waiting

template <class T>
void keep_changed(const std::vector<T>& before, std::vector<T>& after, std::vector<T>& out) {
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i >= before.size() || !same(before[i], after[i])) out.push_back(std::move(after[i]));
  }
}

template <class T>
void keep_changed(const std::optional<T>& before, std::optional<T>& after, std::optional<T>& out) {
  if (after && (!before || !same(*before, *after))) out = std::move(after);
}

// A node opted out, or ended with a cooldown by a person's cancel, shows it in its own row.
void note_cooldown(Turn& turn) {
  for (const Repair& past : turn.facts.history) {
    if (past.node != turn.node.id || !past.ended_at || past.state == RepairState::AUTO_RESOLVED) continue;
    if (was_rejected(past)) continue;
    const Time until = *past.ended_at + turn.policy.limits.cooldown;
    if (until > turn.now && (!turn.node.cooldown_until || until > *turn.node.cooldown_until)) {
      turn.node.cooldown_until = until;
    }
  }
}

NodeChanges changes(Turn& turn) {
  NodeChanges out;
  const NodeFacts& before = turn.facts;
  if (!same(before.node, turn.node)) out.node = std::move(turn.node);
  keep_changed(before.alerts, turn.alerts, out.alerts);
  keep_changed(before.repair, turn.repair, out.repair);
  keep_changed(before.operations, turn.operations, out.operations);
  keep_changed(before.holds, turn.holds, out.holds);
  if (!turn.host.id.empty() && !same(before.host, turn.host)) out.hosts.push_back(std::move(turn.host));
  if (turn.host_before && !same(before.host_before, turn.host_before))
    out.hosts.push_back(std::move(*turn.host_before));
  out.folded = std::move(turn.folded);
  out.events = std::move(turn.events);
  out.release_slots = turn.release_slots;
  out.wake_cluster = turn.wake_cluster;
  out.wants_admission = turn.wants_admission;
  out.due = turn.due;
  return out;
}

void move_on(Turn& turn) {
  for (int step = 0; step < kMostPasses && advance(turn); ++step) {
  }
}

}  // namespace

NodeChanges node_turn(const NodeFacts& facts, Time now, Ids& ids) {
  Turn turn(facts, now, ids);
  follow_clock(turn);
  note_act(turn);
  leave_schedulers(turn);
  note_session(turn);
  note_conflict(turn);
  fold_findings(turn);
  derive_alerts(turn);
  settle_alerts(turn);
  note_cooldown(turn);
  recommend(turn);
  watch_holds(turn);
  move_on(turn);
  if (leave_schedulers(turn)) move_on(turn);  // what kept it in them is over
  reconcile_holds(turn);
  if (!turn.repair && facts.node.quarantine && !turn.node.quarantine) {  // released just now
    recommend(turn);
    move_on(turn);
  }
  if (facts.more_fresh) turn.look_again(now);
  return changes(turn);
}

}  // namespace sickbay::decide
