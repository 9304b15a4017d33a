// Reading the server's configuration.
#include "api/config.hpp"

#include <fmt/core.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "rules/yaml.hpp"

namespace sickbay::api {
namespace {

Status check(const ServerConfig& config) {
  std::set<std::string> clusters, adapters;
  for (const ClusterConfig& cluster : config.clusters) {
    if (cluster.name.empty()) return fail(Errc::invalid, "a cluster needs a name", "clusters");
    if (!clusters.insert(cluster.name).second) {
      return fail(Errc::invalid, fmt::format("the cluster '{}' is there twice", cluster.name), "clusters");
    }
    if (cluster.type != "KUBERNETES" && cluster.type != "SLURM") {
      return fail(Errc::invalid, fmt::format("the type of '{}' must be KUBERNETES or SLURM", cluster.name), "clusters");
    }
    if (!cluster.simulated) {
      return fail(Errc::invalid,
                  fmt::format("the cluster '{}' has no adapters; this version knows `simulated`", cluster.name),
                  "clusters");
    }
    if (!cluster.simulated->url.starts_with("http://")) {
      return fail(Errc::invalid, "simulated.url must be the world's address, such as http://127.0.0.1:8490",
                  "clusters");
    }
    std::vector<std::string> names = cluster.simulated->schedulers;
    names.push_back(cluster.simulated->provider);
    for (const std::string& name : names) {
      if (!adapters.insert(name).second) {
        return fail(Errc::invalid, fmt::format("two adapters are named '{}'; nodes could not tell them apart", name),
                    "clusters");
      }
    }
  }
  if (config.heartbeat < seconds{1} || config.heartbeat > hours{1}) {
    return fail(Errc::invalid, "heartbeat must be from 1s to 1h", "heartbeat");
  }
  if (config.workers < 1 || config.workers > 256) return fail(Errc::invalid, "workers must be 1 to 256", "workers");
  const EngineConfig& engine = config.engine;
  if (engine.call_timeout < seconds{1} || engine.dispatch_window <= engine.call_timeout ||
      engine.dispatch_window > minutes{1} || engine.observe_grace < seconds{0}) {
    return fail(Errc::invalid, "engine: 1s <= call_timeout < dispatch_window <= 1m, and observe_grace is not negative",
                "engine");
  }
  return {};
}

}  // namespace

Result<ServerConfig> parse_config(std::string_view yaml) {
  SICKBAY_ASSIGN(const json::object document, rules::yaml_to_json(yaml, "the configuration"));
  SICKBAY_ASSIGN(const ServerConfig config, from_json<ServerConfig>(document, Reading::strict));
  SICKBAY_CHECK(check(config));
  return config;
}

Result<ServerConfig> read_config(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return fail(Errc::io, fmt::format("{} cannot be read or is empty", file));
  auto config = parse_config(text.view());
  if (!config)
    return fail(config.error().code, fmt::format("{}: {}", file, config.error().message), config.error().field);
  return config;
}

std::string cluster_id_of(std::string_view name) {
  return "clu-" + sha256_hex(name).substr(0, 24);
}

}  // namespace sickbay::api
