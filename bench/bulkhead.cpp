// What one cluster's frozen scheduler does to the others: 1,000 repairs wait for it while findings arrive on 1,000
// nodes of other clusters; from a finding to its alert, beside the same without the freeze. Then it thaws: every repair
// goes on, and no cordon may have been asked for twice. Four workers, an SQLite file.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <thread>

#include "base/log.hpp"
#include "engine/engine.hpp"
#include "store/alerts.hpp"
#include "store/clusters.hpp"
#include "store/findings.hpp"
#include "store/nodes.hpp"
#include "store/repairs.hpp"
#include "store/sync.hpp"

namespace {

using namespace sickbay;
namespace fs = std::filesystem;

constexpr int kRepairs = 1000, kFindings = 1000;

// Blocks every call until it is thawed or the call's time is over; keeps a journal of what it was asked to place.
class Freezer final : public Scheduler {
 public:
  Freezer(std::string prefix, int count) : prefix_(std::move(prefix)), count_(count) {}
  void freeze(bool on) {
    {
      const std::lock_guard lock(mutex_);
      frozen_ = on;
    }
    thawed_.notify_all();
  }
  // Nodes that were cordoned, and how many cordons were one too many.
  std::pair<std::size_t, int> journal() const {
    const std::lock_guard lock(mutex_);
    int twice = 0;
    for (const auto& [node, times] : placed_) twice += times - 1;
    return {placed_.size(), twice};
  }
  SchedulerCapabilities capabilities() const override { return {}; }
  NodeStatus observe(std::string_view name, Duration timeout) override {
    NodeStatus seen;
    seen.name = name;
    if (!wait(timeout)) return seen.error = "timed out", seen;
    seen.ready = true;
    seen.idleness = Idleness::busy;  // so that repairs stay in their wait
    const std::lock_guard lock(mutex_);
    const auto mark = marks_.find(std::string(name));
    seen.cordoned = mark != marks_.end();
    if (seen.cordoned) seen.hold_owner = mark->second;
    return seen;
  }
  Reply cordon(const Operation& operation, Duration timeout) override {
    if (!wait(timeout)) return {Answer::unknown, "", "timed out"};
    const std::lock_guard lock(mutex_);
    ++placed_[operation.node_name];
    marks_[operation.node_name] = operation.repair;
    return {Answer::done, "", ""};
  }
  Reply uncordon(const Operation&, Duration) override { return {Answer::done, "", ""}; }
  Reply drain(const Operation&, Duration) override { return {Answer::done, "", ""}; }
  Result<std::vector<NodeStatus>> list(Duration timeout) override {
    if (!wait(timeout)) return fail(Errc::unavailable, "timed out");
    std::vector<NodeStatus> nodes(static_cast<std::size_t>(count_));
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count_; ++i) {
      NodeStatus& node = nodes[static_cast<std::size_t>(i)];
      node.name = fmt::format("{}-{}", prefix_, i);
      node.ready = true;
      const auto mark = marks_.find(node.name);
      node.cordoned = mark != marks_.end();
      if (node.cordoned) node.hold_owner = mark->second;
    }
    return nodes;
  }

 private:
  bool wait(Duration timeout) {
    std::unique_lock lock(mutex_);
    return thawed_.wait_for(lock, timeout, [&] { return !frozen_; });
  }
  const std::string prefix_;
  const int count_;
  mutable std::mutex mutex_;
  std::condition_variable thawed_;
  bool frozen_ = false;
  std::map<std::string, int> placed_;
  std::map<std::string, std::string> marks_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Bench {
 public:
  explicit Bench(const fs::path& directory) : directory_(directory) {
    options_.replica = "bench";
    engine::Adapters adapters;
    for (const char* cluster : {"frozen", "a", "b", "c"}) {
      auto made = std::make_unique<Freezer>(cluster, kRepairs);
      if (cluster == std::string_view("frozen")) freezer_ = made.get();
      adapters.clusters[cluster].add("k8s", std::move(made));
      write([&](store::Tx& tx) {
        Cluster row;
        row.id = row.name = cluster;
        store::put_cluster(tx, row);
      });
    }
    current_.replace(std::move(adapters));
    engine_.emplace(*store_, current_, faults_, clock_, ids_, options_);
    for (const char* cluster : {"frozen", "a", "b", "c"}) (void)engine_->start_sync(cluster);
    engine_->start();
    until([&] { return nodes("frozen").size() + nodes("c").size() == 2 * kRepairs && nodes("b").size() == kRepairs; });
  }
  ~Bench() {
    freezer_->freeze(false);
    engine_->stop();
  }
  // p99 from a finding to its alert, in ms, over every third node of three clusters: each round has nodes of its own,
  // since a node with more alerts has longer turns.
  double p99(const std::string& round, int offset, int findings = kFindings) {
    std::vector<double> taken;
    std::vector<Node> all = nodes("a");
    for (const char* more : {"b", "c"}) {
      for (Node& node : nodes(more)) all.push_back(std::move(node));
    }
    for (int i = 0; i < findings; ++i) {
      const Node& node = all[static_cast<std::size_t>(i * 3 + offset)];
      Finding finding;
      finding.id = round + node.id;
      finding.fault = {"DmesgXidError", round};
      finding.device = "0000:3b:00.0";
      const auto begin = std::chrono::steady_clock::now();
      write([&](store::Tx& tx) {
        store::wake(tx, WorkKind::node, node.id, store::now(tx));
        store::add_findings(tx, node.id, 0, {finding}, store::now(tx));
      });
      engine_->notify();
      until([&] {
        const auto open = store_->read(
            [&](store::Tx& tx) -> Result<std::vector<Alert>> { return store::open_alerts_of_node(tx, node.id); });
        return std::ranges::any_of(*open, [&](const Alert& alert) { return alert.fault.code == round; });
      });
      taken.push_back(seconds_since(begin) * 1000);
    }
    // The median of five parts: one hiccup of the machine is a tenth of all that the worst percent is made of.
    std::vector<double> worst;
    const std::size_t part = taken.size() / 5;
    for (std::size_t from = 0; from + part <= taken.size(); from += part) {
      const auto begin = taken.begin() + static_cast<std::ptrdiff_t>(from);
      std::sort(begin, begin + static_cast<std::ptrdiff_t>(part));
      worst.push_back(taken[from + part * 99 / 100]);
    }
    std::ranges::sort(worst);
    return worst[worst.size() / 2];
  }
  void repairs() {
    for (const Node& node : nodes("frozen")) {
      write([&](store::Tx& tx) {
        Repair repair;
        repair.id = "rep-" + node.name;
        repair.cluster = "frozen", repair.node = node.id, repair.node_name = node.name;
        repair.by_evidence = false;
        repair.action = repair.recommended = Action::reboot;
        repair.state = RepairState::QUARANTINING;
        repair.step = RepairStep::cordon;
        repair.review = Review{"bench", clock_.now(), ""};
        repair.created_at = clock_.now();
        repair.admitted_at = clock_.now();
        store::wake(tx, WorkKind::node, node.id, store::now(tx));
        store::put_repair(tx, repair);
      });
    }
    engine_->notify();
  }
  bool is_lost() {
    return *store_->read([&](store::Tx& tx) -> Result<bool> {
      const auto adapter = store::get_adapter(tx, "frozen", "k8s");
      return adapter && adapter->unreachable_since;
    });
  }
  Freezer& freezer() { return *freezer_; }
  template <class Done>
  static void until(Done done, double at_most = 120) {
    const auto begin = std::chrono::steady_clock::now();
    while (!done() && seconds_since(begin) < at_most) std::this_thread::sleep_for(std::chrono::microseconds{300});
  }

 private:
  std::vector<Node> nodes(const std::string& cluster) {
    return *store_->read([&](store::Tx& tx) -> Result<std::vector<Node>> { return store::list_nodes(tx, cluster); });
  }
  template <class Body>
  void write(Body body) {
    const Status done = store_->write([&](store::Tx& tx) -> Status { return body(tx), Status{}; });
    if (!done) throw std::runtime_error(done.error().message);
  }
  const fs::path directory_;
  const SystemClock clock_;
  RandomIds ids_;
  const FaultTable faults_;
  engine::Options options_;
  engine::CurrentAdapters current_;
  Freezer* freezer_ = nullptr;
  std::unique_ptr<store::Store> store_ =
      std::move(*store::Store::open({"sqlite:" + (directory_ / "bulkhead.db").string(), 8}, clock_));
  std::optional<engine::Engine> engine_;
};

}  // namespace

int main(int argc, char** argv) {
  log::set_level(log::Level::error);
  const fs::path directory =
      fs::path(argc > 1 ? argv[1] : fs::temp_directory_path()) / ("sickbay-bench-" + random_uuid());
  fs::create_directories(directory);
  {
    Bench bench(directory);
    bench.p99("0", 0, 300);  // until the turns of the adopted nodes are over
    const double calm = bench.p99("1", 1);
    bench.freezer().freeze(true);
    bench.repairs();
    bench.p99("2", 0, 300);  // until the first turns of the repairs are over
    const auto asked = std::chrono::steady_clock::now();
    Bench::until([&] { return bench.is_lost(); });
    fmt::print("bulkhead_lost_after\t{:.1f}\ts\n", seconds_since(asked));
    std::this_thread::sleep_for(std::chrono::seconds{1 + kRepairs / 50});  // until each has said so
    const double frozen = bench.p99("3", 2);
    fmt::print("bulkhead_finding_to_alert_p99\t{:.2f}\tms\n", calm);
    fmt::print("bulkhead_finding_to_alert_p99_frozen\t{:.2f}\tms\n", frozen);
    fmt::print("bulkhead_ratio\t{:.2f}\tratio\n", frozen / calm);
    const auto thawed = std::chrono::steady_clock::now();
    bench.freezer().freeze(false);
    Bench::until([&] { return bench.freezer().journal().first == kRepairs; });
    fmt::print("bulkhead_all_go_on_after_thaw\t{:.1f}\ts\n", seconds_since(thawed));
    const auto [nodes, twice] = bench.freezer().journal();
    fmt::print("bulkhead_cordoned\t{}\tnodes\nbulkhead_cordoned_twice\t{}\tnodes\n", nodes, twice);
  }
  fs::remove_all(directory);
}
