// What moves: takes what is due, turns it, admits, dispatches, looks and publishes (engine.md). Replicas are equal and
// keep nothing that matters in memory. step() does one piece of work and is all the simulation uses; start() runs it
// on threads until stop().
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/ids.hpp"
#include "decide/decide.hpp"
#include "engine/intake.hpp"
#include "engine/world.hpp"
#include "store/restore.hpp"
#include "store/store.hpp"
#include "store/work.hpp"

namespace sickbay::engine {

class Engine {
 public:
  // All references outlive the engine. `faults` is the default fault table.
  Engine(store::Store& store, const World& world, const FaultTable& faults, const Clock& clock, Ids& ids,
         const Options& options, Hook hook = {});
  ~Engine();

  // Turns one piece of due work; false when nothing is due. An error is the store's (nothing was lost: the work stays
  // due).
  Result<bool> step();
  // Turns this piece of work now, due or not.
  Status turn(std::string_view kind, std::string_view key);
  // Watches the adapters of a cluster from now on (work of kind "watch").
  Status watch(std::string_view cluster);

  // Threads: `workers` of step(), one for heartbeats, one that publishes; stop() waits for turns in progress.
  void start();
  void stop();
  // Something local was woken.
  void notify();

  Intake& intake() { return intake_; }
  decide::Caution caution() const;
  // Compares the database with the witness of an earlier start (Options::witness): a restore, or a change of timeline,
  // makes every replica look only until a person confirms. Before start(), and every few seconds after.
  Status recall();

 private:
  Status node_turn(std::string_view key);
  Status cluster_turn(std::string_view key);
  Status watch_turn(std::string_view key);
  Status note_missing(std::string_view cluster, std::string_view scheduler, const std::vector<ListedNode>& listed);
  Status publish_turn(std::string_view key);
  Status admit(const Node& node);
  void dispatch(const Operation& operation, std::uint64_t version);
  void work_loop();
  void heartbeat_loop();
  void publish_loop();
  bool prune();
  std::optional<store::Work> claim();
  void check_clock(Time database_now);
  void at(Point point) const {
    if (hook_) hook_(point);
  }

  store::Store& store_;
  const World& world_;
  const FaultTable& faults_;
  const Clock& clock_;
  Ids& ids_;
  Options options_;
  Hook hook_;
  Intake intake_;
  std::atomic<bool> observe_only_ = false;
  std::optional<store::Lineage> witnessed_;  // of recall(), which one thread at a time calls

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool work_notified_ = false, publish_notified_ = false;
  std::set<std::pair<std::string, std::string>> in_turn_;  // kinds and keys this replica is turning now
  std::vector<std::thread> threads_;
  std::optional<std::pair<Time, Duration>> clock_pair_;  // the database's clock beside our monotonic one
  std::optional<Duration> diverged_at_;                  // steady time at which the two last disagreed
};

}  // namespace sickbay::engine
