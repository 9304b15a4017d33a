// An engine whose calls are made when the test says so, on one or more clusters with a scheduler and a provider each
// that the test commands.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "engine/engine.hpp"
#include "store/alerts.hpp"
#include "store/clusters.hpp"
#include "store/findings.hpp"
#include "store/nodes.hpp"
#include "store/observations.hpp"
#include "store/operations.hpp"
#include "store/repairs.hpp"
#include "store/sync.hpp"

namespace sickbay::engine::testing {

// What a test's scheduler says and what it was asked.
struct Script {
  std::vector<NodeStatus> nodes;
  std::string error;           // every look and list fails with this
  std::deque<Answer> answers;  // of the next sends; then done
  int looks = 0, lists = 0;
  Duration view_age{};  // of every look
  std::vector<Operation> sent;
  std::map<std::string, std::string> marks;       // node name: repair
  std::function<void(std::string_view)> changed;  // says that a node changed, while somebody listens

  Reply reply(const Operation& operation) {
    sent.push_back(operation);
    Answer answer = Answer::done;
    if (!answers.empty()) answer = answers.front(), answers.pop_front();
    if (answer == Answer::done && operation.kind == OperationKind::cordon)
      marks[operation.node_name] = operation.repair;
    if (answer == Answer::done && operation.kind == OperationKind::uncordon) marks.erase(operation.node_name);
    return {answer, "", answer == Answer::unknown ? "timed out" : ""};
  }
};

class ScriptedScheduler final : public Scheduler {
 public:
  explicit ScriptedScheduler(Script& script) : script_(script) {}
  SchedulerCapabilities capabilities() const override { return {.view_age = script_.view_age}; }
  NodeStatus observe(std::string_view name, Duration) override {
    ++script_.looks;
    NodeStatus seen;
    seen.name = name;
    seen.error = script_.error;
    seen.age = script_.view_age;
    if (!seen.error.empty()) return seen;
    const auto listed = std::ranges::find(script_.nodes, name, &NodeStatus::name);
    seen.ready = listed == script_.nodes.end() || listed->ready;
    seen.idleness = Idleness::idle;
    seen.drained = true;
    const auto mark = script_.marks.find(std::string(name));
    seen.cordoned = mark != script_.marks.end();
    if (seen.cordoned) seen.hold_owner = mark->second;
    return seen;
  }
  void on_change(std::function<void(std::string_view)> changed) override { script_.changed = std::move(changed); }
  Reply cordon(const Operation& operation, Duration) override { return script_.reply(operation); }
  Reply uncordon(const Operation& operation, Duration) override { return script_.reply(operation); }
  Reply drain(const Operation& operation, Duration) override { return script_.reply(operation); }
  Result<std::vector<NodeStatus>> list(Duration) override {
    ++script_.lists;
    if (!script_.error.empty()) return fail(Errc::unavailable, script_.error);
    return script_.nodes;
  }

 private:
  Script& script_;
};

// What a test's provider says and what it was asked.
struct ProviderScript {
  std::vector<ListedHost> hosts;
  std::set<std::string> silent;  // nodes whose BMC does not answer
  ProviderCapabilities can{.actions = {Action::reboot}, .dedup_by_operation_id = true};
  int lists = 0, looks = 0, cancels = 0;
  std::vector<std::string> started;  // nodes
  std::function<void()> at_start;    // when the request arrives
};

class ScriptedProvider final : public Provider {
 public:
  explicit ScriptedProvider(ProviderScript& script) : script_(script) {}
  Result<ProviderCapabilities> capabilities(Duration) override { return script_.can; }
  Reply start(const Operation& operation, Duration) override {
    if (script_.silent.contains(operation.node_name)) return {Answer::unknown, "", "no answer from its BMC", {}};
    if (script_.at_start) script_.at_start();
    script_.started.push_back(operation.node_name);
    return {Answer::accepted, "", "", {}};
  }
  Reply cancel(const Operation&, Duration) override { return ++script_.cancels, Reply{Answer::refused, "", "", {}}; }
  OperationView observe(const Operation& operation, Duration) override {
    ++script_.looks;
    if (script_.silent.contains(operation.node_name)) return {Progress::unreadable, "no answer from its BMC", ""};
    const bool known = std::ranges::find(script_.started, operation.node_name) != script_.started.end();
    return {known ? Progress::running : Progress::not_seen, "", ""};
  }
  Result<std::vector<ListedHost>> hosts(Duration) override { return ++script_.lists, script_.hosts; }

 private:
  ProviderScript& script_;
};

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() { restart(256); }

  static std::vector<NodeStatus> nodes(int count) {
    std::vector<NodeStatus> made(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      NodeStatus& node = made[static_cast<std::size_t>(i)];
      node.name = "gpu-" + std::to_string(i);
      node.uid = "uid-" + node.name;
      node.pool = "train";
      node.ready = true;
    }
    return made;
  }
  void add_cluster(const std::string& id, Script& script) {
    clusters_[id] = &script;
    use_scripts();
    write([&](store::Tx& tx) {
      Cluster cluster;
      cluster.id = cluster.name = id;
      store::put_cluster(tx, cluster);
    });
    ASSERT_TRUE(engine_->start_sync(id));
  }
  void use_scripts() {
    Adapters adapters;
    for (const auto& [id, script] : clusters_) {
      adapters.clusters[id].add("k8s", std::make_unique<ScriptedScheduler>(*script));
      adapters.clusters[id].provider_name = provider_name_;
      if (const auto provider = providers_.find(id); provider != providers_.end()) {
        adapters.clusters[id].set(provider_name_, std::make_unique<ScriptedProvider>(*provider->second));
      }
    }
    adapters_.replace(std::move(adapters));
  }
  void restart(std::size_t most_queued, TestHooks hooks = {}) {
    engine_.reset();
    Options options;
    options.replica = "replica-" + std::to_string(++starts_);
    options.witness = witness_;
    auto executor = std::make_unique<QueueExecutor>(QueueExecutor::Pick{}, most_queued);
    executor_ = executor.get();
    engine_ = std::make_unique<Engine>(*store_, adapters_, faults_, clock_, ids_, options, std::move(hooks),
                                       std::move(executor));
  }
  // Turns what is due, and makes calls or leaves them hanging.
  void turn_all(bool make_calls = true) {
    for (int i = 0; i < 10'000; ++i) {
      if (make_calls && engine_->make_call()) continue;
      const auto due = read([&](store::Tx& tx) { return store::list_due(tx, store::now(tx), 1); });
      if (due.empty()) return;
      ASSERT_TRUE(engine_->turn(due.front().kind, due.front().key));
    }
    FAIL() << "it does not come to rest";
  }
  void pass(Duration time) {
    clock_.advance(time);
    turn_all();
  }
  Node node(const std::string& cluster, const std::string& name) {
    return read([&](store::Tx& tx) { return store::find_node(tx, cluster, name).value(); });
  }
  // An approved repair of the node that has just been admitted: its first act is the cordon.
  void admit(const std::string& cluster, const std::string& name) {
    const Node of = node(cluster, name);
    write([&](store::Tx& tx) {
      Repair repair;
      repair.id = "rep-" + cluster + "-" + name;
      repair.cluster = cluster, repair.node = of.id, repair.node_name = name, repair.pool = of.pool;
      repair.by_evidence = false;
      repair.action = repair.recommended = Action::reboot;
      repair.state = RepairState::QUARANTINING;
      repair.step = RepairStep::cordon;
      repair.review = Review{"ann", clock_.now(), ""};
      repair.created_at = clock_.now();
      repair.admitted_at = clock_.now();
      store::wake(tx, WorkKind::node, of.id, clock_.now());
      store::put_repair(tx, repair);
    });
  }
  Repair repair(const std::string& cluster, const std::string& name) {
    return read([&](store::Tx& tx) { return store::get_repair(tx, "rep-" + cluster + "-" + name).value(); });
  }
  std::optional<store::Adapter> adapter(const std::string& cluster, const std::string& name = "k8s") {
    return read([&](store::Tx& tx) { return store::get_adapter(tx, cluster, name); });
  }
  template <class Body>
  auto read(Body body) -> std::invoke_result_t<Body, store::Tx&> {
    using T = std::invoke_result_t<Body, store::Tx&>;
    auto result = store_->read([&](store::Tx& tx) -> Result<T> { return body(tx); });
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }
  template <class Body>
  void write(Body body) {
    const Status done = store_->write([&](store::Tx& tx) -> Status { return body(tx), Status{}; });
    ASSERT_TRUE(done) << done.error().message;
  }
  // Counts commits; `next` is what becomes of the next one.
  static store::Hooks counting(int& commits, store::Hooks::Commit& next) {
    store::Hooks hooks;
    hooks.at_commit = [&] { return ++commits, std::exchange(next, store::Hooks::Commit::normal); };
    return hooks;
  }

  int commits_ = 0, starts_ = 0;
  store::Hooks::Commit next_commit_ = store::Hooks::Commit::normal;
  std::string witness_;
  ManualClock clock_{from_micros(1'800'000'000'000'000)};
  SeededIds ids_{1};
  FaultTable faults_;
  std::map<std::string, Script*> clusters_;
  std::map<std::string, ProviderScript*> providers_;
  std::string provider_name_ = "sim";
  CurrentAdapters adapters_;
  std::unique_ptr<store::Store> store_ =
      std::move(*store::Store::open({.url = "sqlite::memory:"}, clock_, counting(commits_, next_commit_)));
  std::unique_ptr<Engine> engine_;
  QueueExecutor* executor_ = nullptr;
};

}  // namespace sickbay::engine::testing
