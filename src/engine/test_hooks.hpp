// Where tests reach into an engine: the points at which a replica may be paused, crashed or overtaken, and mistakes to
// plant. Empty in production; nothing outside of a test's own code sets them.
#pragma once

#include <functional>

namespace sickbay::engine {

// Where a replica can stop between two things it does.
enum class Point {
  after_read,    // facts read, nothing decided
  after_look,    // the world was looked at
  before_write,  // decided, not written
  after_write,   // written, nothing dispatched
  before_send,   // the operation is dispatching, its dispatch_by not yet checked
  at_send,       // dispatch_by checked; the call comes next
  after_send,    // the reply is here, not written
  in_admission,  // before the admission transaction
};
using Hook = std::function<void(Point)>;

// Mistakes a test plants to see that the simulation catches them.
struct Planted {
  bool double_action = false;     // sends a dispatching operation of another replica again
  bool lost_wakeup = false;       // ends a turn without checking that its facts still stand
  bool foreign_uncordon = false;  // for the simulated scheduler: releases a mark without looking whose it is
};

struct TestHooks {
  Hook at;
  Planted planted;
};

}  // namespace sickbay::engine
