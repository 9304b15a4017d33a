// What waits for a time waits longer by what the clock stepped ahead (engine.md 2): nobody's jobs are ended, and
// nothing is called failed or over, because somebody set a clock.
#include "decide/clock.hpp"

#include "decide/turn.hpp"

namespace sickbay::decide {
namespace {

void move(std::optional<Time>& at, Duration by) {
  if (at) *at += by;
}

}  // namespace

void follow_clock(Turn& turn) {
  const Duration by = turn.facts.clock_steps - turn.node.clock_steps;
  if (by == Duration{}) return;
  turn.node.clock_steps = turn.facts.clock_steps;
  move(turn.node.cooldown_until, by);
  if (turn.repair) {
    for (auto* at : {&turn.repair->wait_until, &turn.repair->step_deadline, &turn.repair->verify_good_since})
      move(*at, by);
  }
  for (Operation& operation : turn.operations) {
    if (operation.state == OperationState::concluded) continue;
    operation.deadline += by;
    ++operation.version;
  }
  for (Alert& alert : turn.alerts) {
    if (alert.resolved_at) continue;
    move(alert.good_since, by);
    if (alert.state == AlertState::pending) alert.hold_until += by;
    if (alert.clears == ClearsOn::quiet) alert.last.at += by;
  }
}

}  // namespace sickbay::decide
