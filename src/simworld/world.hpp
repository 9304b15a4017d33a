// The simulated world: nodes, machines, hosts with spares, schedulers with work, and a provider that acts on nodes,
// with everything that can go wrong between a call and its effect (entry.hpp: Weather). It has no clock and no threads
// of its own: time is what advance() last said, randomness comes from the seed, and every change is a journal entry, so
// that the same seed and calls give the same history and a restart goes on where the journal ends. Not thread safe.
#pragma once

#include <functional>
#include <memory>
#include <random>

#include "base/result.hpp"
#include "ports/provider.hpp"
#include "ports/scheduler.hpp"
#include "simworld/state.hpp"

namespace sickbay::simworld {

// What becomes of one call.
BOOST_DEFINE_ENUM_CLASS(Fate, deliver, not_sent, lose_request, late, lose_reply)

// A fault to inject. cured_by: absent, as the kind says; migrate: the hardware itself is broken and the fault comes
// back after every reboot and rebuild on the same host.
struct FaultOrder {
  std::string node, fault;
  std::uint32_t gpu = 0;
  std::optional<Action> cured_by;
  std::uint32_t repeats = 1;  // the same lines that many times
};

class World {
 public:
  // A new world at `start`, or, with the entries of its journal, the one that wrote them.
  World(const Config& config, Time start, Journal& journal);
  static Result<std::unique_ptr<World>> restore(const std::vector<Entry>& entries, Journal& journal);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Time is `now`: what was due until then happens, in order. Never goes back.
  void advance(Time now);
  // When something is due next; absent: nothing is.
  std::optional<Time> next_due() const;
  Time now() const { return now_; }
  const State& state() const { return state_; }
  const Config& config() const { return config_; }
  Weather& weather() { return config_.weather; }
  Latencies& latencies() { return config_.latencies; }
  std::uint64_t older_views() const { return older_views_; }  // given so far
  void set_jobs(Duration every, Duration length);             // zero: no more come
  // For tests: the fates of the next calls, before those that the weather draws.
  void next_fate(Fate fate) { fates_.push_back(fate); }
  void set_reachable(std::string_view adapter, bool reachable);  // a scheduler or the provider that does not answer

  // The schedulers (contract: ports/scheduler.hpp). `installation` owns the mark. An uncordon with `force` is what
  // nobody fenced: it takes every mark away, as the real APIs allow; Sickbay never sends it.
  NodeStatus look(std::string_view scheduler, std::string_view installation, std::string_view node);
  Result<std::vector<NodeStatus>> list(std::string_view scheduler, std::string_view installation);
  SchedulerCapabilities declared(std::string_view scheduler) const;
  Reply hold(std::string_view installation, const Operation& operation);  // cordon, drain, uncordon

  // The provider (contract: ports/provider.hpp).
  Reply start(const Operation& operation);
  Reply cancel(const Operation& operation);
  Result<ProviderCapabilities> capabilities();
  OperationView view(std::string_view operation);
  Result<std::vector<ListedHost>> hosts();
  // Whether a request of this operation, or its effect, may still change something.
  bool is_pending(std::string_view operation) const;

  // People, foreign controllers and misfortune. Errc::not_found names what does not exist.
  Status cordon(std::string_view scheduler, std::string_view node, std::string_view by);
  Status uncordon(std::string_view scheduler, std::string_view node, std::string_view by);   // ours too
  Status drop_mark(std::string_view scheduler, std::string_view node, std::string_view by);  // ours only
  Status inject(const FaultOrder& order);
  Status start_job(std::string_view scheduler, std::string_view node, Duration length, bool blocked,
                   bool light = false);
  Status crash(std::string_view node);  // restarts by itself: a new boot
  Status die(std::string_view node);    // stops, until it is booted
  Status mend(std::string_view node);   // a technician: its hardware is whole again; the kernel log stays

 private:
  explicit World(Journal& journal) : journal_(journal) {}
  void build();
  void record(Entry entry, bool durable);
  void apply(const Entry& entry);
  void apply_to_node(const Entry& entry);
  void apply_end(const Entry& entry);
  void boot(NodeState& node, const std::string& boot_id, Time at);
  void print(NodeState& node, const std::vector<Line>& lines, Time at);
  std::optional<std::pair<Time, std::function<void()>>> earliest() const;

  void new_job();
  void end_effect(const Entry& begin);
  void reappear(const std::string& node);
  Fate draw(bool may_be_late);
  bool chance(double probability);
  std::uint64_t pick(std::uint64_t below);
  Reply arrive(Entry request);
  Reply carry_out(const Entry& request);
  Reply carry_out_hold(const Entry& request);
  Reply carry_out_cordon(const Entry& request, const std::string& owner, Entry effect);
  Reply carry_out_uncordon(const Entry& request, const Membership& in, Entry effect);
  Reply carry_out_drain(const Entry& request, const Membership& in, Entry effect);
  NodeStatus status_of(const NodeState& node, const Membership& in, std::string_view installation) const;
  NodeStatus view_of(const NodeState& node, const Membership& in, std::string_view installation);
  void disturb_marks(const Entry& begin);
  Reply carry_out_act(const Entry& request);
  std::string find_spare(const NodeState& node, std::string_view wanted) const;
  std::optional<std::string> objection(const Entry& request) const;
  bool reachable(std::string_view adapter) const { return !unreachable_.contains(std::string(adapter)); }
  NodeState* find(std::string_view node);
  Membership* find(std::string_view scheduler, std::string_view node);
  Result<Membership*> need(std::string_view scheduler, std::string_view node);
  Result<NodeState*> need(std::string_view node);
  Entry entry(What what, std::string_view node) const;
  std::string new_id(std::string_view prefix);

  Config config_;
  Journal& journal_;
  State state_;
  Time now_{};
  std::uint64_t written_ = 0;
  std::mt19937_64 random_;
  std::deque<Fate> fates_;
  std::set<std::string> unreachable_;
  std::uint64_t older_views_ = 0;
  std::map<std::string, std::pair<Time, NodeStatus>> views_;  // the older views that a scheduler still gives
};

}  // namespace sickbay::simworld
