// What moves: takes what is due, turns it, admits, dispatches, looks and publishes (engine.md). Replicas are equal and
// keep nothing that matters in memory. A turn never waits for the world: what it wants to know or to have done is a
// call on its adapter's executor, whose answer wakes the node. step() does one piece of work and is all the simulation
// uses; start() runs it on threads until stop().
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/ids.hpp"
#include "decide/decide.hpp"
#include "engine/adapters.hpp"
#include "engine/calls.hpp"
#include "engine/facts.hpp"
#include "engine/intake.hpp"
#include "engine/options.hpp"
#include "engine/test_hooks.hpp"
#include "engine/witness.hpp"
#include "store/clock_steps.hpp"
#include "store/store.hpp"
#include "store/work.hpp"

namespace sickbay::engine {

// Views that are older say nothing for a list as a whole, and a list confirms nothing by them (ports/scheduler.hpp).
inline constexpr Duration kOldestListed = seconds{40};

class Engine {
 public:
  // All references outlive the engine. `faults` is the default fault table.
  // `executor`: where calls run; none: on threads of its own.
  Engine(store::Store& store, const CurrentAdapters& adapters, const FaultTable& faults, const Clock& clock, Ids& ids,
         const Options& options, TestHooks hooks = {}, std::unique_ptr<Executor> executor = nullptr);
  ~Engine();

  // Makes a queued call, where the executor leaves that to us, or else turns one piece of due work; false when there is
  // neither. An error is the store's, and the work stays due; or an internal error, and the work is put off for a
  // minute.
  Result<bool> step();
  // Makes one queued call; false: none waits, or the executor makes them itself.
  bool make_call() { return calls_.run_one(); }
  // Turns this piece of work now, due or not.
  Status turn(WorkKind kind, std::string_view key);
  // Lists what the adapters of a cluster have, from now on (work of kind sync).
  Status start_sync(std::string_view cluster);

  // Threads: `workers` of step(), one for heartbeats, one that publishes; stop() waits for turns in progress.
  void start();
  void stop();
  // Something local was woken.
  void notify();
  // A scheduler says that something about this node changed (its name there). Only a reason to look.
  void changed(std::string_view cluster, std::string_view node_name);
  // Asks for looks at what changed() named since the last time, at most once a second.
  Status wake_changed();

  Intake& intake() { return intake_; }
  decide::SafetyState caution() const;
  // Compares the database with what it says wrote it last and with what this server saw of it (witness.hpp): after a
  // restore or a failover that may have lost something every replica looks only, until a person confirms.
  // Before start(), every few seconds after, and when an operation may not be taken for it.
  Status compare_lineage();

 private:
  Status tell_break();
  Status turn_once(WorkKind kind, std::string_view key);
  void put_off(WorkKind kind, std::string_view key, Duration wait);
  void put_off_failed(WorkKind kind, std::string_view key, Duration at_least, const std::string& error);
  Status node_turn(std::string_view key);
  Status cluster_turn(std::string_view key);
  Status sync_turn(std::string_view key);
  Status note_configured(const std::string& cluster, const ClusterAdapters& adapters);
  bool ask(const decide::NodeFacts& facts, std::uint64_t version, Time now);
  void ask_for_looks(const decide::NodeFacts& facts, Time now);
  Told look_at_node(const Node& node, const std::string& scheduler);
  Status fold_look(const Observation& look, Duration took);
  Told look_at_act(const Operation& operation);
  void recall(Provider& provider, const Operation& asked);
  Status fold_view(const Operation& asked, const OperationView& view, Time began);
  Told list_nodes(const AdapterKey& adapter);
  Status sync_nodes(const AdapterKey& adapter, const std::vector<NodeStatus>& nodes, Time at);
  Told list_hosts(const AdapterKey& adapter);
  Told list_failed(const AdapterKey& adapter, const std::string& error);
  Status sync_hosts(std::string_view cluster, const std::vector<ListedHost>& hosts);
  Status end_sync(const AdapterKey& adapter, std::string_view role, Time at, const std::string& capabilities);
  void note_reach(const AdapterKey& adapter, Reach::News news, Duration since, const std::string& error);
  Status publish_turn(std::string_view key);
  Status admit(const Node& node);
  void ask_to_send(const Operation& operation, std::uint64_t version, Duration good_for);
  // The operation, taken; `again`: by its row it may have left before, whoever sent it.
  struct Taken {
    Operation operation;
    store::Lineage lineage;
    bool again = false;
  };
  Result<Taken> take(const Operation& planned, std::uint64_t version);
  static Status may_send(store::Tx& tx, const std::optional<store::Lineage>& seen);
  Told dispatch(const Operation& planned);
  void record(const Operation& taken, const Reply& reply, bool again);
  void work_loop();
  void heartbeat_loop();
  void publish_loop();
  bool prune();
  std::optional<store::Work> claim();
  // False: the clock has just been found to have stepped; what was read under it is not to be decided on.
  bool clock_is_sound(Time now, Duration known);
  bool clock_is_sound();
  Duration stepped(Time now, Duration steady, Duration known) const;
  void note_step();
  void at(Point point) const {
    if (hooks_.at) hooks_.at(point);
  }

  store::Store& store_;
  const CurrentAdapters& adapters_;
  const FaultTable& faults_;
  const Clock& clock_;
  Ids& ids_;
  Options options_;
  TestHooks hooks_;
  Intake intake_;
  std::atomic<bool> observe_only_ = false;
  Witness witness_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  bool work_notified_ = false, publish_notified_ = false;
  std::set<std::pair<WorkKind, std::string>> in_turn_;  // kinds and keys this replica is turning now
  struct ToSend {
    std::uint64_t version = 0;  // that it was decided on
    Duration good_until{};      // steady
  };
  std::map<std::string, ToSend> to_send_;  // planned operations
  // Clusters, and the provider and schedulers that were compared with their nodes.
  std::map<std::string, std::pair<std::string, std::set<std::string>>> noted_;
  std::optional<Duration> woke_changed_;
  std::map<std::string, Duration> hinted_;  // clusters, and when a hint last had them listed; wake_changed()'s own
  std::set<AdapterKey> changed_;            // clusters and names of nodes that changed() named
  std::vector<std::thread> threads_;
  struct ClockPair {
    Time database{};
    Duration steady{}, known{};  // known: the steps that were written down
  };
  std::optional<ClockPair> clock_pair_;
  std::optional<Duration> diverged_at_;  // steady time at which the two last disagreed
  Calls calls_;                          // last: what it runs uses the rest
};

}  // namespace sickbay::engine
