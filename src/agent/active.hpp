// The faults an agent holds to be there now. They go whole to the server (engine.md 7), and they are what makes a storm
// small: the first finding of a fault on a device is sent at once, its duplicates are counted and told at most once per
// heartbeat (NVSentinel's issue 1120 saw 800,000 findings of 29 kinds). Bounded; says when it is full.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/time.hpp"
#include "model/node.hpp"

namespace sickbay::agent {

class ActiveSet {
 public:
  static constexpr std::size_t kMost = 256;

  explicit ActiveSet(const FaultTable& faults) : faults_(faults) {}

  // What was active when the agent of this same boot ended.
  void restore(std::vector<ActiveFault> active, Duration now);
  // Takes a finding in; true: send it now. False: it only counts, and due() will tell. `now` is a steady time.
  bool take(const Finding& finding, Duration now);
  // At each heartbeat: one finding for each fault with duplicates not yet told (the last one, with their count).
  // Faults that clear by being quiet leave the set when they have been.
  std::vector<Finding> due(Duration now);

  std::vector<ActiveFault> list() const;
  const ActiveFault* find(const Fault& fault, std::string_view device) const;
  std::size_t size() const { return active_.size(); }
  // Faults that found no place since the last due().
  std::uint64_t overflowed() const { return overflowed_; }
  // Whether a fault came or went since the last call: time to save.
  bool changed() { return std::exchange(changed_, false); }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // fault's name, code, device
  struct Entry {
    ActiveFault fault;
    std::uint64_t told = 0;  // of fault.count
    Duration last{};         // steady time of the last finding
  };
  bool count(Entry& entry, const Finding& finding, Duration now);

  const FaultTable& faults_;
  std::map<Key, Entry> active_;
  std::map<std::tuple<Key, FindingKind, std::string>, Entry> others_;  // notes and clears of this interval, by detector
  std::uint64_t overflowed_ = 0;
  bool changed_ = false;
};

// A digest of a set, to see whether two are the same.
std::string digest_of(const std::vector<ActiveFault>& active);

}  // namespace sickbay::agent
