// The server program's configuration file (YAML): the clusters it takes care of and the adapters that reach them.
//
//   clusters:
//     - name: demo                  # adopted at the first start
//       type: KUBERNETES            # or SLURM
//       simulated:
//         url: http://127.0.0.1:8490
//         schedulers: [sim-k8s, sim-slurm]   # names in the simulated world, and of the adapters
//         provider: sim
//   heartbeat: 60s                  # what agents are told
//   workers: 4                      # threads that turn nodes
//   engine:                         # for tests, which have no time for the waits that a network needs
//     {dispatch_window: 10s, call_timeout: 8s, observe_grace: 30s}
//
// It holds no secrets.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"

namespace sickbay::api {

struct SimulatedConfig {
  std::string url;
  std::vector<std::string> schedulers = {"sim-k8s", "sim-slurm"};
  std::string provider = "sim";
  BOOST_DESCRIBE_CLASS(SimulatedConfig, (), (url, schedulers, provider), (), ())
};
struct ClusterConfig {
  std::string name, type = "KUBERNETES";
  std::optional<SimulatedConfig> simulated;
  BOOST_DESCRIBE_CLASS(ClusterConfig, (), (name, type, simulated), (), ())
};
// Of engine::Options, what these mean. Every replica of a database needs the same.
struct EngineConfig {
  Duration dispatch_window = seconds{10}, call_timeout = seconds{8}, observe_grace = seconds{30};
  BOOST_DESCRIBE_CLASS(EngineConfig, (), (dispatch_window, call_timeout, observe_grace), (), ())
};
struct ServerConfig {
  std::vector<ClusterConfig> clusters;
  Duration heartbeat = seconds{60};
  std::uint32_t workers = 4;
  EngineConfig engine;
  BOOST_DESCRIBE_CLASS(ServerConfig, (), (clusters, heartbeat, workers, engine), (), ())
};

// Errc::invalid names the file, and the member or the line that is wrong.
Result<ServerConfig> read_config(const std::string& file);
Result<ServerConfig> parse_config(std::string_view yaml);

// The id a configured cluster is adopted with: the same for every replica and every start.
std::string cluster_id_of(std::string_view name);

}  // namespace sickbay::api
