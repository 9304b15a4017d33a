// The first part of a node's turn. Internal to decide/.
#pragma once

namespace sickbay::decide {

struct Turn;

// Moves the node's open waits by what the database's clock stepped ahead since its last turn.
void follow_clock(Turn& turn);

}  // namespace sickbay::decide
