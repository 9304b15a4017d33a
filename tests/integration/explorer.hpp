// The interleaving explorer (engine.md 9): two transactions on PostgreSQL, a barrier before every statement, and every
// order in which their statements can run. SQLite has one writer, so races of transactions can only be met here.
//
// A schedule is a row of choices "which side runs its next statement". A side that waits for a lock the other holds is
// seen through pg_blocking_pids; its statement stays under way while the other goes on. Schedules are enumerated depth
// first by running again from the start: all of them where they are few. Otherwise a third of the tries goes to those
// with at most two preemptions, where nearly all races show themselves (iterative context bounding, Musuvathi and
// Qadeer, 2007), last ones first; the rest to schedules with one to four preemptions at places drawn from a fixed seed.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace sickbay::store {

// One transaction type: runs on a store as `side` 0 or 1, and says in a word how it ended: `alone` when nobody races
// it.
struct Racer {
  std::string name, alone;
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
  // How `racer` ends when nobody races it; what broke, if a rule did.
  std::string alone(const Racer& racer);

 private:
  struct Side;
  struct Choice {
    int side = 0;
    int other_left = 0;   // whether the other side could have been chosen and was not tried yet
    int preemptions = 0;  // up to and with this choice
  };
  // What bounds a schedule beyond its path: preemptions the enumeration may still try, and places to switch at.
  struct Plan {
    int preemptions_allowed = 0;
    std::set<std::size_t> switches;
    int first = 0;
  };
  std::string run_schedule(const Racer& a, const Racer& b, std::vector<Choice>& path, const Plan& plan);
  bool enumerate(const Racer& a, const Racer& b, int preemptions_allowed, std::size_t at_most, Exploration& out);
  void sample(const Racer& a, const Racer& b, std::size_t at_most, Exploration& out);
  bool holds(const Racer& a, const Racer& b, std::vector<Choice>& path, const Plan& plan, Exploration& out);
  void settle();
  bool blocked(int side);

  std::array<std::unique_ptr<Side>, 2> sides_;
  std::unique_ptr<Store> observer_;
  void* watcher_ = nullptr;  // a PGconn that asks who blocks whom
  std::vector<std::string> log_;
  std::array<int, 2> steps_{};
};

}  // namespace sickbay::store
