// The loop of a history: somebody who can run runs up to its next await; when nobody can, time goes on to what comes
// next. All choices are the seed's.
#include "tests/simulation/simulation.hpp"

#include <fmt/core.h>

#include "model/json.hpp"
#include "store/clusters.hpp"
#include "store/policies.hpp"
#include "store/work.hpp"
#include "tests/simulation/invariants.hpp"
#include "tests/simulation/people.hpp"
#include "tests/simulation/replica.hpp"

namespace sickbay::simulation {

namespace {

const Time beginning = from_micros(1'800'000'000'000'000);

// Shows every entry to the invariants; `look` is set once they exist.
class WatchedJournal final : public simworld::Journal {
 public:
  void append(const simworld::Entry& entry, bool) override {
    if (look) look(entry);
  }
  std::function<void(const simworld::Entry&)> look;
};

const Knowledge& knowledge() {
  static const Knowledge shared;  // immutable and slow to make; the same for every history of the process
  return shared;
}

class History {
 public:
  explicit History(const Options& options)
      : options_(options),
        random_(options.seed),
        plan_(make_plan(random_)),
        around_{plan_, knowledge(), world_, *store_, random_, options.planted, trace_} {}

  Outcome go();

 private:
  static std::unique_ptr<store::Store> open(const Clock& clock, std::function<store::Hooks::Commit()> at_commit) {
    store::Hooks hooks;
    hooks.at_commit = std::move(at_commit);
    auto store = store::Store::open({.url = "sqlite::memory:", .connections = 1}, clock, std::move(hooks));
    if (!store) throw std::runtime_error("no store: " + store.error().message);
    return std::move(*store);
  }
  store::Hooks::Commit commit() {
    if (calm_ || !random_.chance(plan_.commit_unknown)) return store::Hooks::Commit::normal;
    return random_.chance(0.5) ? store::Hooks::Commit::lost_before : store::Hooks::Commit::lost_after;
  }
  void begin();
  void pass(Duration by);
  Duration until_next();
  void happen();
  void misfortune();
  void inject();
  bool at_rest();
  void note_met();
  engine::Intake* somebody_listening();
  bool run_replicas();
  void trace(const std::string& line) {
    if (options_.trace) outcome_.trace.push_back(fmt::format("{:>10} {}", format_duration(elapsed_), line));
  }

  const Options options_;
  Outcome outcome_;
  const std::function<void(const std::string&)> trace_ = [this](const std::string& line) { trace(line); };
  Random random_;
  Plan plan_;
  Duration elapsed_{};
  bool calm_ = false;
  ManualClock database_clock_{beginning};
  WatchedJournal journal_;
  simworld::World world_{plan_.world, beginning, journal_};
  std::unique_ptr<store::Store> store_ = open(database_clock_, [this] { return commit(); });
  Invariants invariants_{*store_, plan_};
  Agents agents_{plan_, world_, *store_, knowledge(), random_, trace_};
  Replica::Surroundings around_;
  SeededIds office_ids_{options_.seed + 1};
  engine::Options office_options_;
  engine::Commands commands_{*store_, knowledge().faults, office_ids_, office_options_};
  std::vector<std::unique_ptr<Replica>> replicas_;
  const std::function<bool()> somebody_may_send_ = [this] {
    return std::ranges::any_of(replicas_, [this](const auto& replica) { return replica->is_held_up(elapsed_); });
  };
  People people_{plan_, world_, *store_, commands_, random_, trace_, somebody_may_send_};
  Duration people_at_{}, misfortune_at_{};
  std::uint32_t faults_left_ = 0;
};

void History::begin() {
  journal_.look = [this](const simworld::Entry& entry) {
    if (options_.trace) trace("world: " + to_json_text(entry));
    invariants_.at(entry);
  };
  office_options_.replica = "office";
  Cluster cluster;
  cluster.id = "default", cluster.name = "default";
  cluster.created_at = database_clock_.now();
  PolicyVersion policy;
  policy.cluster = "default", policy.version = 1, policy.policy = plan_.policy;
  (void)store_->write([&](store::Tx& tx) -> Status {
    store::put_cluster(tx, cluster);
    store::add_policy(tx, policy);
    return {};
  });
  for (std::size_t i = 0; i < plan_.replicas; ++i) {
    replicas_.push_back(std::make_unique<Replica>(fmt::format("replica{}", i), options_.seed * 10 + i, around_));
  }
  faults_left_ = plan_.faults;
  misfortune_at_ = seconds{20};
}

engine::Intake* History::somebody_listening() {
  std::vector<engine::Intake*> listening;
  for (const auto& replica : replicas_) {
    if (engine::Intake* intake = replica->intake()) listening.push_back(intake);
  }
  return listening.empty() ? nullptr : random_.pick(listening);
}

// Resumes one replica that can run; false: none can.
bool History::run_replicas() {
  std::vector<Replica*> runnable;
  for (const auto& replica : replicas_) {
    if (replica->is_runnable(elapsed_)) runnable.push_back(replica.get());
  }
  if (runnable.empty()) return false;
  random_.pick(runnable)->step();
  return true;
}

void History::pass(Duration by) {
  elapsed_ += by;
  database_clock_.advance(by);
  for (const auto& replica : replicas_) {
    replica->advance(by);
    replica->tend(elapsed_);
    replica->wake();
  }
  world_.advance(beginning + elapsed_);
}

// How long until something is due, at most 15 s: schedulers and nodes are looked at about that often.
Duration History::until_next() {
  Duration next = elapsed_ + seconds{15};
  const auto consider = [&](Duration at) { next = std::min(next, std::max(at, elapsed_ + milliseconds{200})); };
  for (const auto& replica : replicas_) {
    if (const auto at = replica->next(elapsed_)) consider(*at);
  }
  if (const auto at = world_.next_due()) consider(*at - beginning);
  if (const auto at = agents_.next()) consider(*at - beginning);
  const auto due = store_->read([](store::Tx& tx) -> Result<std::optional<Time>> { return store::next_due(tx); });
  if (due && *due) {
    const Duration at = **due - database_clock_.now() + elapsed_;
    consider(std::max(at, elapsed_ + (at <= elapsed_ ? seconds{1} : Duration{})));  // due already: somebody claimed it
  }
  consider(people_at_), consider(calm_ ? next : misfortune_at_);
  return next - elapsed_;
}

void History::inject() {
  static constexpr std::string_view kinds[] = {"xid-119", "xid-79", "xid-95", "xfs", "ecc", "nvlink", "oops"};
  std::vector<std::string> up;
  for (const auto& [name, node] : world_.state().nodes) {
    if (node.up && !node.removed) up.push_back(name);
  }
  if (up.empty()) return;
  simworld::FaultOrder order{random_.pick(up), std::string(kinds[random_.below(std::size(kinds))]), 0, {}};
  order.gpu = static_cast<std::uint32_t>(random_.below(8));
  if (random_.chance(0.15)) order.cured_by = Action::migrate;
  trace(fmt::format("a fault on {}: {}", order.node, order.fault));
  (void)world_.inject(order);
  --faults_left_;
}

void History::misfortune() {
  if (faults_left_ > 0 && random_.chance(0.5)) inject();
  std::vector<std::string> names;
  for (const auto& [name, node] : world_.state().nodes) names.push_back(name);
  const std::string node = random_.pick(names);
  if (random_.chance(plan_.node_crash)) trace(node + " restarts by itself"), (void)world_.crash(node);
  if (random_.chance(plan_.node_death)) trace(node + " dies"), (void)world_.die(node);
  const auto& in = world_.state().nodes.at(node).in;
  const std::string scheduler = in[random_.below(in.size())].scheduler;
  if (random_.chance(plan_.foreign_controller)) {
    trace(fmt::format("a controller drops our mark on {} in {}", node, scheduler));
    (void)world_.drop_mark(scheduler, node, "a-controller");
  }
  if (random_.chance(plan_.scheduler_down)) world_.set_reachable(scheduler, false);
  if (random_.chance(0.3)) {
    for (const std::string& each : plan_.world.schedulers) world_.set_reachable(each, true);
  }
  if (random_.chance(plan_.clock_step)) {
    const bool back = random_.chance(0.5);
    const Duration step = random_.between(seconds{1}, back ? hours{2} : minutes{20});
    trace(fmt::format("the database's clock steps {} by {}", back ? "back" : "ahead", format_duration(step)));
    database_clock_.step_wall(back ? -step : step);
  }
}

void History::happen() {
  const Time now = beginning + elapsed_;
  agents_.act(now, somebody_listening(), calm_);
  if (elapsed_ >= people_at_) {
    people_.act(now, calm_);
    invariants_.between();
    people_at_ = elapsed_ + (calm_ ? seconds{20} : random_.between(seconds{5}, seconds{40}));
  }
  if (!calm_ && elapsed_ >= misfortune_at_) {
    misfortune();
    misfortune_at_ = elapsed_ + random_.between(seconds{2}, seconds{30});
  }
  if (!calm_ && elapsed_ > plan_.trouble && faults_left_ == 0) {
    trace("---- no more trouble");
    calm_ = true;
    world_.weather() = {};
    world_.set_jobs(Duration{}, seconds{30});
    for (const std::string& each : plan_.world.schedulers) world_.set_reachable(each, true);
    for (const auto& replica : replicas_) replica->calm();
  }
}

bool History::at_rest() {
  if (!people_.content() || !world_.state().effects.empty() || !world_.state().late.empty()) return false;
  for (const Agents::Holding& agent : agents_.holding()) {
    if (!agent.connected) return false;
  }
  return true;
}

// What this history's world was, and what came of it.
void History::note_met() {
  outcome_.met = invariants_.met();
  outcome_.met["older view given"] = world_.older_views();
  const simworld::Config& world = plan_.world;
  const auto is = [&](const char* what, bool so) { outcome_.met[what] = so ? 1 : 0; };
  const auto any = [&](auto says) {
    return std::ranges::any_of(world.schedulers, [&](const std::string& name) { return says(world_.declared(name)); });
  };
  is("world: one-bit cordons", any([](const SchedulerCapabilities& s) { return !s.foreign_cordon_visible; }));
  is("world: marks without compare-and-swap", any([](const SchedulerCapabilities& s) { return !s.atomic_marks; }));
  is("world: cached views", any([](const SchedulerCapabilities& s) { return s.view_age > Duration{}; }));
  is("world: an action ends marks", !world.capabilities.disturbs.empty());
  is("world: acts can be recalled", !world.capabilities.cancellable.empty());
  is("world: shared hosts", world.shared_hosts);
  is("world: two schedulers", world.schedulers.size() == 2);
  is("world: Slurm alone", world.schedulers == std::vector<std::string>{"sim-slurm"});
  is("world: Kubernetes alone", world.schedulers == std::vector<std::string>{"sim-k8s"});
}

Outcome History::go() {
  begin();
  const Duration at_most = plan_.trouble + hours{3};
  Duration restless = elapsed_;  // when it was last not at rest
  std::uint64_t turns = 0;
  while (invariants_.violations().empty()) {
    if (run_replicas()) {
      // Now and then the world goes on in the middle of somebody's turn.
      if (!random_.chance(0.1)) continue;
      pass(random_.between(milliseconds{1}, random_.chance(0.2) ? seconds{5} : milliseconds{200}));
    } else {
      pass(until_next());
    }
    happen();
    if (++turns > 200'000) invariants_.flag("the history does not end: something works without getting anywhere");
    if (!calm_ || !at_rest()) restless = elapsed_;
    if (elapsed_ - restless > minutes{5}) {
      invariants_.at_rest(world_, agents_, database_clock_.now());
      break;
    }
    if (elapsed_ > at_most) {
      invariants_.never_rested(world_);
      for (const Agents::Holding& agent : agents_.holding()) {
        if (!agent.connected)
          invariants_.flag(fmt::format("the agent of {} is not connected: node {}", agent.node,
                                       world_.state().nodes.at(agent.node).up ? "up" : "down"));
      }
    }
  }
  outcome_.violations = invariants_.violations();
  note_met();
  for (const auto& replica : replicas_) outcome_.steps += replica->steps(), outcome_.awaits += replica->awaits();
  outcome_.effects = invariants_.count().effects;
  outcome_.simulated = elapsed_;
  return std::move(outcome_);
}

}  // namespace

const std::vector<std::string>& worth_meeting() {
  static const std::vector<std::string> names{"act recalled",
                                              "mark ended by an action",
                                              "mark or cordon overtaken",
                                              "repair that waited for its host",
                                              "older view given",
                                              "world: one-bit cordons",
                                              "world: marks without compare-and-swap",
                                              "world: cached views",
                                              "world: an action ends marks",
                                              "world: acts can be recalled",
                                              "world: shared hosts",
                                              "world: two schedulers",
                                              "world: Slurm alone",
                                              "world: Kubernetes alone"};
  return names;
}

Outcome run(const Options& options) {
  return History(options).go();
}

}  // namespace sickbay::simulation
