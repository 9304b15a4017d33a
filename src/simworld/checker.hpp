// The oracle: reads the world's journal, entry by entry, and says what must never have happened (engine.md 9). It keeps
// its own picture of the world and shares nothing with the code that wrote the journal.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "simworld/entry.hpp"

namespace sickbay::simworld {

class Checker {
 public:
  // Work that began this shortly before a request is no violation: a look at a scheduler counts as fresh for 60 s, and
  // a person may take a hold away in between.
  static constexpr Duration fresh = seconds{90};

  // The violations this entry proves, as sentences; none: empty. What a scheduler declares that it cannot keep is none.
  std::vector<std::string> take(const Entry& entry);
  // What its schedulers declare; the journal's first entry says it too.
  void know(const Config& world) { declared_ = world.declared; }

  struct Count {
    std::uint64_t requests = 0, effects = 0, marks = 0, repairs = 0;
    std::uint64_t overtaken = 0;  // marks and cordons changed by a late request where the scheduler cannot fence it
  };
  const Count& count() const { return count_; }

 private:
  struct Place {  // a node in a scheduler
    std::string installation, repair;
    std::set<std::string> cordons;
    std::map<std::string, Time> jobs;
  };
  void take_begin(const Entry& entry, std::vector<std::string>& wrong);
  void take_unmark(const Entry& entry, std::vector<std::string>& wrong);
  bool is_overtaken(const Entry& entry);

  std::map<std::string, std::map<std::string, Place>> nodes_;  // node, scheduler
  std::map<std::string, std::string> on_node_, on_host_;       // the operation in flight
  std::map<std::string, std::string> acted_;                   // repair: the operation that acted
  std::set<std::string> executed_;                             // operations
  std::set<std::string> forced_;                               // repairs that a forced drain was asked for
  std::map<std::uint64_t, Time> asked_;                        // request: when
  std::map<std::uint64_t, Entry> effects_;                     // begun
  std::map<std::string, SchedulerCapabilities> declared_;
  Count count_;
};

// All violations of a whole journal, each with the number of its entry.
std::vector<std::string> check(const std::vector<Entry>& entries, Checker::Count* count = nullptr);

}  // namespace sickbay::simworld
