// What may be set about an engine.
#pragma once

#include <string>

#include "base/time.hpp"

namespace sickbay::engine {

struct Options {
  std::string replica;  // this start of this process; new at each start
  std::size_t workers = 4;
  Duration claim = seconds{30};
  Duration dispatch_window = seconds{10};  // from taking an operation to sending it, at most
  Duration call_timeout = seconds{8};      // of one call into the world; shorter than dispatch_window
  Duration look_timeout = seconds{5};
  Duration list_timeout = seconds{20};
  Duration look_again = seconds{2};      // a node is looked at no more often than this
  Duration observe_grace = seconds{30};  // how long after dispatch_by an unseen operation is looked for
  Duration sync_every = seconds{30};     // complete lists of schedulers and providers
  std::size_t sync_batch = 200;          // nodes or hosts a transaction: a long one would hold up their turns
  std::size_t calls_at_once = 4;         // to one adapter
  std::size_t calls_queued = 256;        // for one adapter; what does not fit is asked for again later
  Duration heartbeat = seconds{60};
  Duration keep = hours{24 * 400};         // history is deleted when older (product.md 3.4); never under 30 days
  std::string witness;                     // file that remembers how far the database had come; empty: none
  Duration idle_poll = milliseconds{250};  // how long a worker with nothing due waits for what others write
};

}  // namespace sickbay::engine
