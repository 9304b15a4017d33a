// What a complete list of 100,000 nodes costs on an SQLite file: adopting them, a list in which nothing changed, and
// one in which one node did. Transactions are counted, not only timed.
#include <fmt/core.h>

#include <chrono>
#include <filesystem>

#include "engine/engine.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"

namespace {

using namespace sickbay;
namespace fs = std::filesystem;

constexpr int kNodes = 100'000;

class Lister final : public Scheduler {
 public:
  explicit Lister(const std::vector<NodeStatus>& nodes) : nodes_(nodes) {}
  SchedulerCapabilities capabilities() const override { return {}; }
  NodeStatus observe(std::string_view name, Duration) override {
    NodeStatus seen;
    seen.name = name;
    return seen;
  }
  Reply cordon(const Operation&, Duration) override { return {}; }
  Reply uncordon(const Operation&, Duration) override { return {}; }
  Reply drain(const Operation&, Duration) override { return {}; }
  Result<std::vector<NodeStatus>> list(Duration) override { return nodes_; }

 private:
  const std::vector<NodeStatus>& nodes_;
};

}  // namespace

int main(int argc, char** argv) {
  const fs::path directory =
      fs::path(argc > 1 ? argv[1] : fs::temp_directory_path()) / ("sickbay-bench-" + random_uuid());
  fs::create_directories(directory);
  std::vector<NodeStatus> nodes(kNodes);
  for (int i = 0; i < kNodes; ++i) {
    NodeStatus& node = nodes[static_cast<std::size_t>(i)];
    node.name = fmt::format("gpu-{:06}", i);
    node.uid = fmt::format("5e2f6a1c-0000-4000-8000-{:012}", i);
    node.pool = "train";
    node.ready = true;
    node.labels = {{"kubernetes.io/hostname", node.name}, {"nvidia.com/gpu.product", "H100"}, {"zone", "a"}};
  }
  const SystemClock clock;
  RandomIds ids;
  int commits = 0;
  store::Hooks hooks;
  hooks.at_commit = [&] { return ++commits, store::Hooks::Commit::normal; };
  const auto store = store::Store::open({"sqlite:" + (directory / "sync.db").string(), 4}, clock, hooks);
  if (!store) return 1;
  (void)(*store)->write([](store::Tx& tx) -> Status {
    Cluster cluster;
    cluster.id = cluster.name = "c1";
    store::put_cluster(tx, cluster);
    return {};
  });
  engine::Adapters adapters;
  adapters.clusters["c1"].add("k8s", std::make_unique<Lister>(nodes));
  const engine::CurrentAdapters current(std::move(adapters));
  const FaultTable faults;
  engine::Options options;
  options.replica = "bench";
  engine::Engine engine(**store, current, faults, clock, ids, options, {}, std::make_unique<engine::QueueExecutor>());
  const auto measure = [&](std::string_view name) {
    const int before = commits;
    const auto begin = std::chrono::steady_clock::now();
    (void)engine.turn(WorkKind::sync, "c1");
    while (engine.make_call()) {
    }
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("sync_{}\t{:.3f}\ts\nsync_{}_transactions\t{}\ttransactions\n", name, took, name, commits - before);
  };
  measure("adopt_100k");
  measure("nothing_changed_100k");
  nodes[777].ready = false;
  measure("one_changed_100k");
  fs::remove_all(directory);
}
