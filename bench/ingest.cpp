// How many findings a second become durable on an SQLite file, through the store alone and through the engine's intake:
// in batches as agents send them after an outage, and one at a time from many callers at once, which is what group
// commit is for. Also what a small transaction and an in-memory store cost, on which the simulation's speed rests.
// Beside them, as the peer measured in the same run, how many flushes a second this disk does.
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/ids.hpp"
#include "engine/intake.hpp"
#include "store/clusters.hpp"
#include "store/findings.hpp"
#include "store/nodes.hpp"
#include "store/store.hpp"
#include "store/work.hpp"

namespace {

using namespace sickbay;
using namespace sickbay::store;
namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
void print(std::string_view name, double value, std::string_view unit) {
  fmt::print("{}\t{:.1f}\t{}\n", name, value, unit);
}

Finding finding(int caller, int number) {
  Finding made;
  made.id = fmt::format("{:032x}{:032x}", caller, number);
  made.detector = "kernel-log";
  made.fault = {"DmesgXidError", "119"};
  made.device = "0000:18:00.0";
  made.sentence = "GPU 0000:18:00.0 stopped answering its own firmware (Xid 119, GSP RPC timeout)";
  made.evidence["record"] =
      "NVRM: Xid (PCI:0000:18:00): 119, pid=1234, name=python, Timeout after 6s of waiting for "
      "RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL)";
  made.evidence["xid"] = 119;
  made.boot_id = "0d5a8a4e-4b2f-4a39-8d6f-6f5b3a0a7c11";
  made.since_boot_us = number;
  return made;
}

std::unique_ptr<Store> open(const std::string& url, const Clock& clock) {
  auto opened = Store::open({url, 4}, clock);
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

// One transaction as the engine's intake writes it: the findings and the node's wake.
void add(Store& store, const Clock& clock, const std::string& node, const std::vector<Finding>& findings) {
  const Status done = store.write([&](Tx& tx) -> Status {
    wake(tx, WorkKind::node, node, clock.now());
    add_findings(tx, node, 1, findings, clock.now());
    return {};
  });
  if (!done) throw std::runtime_error(done.error().message);
}

// `callers` threads, each a node that sends batches of `batch` until the time is over; findings a second.
double rate(const fs::path& directory, int callers, int batch, double length) {
  const SystemClock clock;
  const auto store = open("sqlite:" + (directory / fmt::format("{}-{}.db", callers, batch)).string(), clock);
  std::atomic<int> total = 0;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      const std::string node = fmt::format("node-{}", caller);
      for (int number = 0; seconds_since(start) < length; number += batch) {
        std::vector<Finding> findings;
        for (int i = 0; i < batch; ++i) findings.push_back(finding(caller, number + i));
        add(*store, clock, node, findings);
        total += batch;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return total / seconds_since(start);
}

// The same through the engine's intake, as the API calls it.
double intake_rate(const fs::path& directory, int callers, int batch, double length) {
  const SystemClock clock;
  const auto store = open("sqlite:" + (directory / fmt::format("intake-{}-{}.db", callers, batch)).string(), clock);
  const Status done = store->write([&](Tx& tx) -> Status {
    Cluster cluster;
    cluster.id = "c";
    put_cluster(tx, cluster);
    for (int caller = 0; caller < callers; ++caller) {
      Node node;
      node.id = node.name = fmt::format("node-{}", caller);
      node.cluster = "c";
      put_node(tx, node);
    }
    return {};
  });
  if (!done) throw std::runtime_error(done.error().message);
  RandomIds ids;
  engine::Options options;
  options.replica = "bench";
  engine::Intake intake(*store, clock, ids, options);
  std::atomic<int> total = 0;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      wire::Batch sent;
      for (int number = 0; seconds_since(start) < length; number += batch) {
        sent.findings.clear();
        for (int i = 0; i < batch; ++i) sent.findings.push_back(finding(caller, number + i));
        const auto reply = intake.findings(fmt::format("node-{}", caller), sent);
        if (!reply) throw std::runtime_error(reply.error().message);
        total += batch;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return total / seconds_since(start);
}

double flushes(const fs::path& directory, double length) {
  const int file = ::open((directory / "flush").c_str(), O_CREAT | O_WRONLY, 0600);
  const std::string page(4096, 'x');
  int count = 0;
  const auto start = std::chrono::steady_clock::now();
  while (seconds_since(start) < length) {
    if (::write(file, page.data(), page.size()) < 0 || ::fdatasync(file) != 0) break;
    ++count;
  }
  ::close(file);
  return count / seconds_since(start);
}

void in_memory() {
  const ManualClock clock;
  open("sqlite::memory:", clock);  // the schema's image is made once
  constexpr int kStores = 200, kTransactions = 2000;
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kStores; ++i) open("sqlite::memory:", clock);
  print("store-open-memory", seconds_since(start) / kStores * 1e6, "us");
  const auto store = open("sqlite::memory:", clock);
  start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTransactions; ++i) {
    (void)store->write([&](Tx& tx) -> Status {
      wake(tx, WorkKind::node, "n1", clock.now());
      return {};
    });
  }
  print("store-small-write-memory", seconds_since(start) / kTransactions * 1e6, "us");
  start = std::chrono::steady_clock::now();
  for (int i = 0; i < kTransactions; ++i) {
    (void)store->read([&](Tx& tx) -> Result<std::uint64_t> { return work_version(tx, WorkKind::node, "n1"); });
  }
  print("store-small-read-memory", seconds_since(start) / kTransactions * 1e6, "us");
}

}  // namespace

int main(int argc, char** argv) {
  const fs::path place = argc > 1 ? fs::path(argv[1]) : fs::temp_directory_path();
  const fs::path directory = place / ("sickbay-bench-" + random_uuid());
  fs::create_directories(directory);
  constexpr double kLength = 3;
  print("disk-flushes", flushes(directory, 1), "1/s");
  print("ingest-one-agent-batches-of-100", rate(directory, 1, 100, kLength), "findings/s");
  print("ingest-16-agents-batches-of-20", rate(directory, 16, 20, kLength), "findings/s");
  print("ingest-1-caller-one-at-a-time", rate(directory, 1, 1, kLength), "findings/s");
  print("ingest-32-callers-one-at-a-time", rate(directory, 32, 1, kLength), "findings/s");
  print("ingest-intake-16-agents-batches-of-20", intake_rate(directory, 16, 20, kLength), "findings/s");
  print("ingest-intake-32-callers-one-at-a-time", intake_rate(directory, 32, 1, kLength), "findings/s");
  in_memory();
  fs::remove_all(directory);
}
