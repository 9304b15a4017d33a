// What an agent costs a node, measured on the real program as its own process, against a server in this one:
//   agent_resident_memory     while it watches /dev/kmsg (where it may), after a storm and a few heartbeats
//   agent_resident_memory_tls the same with https
//   agent_idle_wakeups        voluntary context switches per minute while nothing happens: its heartbeat is the only
//   one agent_wakeups_per_heartbeat agent_latency_p50, p99    from the write of a kernel record to the request that
//   carries it agent_storm_cpu           processor time to take in 200,000 records, of which every second is a
//   duplicate fault
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/text.hpp"
#include "model/json.hpp"
#include "model/wire.hpp"
#include "net/server.hpp"

namespace {

using namespace sickbay;
namespace fs = std::filesystem;
using Moment = std::chrono::steady_clock::time_point;

struct Counts {
  std::mutex mutex;
  std::vector<Moment> arrivals;  // of requests with findings
  std::uint64_t findings = 0;    // with their counts
  std::atomic<std::uint64_t> heartbeats = 0;
  std::uint64_t acked = 0;
};

net::Response answer(Counts& counts, const net::Request& request) {
  const Moment now = std::chrono::steady_clock::now();
  net::Response response;
  if (request.target == "/v1/agent/hello") {
    response.body = to_json_text(wire::HelloReply{"node-1", 1, "credential", 0, minutes{1}, {}});
  } else if (request.target == "/v1/agent/heartbeat") {
    ++counts.heartbeats;
    response.body = to_json_text(wire::HeartbeatReply{minutes{1}, false, {}});
  } else {
    const auto batch = from_json_text<wire::Batch>(request.body);
    const std::lock_guard lock(counts.mutex);
    counts.arrivals.push_back(now);
    for (const Finding& finding : batch->findings) counts.findings += finding.count;
    counts.acked = batch->first_sequence + batch->findings.size() - 1;
    response.body = to_json_text(wire::BatchReply{counts.acked});
  }
  return response;
}

std::string first_of(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return {};
}

// The agent as a process.
struct Process {
  Process(const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ) != 0) pid = -1;
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Process() {
    if (pid > 0) ::kill(pid, SIGTERM), ::waitpid(pid, nullptr, 0);
  }
  std::string status(const std::string& key) const { return first_of(fmt::format("/proc/{}/status", pid), key); }
  std::uint64_t switches() const { return parse_uint(trim(status("voluntary_ctxt_switches:"))).value_or(0); }
  double resident_mib() const {
    const std::string text = status("VmRSS:");
    const std::string_view words = trim(text);
    return static_cast<double>(parse_uint(words.substr(0, words.find(' '))).value_or(0)) / 1024;
  }
  double cpu_seconds() const {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text((std::istreambuf_iterator<char>(file)), {});
    std::istringstream rest(text.substr(text.rfind(')') + 2));
    std::string skip;
    for (int i = 0; i < 11; ++i) rest >> skip;
    double user = 0, system = 0;
    rest >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  pid_t pid = -1;
};

template <class Done>
bool wait_for(Done done) {
  for (int i = 0; i < 4000; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void print(const std::string& name, double value, const std::string& unit) {
  fmt::print("{}\t{:.3g}\t{}\n", name, value, unit);
  std::fflush(stdout);
}

std::string xid(int device) {
  return fmt::format(
      "NVRM: Xid (PCI:0000:{:02x}:{:02x}): 119, pid=1, name=python3, Timeout after 6s of waiting for RPC "
      "response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x8).\n",
      device / 32, device % 32);
}

struct Bench {
  Counts counts;
  std::unique_ptr<net::Server> server;
  std::string program, directory, fifo;

  std::vector<std::string> arguments(const std::string& records, const std::string& heartbeat) const {
    return {
        "--server", fmt::format("http://127.0.0.1:{}", server->port()), "--node",      "bench",  "--records", records,
        "--state",  directory + "/state" + std::to_string(::rand()),    "--heartbeat", heartbeat};
  }
  void memory_and_wakeups();
  void memory_with_tls();
  void latency();
  void storm();
};

void Bench::memory_and_wakeups() {
  const std::string records = ::access("/dev/kmsg", R_OK) == 0 ? "/dev/kmsg" : fifo;
  {
    const Process agent(program, arguments(records, "1s"));
    wait_for([&] { return counts.heartbeats >= 2; });
    const std::uint64_t before = agent.switches(), beats = counts.heartbeats;
    wait_for([&] { return counts.heartbeats >= beats + 8; });
    print("agent_wakeups_per_heartbeat",
          static_cast<double>(agent.switches() - before) / static_cast<double>(counts.heartbeats - beats), "switches");
    print("agent_resident_memory", agent.resident_mib(), "MiB");
  }
  const Process agent(program, arguments(records, "1h"));
  std::this_thread::sleep_for(std::chrono::seconds(2));  // hello, and what the log held
  const std::uint64_t before = agent.switches();
  std::this_thread::sleep_for(std::chrono::seconds(15));
  print("agent_idle_wakeups", static_cast<double>(agent.switches() - before) * 4, "switches/min");
}

void Bench::memory_with_tls() {
  const std::string make = fmt::format(
      "cd {} && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bench "
      "-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem >/dev/null 2>&1",
      directory);
  if (std::system(make.c_str()) != 0) return;  // no openssl program here
  net::ServerOptions options;
  options.tls_certificate = directory + "/cert.pem";
  options.tls_key = directory + "/key.pem";
  const auto tls = net::Server::start(options, [this](const net::Request& request) { return answer(counts, request); });
  if (!tls) return;
  auto with = arguments(fifo, "1s");
  with[1] = fmt::format("https://127.0.0.1:{}", (*tls)->port());
  with.insert(with.end(), {"--ca-file", options.tls_certificate});
  const Process agent(program, with);
  const std::uint64_t beats = counts.heartbeats;
  wait_for([&] { return counts.heartbeats >= beats + 3; });
  print("agent_resident_memory_tls", agent.resident_mib(), "MiB");
}

void Bench::latency() {
  const Process agent(program, arguments(fifo, "1m"));
  std::ofstream out(fifo);
  std::vector<double> took;
  for (int i = 0; i < 500; ++i) {
    std::size_t before = 0;
    {
      const std::lock_guard lock(counts.mutex);
      before = counts.arrivals.size();
    }
    const Moment start = std::chrono::steady_clock::now();
    out << xid(i) << std::flush;
    Moment arrived{};
    for (bool there = false; !there;) {
      const std::lock_guard lock(counts.mutex);
      there = counts.arrivals.size() > before;
      if (there) arrived = counts.arrivals.back();
    }
    if (i >= 20) took.push_back(std::chrono::duration<double, std::milli>(arrived - start).count());
  }
  std::sort(took.begin(), took.end());
  print("agent_latency_p50", took[took.size() / 2], "ms");
  print("agent_latency_p99", took[took.size() * 99 / 100], "ms");
}

void Bench::storm() {
  constexpr std::uint64_t kRecords = 200'000;
  const Process agent(program, arguments(fifo, "1s"));
  counts.findings = 0;
  std::ofstream out(fifo);
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    if (i % 2 == 0) {
      out << xid(1000 + static_cast<int>(i / 2 % 8));
    } else {
      out << "usb 1-1: new high-speed USB device number 7 using xhci_hcd\n";
    }
  }
  out.flush();
  wait_for([&] {
    const std::lock_guard lock(counts.mutex);
    return counts.findings >= kRecords / 2;
  });
  print("agent_storm_cpu", agent.cpu_seconds() / static_cast<double>(kRecords) * 1e6, "us/record");
  print("agent_storm_resident_memory", agent.resident_mib(), "MiB");
}

}  // namespace

int main() {
  Bench bench;
  const fs::path self = fs::read_symlink("/proc/self/exe");
  bench.program = self.parent_path().parent_path() / "apps/sickbay-agent";
  if (!fs::exists(bench.program)) {
    fmt::print(stderr, "'{}' is not built\n", bench.program);
    return 1;
  }
  std::string name = "/tmp/sickbay-bench-XXXXXX";
  bench.directory = ::mkdtemp(name.data());
  bench.fifo = bench.directory + "/fifo";
  ::mkfifo(bench.fifo.c_str(), 0600);
  ::setenv("SICKBAY_TICKET", "bench", 1);
  auto server = net::Server::start({}, [&](const net::Request& request) { return answer(bench.counts, request); });
  if (!server) {
    fmt::print(stderr, "{}\n", server.error().message);
    return 1;
  }
  bench.server = std::move(*server);
  bench.memory_and_wakeups();
  bench.memory_with_tls();
  bench.latency();
  bench.storm();
  bench.server->stop();
  fs::remove_all(bench.directory);
  return 0;
}
