// The world as the engine reaches it: adapters by the names that nodes carry, and a hook at every await, where the
// simulation pauses, crashes and loses replies. In production the hook is empty.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "ports/provider.hpp"
#include "ports/scheduler.hpp"

namespace sickbay::engine {

// Which adapters a cluster's nodes are found in and repaired by.
struct ClusterAdapters {
  std::vector<std::string> schedulers;
  std::string provider;
};

// The adapters: what a name in Node.schedulers or Node.provider means.
struct World {
  std::map<std::string, ClusterAdapters, std::less<>> clusters;
  std::map<std::string, std::unique_ptr<Scheduler>, std::less<>> schedulers;
  std::map<std::string, std::unique_ptr<Provider>, std::less<>> providers;

  Scheduler* scheduler(std::string_view name) const {
    const auto found = schedulers.find(name);
    return found == schedulers.end() ? nullptr : found->second.get();
  }
  Provider* provider(std::string_view name) const {
    const auto found = providers.find(name);
    return found == providers.end() ? nullptr : found->second.get();
  }
};

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

// Mistakes a test plants to see that the simulation catches them. All off in production; there is no way to set them
// from outside of a test.
struct Planted {
  bool double_action = false;     // sends a dispatching operation of another replica again
  bool lost_wakeup = false;       // ends a turn without checking that its facts still stand
  bool foreign_uncordon = false;  // for the simulated scheduler: releases a mark without looking whose it is
};

struct Options {
  std::string replica;  // this start of this process; new at each start
  std::size_t workers = 4;
  Duration claim = seconds{30};
  Duration dispatch_window = seconds{10};  // from taking an operation to sending it, at most
  Duration call_timeout = seconds{8};      // of one call into the world; shorter than dispatch_window
  Duration look_timeout = seconds{5};
  Duration look_again = seconds{2};      // the world is looked at no more often than this, per node
  Duration observe_grace = seconds{30};  // how long after dispatch_by an unseen operation is looked for
  Duration watch_every = seconds{30};    // complete lists of schedulers and providers
  Duration heartbeat = seconds{60};
  Duration keep = hours{24 * 400};         // history is deleted when older (product.md 3.4); never under 30 days
  std::string witness;                     // file that remembers how far the database had come; empty: none
  Duration idle_poll = milliseconds{250};  // how long a worker with nothing due waits for what others write
  Planted planted;
};

}  // namespace sickbay::engine
