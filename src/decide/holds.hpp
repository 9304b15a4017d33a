// That a node is kept out of its schedulers: holds, their marks, and whether the node is idle behind them. Internal to
// decide/.
#pragma once

#include "decide/turn.hpp"

namespace sickbay::decide {

// The parts of a turn.
bool leave_schedulers(Turn& turn);  // that do not have the node any more; true if it left one
void watch_holds(Turn& turn);       // what became of our marks
void reconcile_holds(Turn& turn);   // holds without an open repair, marks without a hold

// Creates the open repair's holds and plans the cordons that are missing; true when every scheduler has ours.
bool hold_everywhere(Turn& turn);
// Marks holds unwanted and plans uncordons in reverse order; true when all are released and seen to be.
bool release_everywhere(Turn& turn, std::string_view repair_id);
// Every scheduler says, in a fresh look after our mark was placed (and after `after`), idle twice.
bool is_idle(const Turn& turn, std::string_view scheduler, std::optional<Time> after);
bool all_idle(const Turn& turn);
// ... and nothing is left there that a drain has to move.
bool is_emptied(const Turn& turn, std::string_view scheduler, std::optional<Time> after);
std::string not_idle_because(const Turn& turn, std::string_view scheduler);
std::vector<std::string> not_idle_because(Turn& turn);

}  // namespace sickbay::decide
