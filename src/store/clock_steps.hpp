// How far the database's clock has stepped ahead of all replicas' steady ones (engine.md 2).
#pragma once

#include <optional>

#include "store/tx.hpp"

namespace sickbay::store {

struct ClockSteps {
  Duration total{};             // of all steps ever noticed
  std::optional<Time> last_at;  // when the last of them was, by the clock as it was after it
};
ClockSteps clock_steps(Tx& tx);
// Locks the row until the transaction ends, so that one of several who notice the same step writes it.
ClockSteps lock_clock_steps(Tx& tx);
void add_clock_step(Tx& tx, Duration by, Time at);

}  // namespace sickbay::store
