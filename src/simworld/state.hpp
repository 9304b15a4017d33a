// What the simulated world is made of, as plain values. Only World changes them, and only by applying journal entries.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "simworld/entry.hpp"
#include "simworld/kernel_log.hpp"

namespace sickbay::simworld {

struct Job {
  std::string id;
  Time since{}, ends{};
  bool blocked = false;        // a disruption budget protects it from eviction
  bool light = false;          // it asks for no accelerator: nobody waits for it, but a drain has to move it
  std::optional<Time> leaves;  // it was asked to go
};

// Our mark on a node in one scheduler: whose installation, which repair.
struct Mark {
  std::string installation, repair;
};

// A node in one scheduler.
struct Membership {
  std::string scheduler, uid;
  std::uint64_t version = 1;  // grows when a mark or a cordon changes
  std::optional<Mark> mark;
  std::set<std::string> cordons;  // of people and foreign controllers: who
  std::vector<Job> jobs;
  bool cordoned() const { return mark || !cordons.empty(); }
};

struct ActiveFault {
  std::string kind;
  std::uint32_t gpu = 0;
  Action cured_by = Action::reboot;
};

struct NodeState {
  std::string name, pool, host, machine, boot;
  Time boot_at{};
  bool up = true;
  bool listed = true;  // its scheduler objects exist (not while it is rebuilt)
  bool removed = false;
  std::vector<Membership> in;
  std::vector<ActiveFault> faults;
  std::optional<Time> reappears_at;  // faults of before the boot show again then
  std::deque<LogRecord> log;         // of this boot; the newest 1000
  std::uint64_t log_sequence = 0;    // of the next record
};

struct HostState {
  std::string id, pool;  // pool: of the node on it, or the one it is reserved for; empty: any
  sickbay::HostState state = sickbay::HostState::in_use;  // in_use, spare or vacated
  std::vector<std::string> nodes;
  std::optional<Time> checked_at;
};

// What the provider remembers of an operation.
struct OperationState {
  Progress progress = Progress::running;
  std::string detail, host, machine;
};

struct State {
  std::map<std::string, NodeState> nodes;
  std::map<std::string, HostState> hosts;
  std::map<std::string, OperationState> operations;  // by operation id
  std::map<std::uint64_t, Entry> late;               // requests that are carried out later, by entry number
  std::map<std::uint64_t, Entry> effects;            // begun, not ended, by entry number
  std::set<std::string> recalled;                    // operations that will not be carried out any more
  std::optional<Time> next_job;
};

}  // namespace sickbay::simworld
