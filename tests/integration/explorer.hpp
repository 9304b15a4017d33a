// The interleaving explorer (engine.md 9): two transactions on PostgreSQL, a barrier before every statement, and every
// order in which their statements can run. SQLite has one writer, so races of transactions can only be met here.
//
// A schedule is a row of choices "which side runs its next statement". A side that waits for a lock the other holds is
// seen through pg_blocking_pids; its statement stays under way while the other goes on. Schedules are enumerated depth
// first by running again from the start: all of them where they are few, otherwise those with at most two preemptions,
// which is where nearly all races show themselves (iterative context bounding, Musuvathi and Qadeer, 2007).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace sickbay::store {

// One transaction type: runs on a store as `side` 0 or 1, and says in one word how it ended ("won", "changed", ...).
struct Racer {
  std::string name;
  std::function<std::string(Store&, int side)> run;
};

struct Exploration {
  std::size_t schedules = 0;
  bool all = false;       // every schedule was run, not only those with at most two preemptions
  std::string violation;  // the first one found, with its schedule; empty: none
};

class Explorer {
 public:
  // `url`: a PostgreSQL database of the explorer's own, already with its schema. Needs a superuser, to notice
  // deadlocks sooner than after the default second.
  explicit Explorer(const std::string& url);
  ~Explorer();

  // Facts every schedule starts from; `observer` is a store of its own without barriers.
  std::function<void(Store& observer)> set_up;
  // What must hold after every schedule; what does not, in words; empty: all does.
  std::function<std::string(Store& observer, const std::string& outcome_a, const std::string& outcome_b)> check;

  Exploration explore(const Racer& a, const Racer& b, std::size_t at_most);

 private:
  struct Side;
  struct Choice {
    int side = 0;
    int other_left = 0;  // whether the other side could have been chosen and was not tried yet
    int preemptions = 0;  // up to and with this choice
  };
  std::string run_schedule(const Racer& a, const Racer& b, std::vector<Choice>& path, int preemptions_allowed);
  void settle();
  bool blocked(int side);

  std::array<std::unique_ptr<Side>, 2> sides_;
  std::unique_ptr<Store> observer_;
  void* watcher_ = nullptr;  // a PGconn that asks who blocks whom
  std::vector<std::string> log_;
  std::array<int, 2> steps_{};
};

}  // namespace sickbay::store
