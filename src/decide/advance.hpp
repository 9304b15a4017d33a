// How an open repair goes on: one step of its lifecycle at a time, each step a function. Internal to decide/.
#pragma once

#include "decide/turn.hpp"

namespace sickbay::decide {

// The parts of a turn.
void note_act(Turn& turn);  // whether and when the act went out
bool advance(Turn& turn);   // one step; true if it took one

void step_cordon(Turn& turn);
void step_wait(Turn& turn);
void step_drain(Turn& turn);
void step_act(Turn& turn);
void step_verify(Turn& turn);
void step_return(Turn& turn);  // give_back and undo
// Why no step that touches jobs or the machine may be taken now; empty if it may.
std::vector<std::string> barred_by(const Turn& turn);
// Whether it is barred: then it waits, and what it had planned and nobody took yet is taken back (product.md 4.3).
bool is_held_back(Turn& turn);
// All linked alerts are over (since when); empty while one stands or none is known.
std::optional<Time> evidence_gone_since(Turn& turn);
// The host a migrate or remove left goes to inspection; not while other nodes are still on it.
void vacate(Turn& turn, Host& left, std::string why, const std::vector<std::string>& others);
// The holds of the open repair are over without a call: the node they were on is gone.
void drop_holds(Turn& turn);

}  // namespace sickbay::decide
