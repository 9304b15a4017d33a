// The server program's configuration file (YAML): the clusters it takes care of and the adapters that reach them.
//
//   clusters:                           # any number, each adopted at the first start that knows it
//     - name: demo
//       type: KUBERNETES                # or SLURM
//       schedulers:                     # each node may be in one or in several
//         - {name: k8s, kind: simulated, as: kubernetes, url: "http://127.0.0.1:8490", scheduler: sim-k8s}
//         - {name: slurm, kind: simulated, as: slurm, url: "http://127.0.0.1:8490", scheduler: sim-slurm}
//       provider: {name: sim, kind: simulated, url: "http://127.0.0.1:8490"}
//       metrics: {kind: prometheus, url: "http://prometheus:9090"}    # optional
//     - name: other
//       simulated: {url: "http://127.0.0.1:8491"}   # short for a simulated world's two schedulers and its provider
//   heartbeat: 60s                      # what agents are told
//   workers: 4                          # threads that turn nodes
//   engine:                             # for tests, which have no time for the waits that a network needs
//     {dispatch_window: 10s, call_timeout: 8s, observe_grace: 30s}
//
// Names of adapters are unique within their cluster: an adapter is named by cluster and name. A name is written into
// every node found through it, so it does not change while the cluster lives. What may be a name: names.hpp. One thing
// is reached by one adapter only, over all clusters. The file holds no secrets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace sickbay::config {

struct SchedulerConfig {
  std::string name;
  std::string kind;  // of the adapter: "simulated"
  std::string as;    // what it schedules like: "kubernetes" or "slurm"
  std::string url;
  std::string scheduler;  // simulated: which one of its world
  bool operator==(const SchedulerConfig&) const = default;
};
struct ProviderConfig {
  std::string name;
  std::string kind;  // of the adapter: "simulated"
  std::string url;
  bool operator==(const ProviderConfig&) const = default;
};
struct MetricsConfig {
  std::string kind;  // "prometheus"
  std::string url;
  bool operator==(const MetricsConfig&) const = default;
};
struct ClusterConfig {
  std::string name, type = "KUBERNETES";
  std::vector<SchedulerConfig> schedulers = {};
  ProviderConfig provider = {};
  std::optional<MetricsConfig> metrics = {};
  bool operator==(const ClusterConfig&) const = default;
};
// Of engine::Options, what these mean. Every replica of a database needs the same.
struct EngineConfig {
  Duration dispatch_window = seconds{10}, call_timeout = seconds{8}, observe_grace = seconds{30};
  bool operator==(const EngineConfig&) const = default;
};
struct ServerConfig {
  std::vector<ClusterConfig> clusters;
  Duration heartbeat = seconds{60};
  std::uint32_t workers = 4;
  EngineConfig engine;
  bool operator==(const ServerConfig&) const = default;
};

// Reads and checks all of it. Errors name file, line and member, and say what to write. `file` is for messages in the
// second form.
Result<ServerConfig> read_server_config(const std::string& file);
Result<ServerConfig> parse_server_config(std::string_view yaml, const std::string& file);

// What a configuration says, one line a thing ("cluster demo: provider sim: ..."), for people.
std::vector<std::string> describe(const ServerConfig& config);
// What is different in `after`: lines of describe() with "gone: " or "new: " before them. Empty: nothing.
std::vector<std::string> changes(const ServerConfig& before, const ServerConfig& after);

// The id a configured cluster is adopted with: the same for every replica and every start.
std::string cluster_id_of(std::string_view name);

}  // namespace sickbay::config
