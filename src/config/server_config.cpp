#include "config/server_config.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <map>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "config/members.hpp"
#include "config/names.hpp"
#include "config/yaml.hpp"

namespace sickbay::config {
namespace {

namespace json = boost::json;

Result<SchedulerConfig> read_scheduler(const json::value& value, const std::string& path) {
  SchedulerConfig out;
  Members members(value, path);
  members.need("name", "the word by which nodes remember it, such as k8s");
  members.name("name", out.name);
  members.need("kind", "which adapter reaches it: simulated");
  members.one_of("kind", out.kind, {"simulated"});
  members.need("as", "what it schedules like: kubernetes or slurm");
  members.one_of("as", out.as, {"kubernetes", "slurm"});
  members.need("url", "the address of the simulated world");
  members.url("url", out.url);
  members.need("scheduler", "its name in the simulated world, such as sim-k8s");
  members.name("scheduler", out.scheduler);
  SICKBAY_CHECK(members.done());
  return out;
}

Result<ProviderConfig> read_provider(const json::value& value, const std::string& path) {
  ProviderConfig out;
  Members members(value, path);
  members.need("name", "the word by which nodes remember it, such as sim");
  members.name("name", out.name);
  members.need("kind", "which adapter reaches it: simulated");
  members.one_of("kind", out.kind, {"simulated"});
  members.need("url", "the address of the simulated world");
  members.url("url", out.url);
  SICKBAY_CHECK(members.done());
  return out;
}

Result<MetricsConfig> read_metrics(const json::value& value, const std::string& path) {
  MetricsConfig out;
  Members members(value, path);
  members.need("kind", "what is asked for metrics: prometheus");
  members.one_of("kind", out.kind, {"prometheus"});
  members.need("url", "the address of Prometheus");
  members.url("url", out.url);
  SICKBAY_CHECK(members.done());
  return out;
}

// `simulated: {url: ...}`: the schedulers and the provider that a new simulated world has, under the world's own names.
Result<ClusterConfig> read_simulated(const json::value& value, const std::string& path) {
  std::string url;
  Members members(value, path);
  members.need("url", "the address of the simulated world");
  members.url("url", url);
  SICKBAY_CHECK(members.done());
  ClusterConfig out;
  out.schedulers = {{"sim-k8s", "simulated", "kubernetes", url, "sim-k8s"},
                    {"sim-slurm", "simulated", "slurm", url, "sim-slurm"}};
  out.provider = {"sim", "simulated", url};
  return out;
}

Status check_names(const ClusterConfig& cluster, const std::string& path) {
  std::set<std::string, std::less<>> names{cluster.provider.name};
  for (std::size_t i = 0; i < cluster.schedulers.size(); ++i) {
    const std::string& name = cluster.schedulers[i].name;
    if (names.insert(name).second) continue;
    return fail(
        Errc::invalid,
        fmt::format("two adapters of the cluster '{}' are named '{}': give each a name of its own", cluster.name, name),
        fmt::format("{}.schedulers[{}].name", path, i));
  }
  return {};
}

Result<ClusterConfig> read_cluster(const json::value& value, const std::string& path) {
  ClusterConfig out;
  Members members(value, path);
  members.need("name", "the word by which people and agents know the cluster");
  members.name("name", out.name, flaw_of_cluster_name);
  members.one_of("type", out.type, {"KUBERNETES", "SLURM"});
  ClusterConfig simulated;
  const bool is_short = members.has("simulated");
  members.map("simulated", simulated, read_simulated);
  members.list("schedulers", out.schedulers, read_scheduler);
  members.map("provider", out.provider, read_provider);
  members.map("metrics", out.metrics, read_metrics);
  SICKBAY_CHECK(members.done());
  if (is_short && (members.has("schedulers") || members.has("provider"))) {
    members.wrong("simulated", "stands for schedulers and provider: write either that or those");
  } else if (is_short) {
    out.schedulers = std::move(simulated.schedulers);
    out.provider = std::move(simulated.provider);
  } else {
    members.need("schedulers", "name what schedules its nodes, or write simulated: {url: ...}");
    members.need("provider", "name what can reboot and replace its nodes, or write simulated: {url: ...}");
    if (out.schedulers.empty()) members.wrong("schedulers", "is empty: a cluster needs at least one");
  }
  SICKBAY_CHECK(members.done());
  SICKBAY_CHECK(check_names(out, path));
  return out;
}

// An address in the one spelling of it that is compared.
std::string place_of(const std::string& text) {
  const auto read = boost::urls::parse_uri(text);
  if (!read) return text;
  const std::uint16_t usual = read->scheme() == "https" ? 443 : 80;
  boost::urls::url url(*read);
  url.normalize();
  std::string place =
      fmt::format("{}://{}:{}{}", std::string_view(url.scheme()), std::string_view(url.encoded_host()),
                  url.port_number() == 0 ? usual : url.port_number(), std::string_view(url.encoded_path()));
  while (place.ends_with('/')) place.pop_back();
  return place;
}

// Two adapters on one thing would each repair it and take the other's marks for old ones of their own, for ever.
// `written`: the list of clusters as the file has it, which tells the short form.
Status check_reach(const std::vector<ClusterConfig>& clusters, const json::array& written) {
  std::map<std::string, std::string> reached;  // what an adapter reaches, and which one it is
  const auto reach = [&](const std::string& what, std::string who, const std::string& field, std::string_view remedy) {
    const auto [other, is_new] = reached.emplace(what, std::move(who));
    if (is_new) return Status();
    return Status(fail(Errc::invalid,
                       fmt::format("{} reaches what the {} reaches, and both would act on it; correct {}, or leave one "
                                   "out",
                                   field, other->second, remedy),
                       field));
  };
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const auto& [name, type, schedulers, provider, metrics] = clusters[i];
    const std::string path = fmt::format("clusters[{}]", i);
    const bool is_short = written.at(i).get_object().contains("simulated");
    for (std::size_t j = 0; j < schedulers.size(); ++j) {
      const SchedulerConfig& each = schedulers[j];
      SICKBAY_CHECK(reach(fmt::format("scheduler {} {}", each.scheduler, place_of(each.url)),
                          fmt::format("scheduler '{}' of the cluster '{}'", each.name, name),
                          is_short ? path + ".simulated" : fmt::format("{}.schedulers[{}]", path, j),
                          is_short ? "the url" : "the url or the scheduler"));
    }
    SICKBAY_CHECK(reach("provider " + place_of(provider.url),
                        fmt::format("provider '{}' of the cluster '{}'", provider.name, name),
                        path + (is_short ? ".simulated" : ".provider"), "the url"));
  }
  return {};
}

Result<EngineConfig> read_engine(const json::value& value, const std::string& path) {
  EngineConfig out;
  Members members(value, path);
  members.duration("dispatch_window", out.dispatch_window, seconds{1}, minutes{1});
  members.duration("call_timeout", out.call_timeout, seconds{1}, minutes{1});
  members.duration("observe_grace", out.observe_grace, seconds{0}, hours{1});
  SICKBAY_CHECK(members.done());
  if (out.dispatch_window <= out.call_timeout) {
    return fail(Errc::invalid,
                fmt::format("{}: dispatch_window ({}) must be longer than call_timeout ({})", path,
                            format_duration(out.dispatch_window), format_duration(out.call_timeout)),
                path);
  }
  return out;
}

Result<ServerConfig> read_document(const json::value& document) {
  // So is a file that is just being written, and taking it for "no clusters" would take away all of them.
  if (document.get_object().empty()) {
    return fail(Errc::invalid, "the file says nothing; a server without clusters says 'clusters: []'");
  }
  ServerConfig out;
  Members members(document, "");
  members.list("clusters", out.clusters, read_cluster);
  members.duration("heartbeat", out.heartbeat, seconds{1}, hours{1});
  members.count("workers", out.workers, 1, 256);
  members.map("engine", out.engine, read_engine);
  SICKBAY_CHECK(members.done());
  std::set<std::string> names;
  for (std::size_t i = 0; i < out.clusters.size(); ++i) {
    if (names.insert(out.clusters[i].name).second) continue;
    return fail(Errc::invalid, fmt::format("the cluster '{}' is there twice", out.clusters[i].name),
                fmt::format("clusters[{}].name", i));
  }
  if (!out.clusters.empty()) SICKBAY_CHECK(check_reach(out.clusters, document.at("clusters").get_array()));
  return out;
}

}  // namespace

Result<ServerConfig> parse_server_config(std::string_view yaml, const std::string& file) {
  SICKBAY_ASSIGN(const json::value document, yaml_to_json(yaml, file));
  auto config = read_document(document);
  if (config) return config;
  const Error& error = config.error();
  return fail(error.code, fmt::format("{}:{}: {}", file, std::max(1, line_of(yaml, error.field)), error.message),
              quotable(error.field));
}

Result<ServerConfig> read_server_config(const std::string& file) {
  SICKBAY_ASSIGN(const std::string text, read_file(file, kLargestFile));
  return parse_server_config(text, file);
}

std::vector<std::string> describe(const ServerConfig& config) {
  std::vector<std::string> lines;
  for (const ClusterConfig& cluster : config.clusters) {
    const std::string start = fmt::format("cluster {}: ", cluster.name);
    lines.push_back(start + cluster.type);
    for (const SchedulerConfig& each : cluster.schedulers) {
      lines.push_back(fmt::format("{}scheduler {}: {} as {}, {} at {}", start, each.name, each.kind, each.as,
                                  each.scheduler, each.url));
    }
    const ProviderConfig& provider = cluster.provider;
    lines.push_back(fmt::format("{}provider {}: {} at {}", start, provider.name, provider.kind, provider.url));
    lines.push_back(start + (cluster.metrics
                                 ? fmt::format("metrics: {} at {}", cluster.metrics->kind, cluster.metrics->url)
                                 : std::string("metrics: none")));
  }
  if (config.clusters.empty()) lines.emplace_back("clusters: none");
  lines.push_back(fmt::format("server: heartbeat {}, {} workers", format_duration(config.heartbeat), config.workers));
  const EngineConfig& engine = config.engine;
  lines.push_back(fmt::format("engine: dispatch_window {}, call_timeout {}, observe_grace {}",
                              format_duration(engine.dispatch_window), format_duration(engine.call_timeout),
                              format_duration(engine.observe_grace)));
  return lines;
}

std::vector<std::string> changes(const ServerConfig& before, const ServerConfig& after) {
  const auto old_lines = describe(before), new_lines = describe(after);
  const std::set<std::string> had(old_lines.begin(), old_lines.end()), has(new_lines.begin(), new_lines.end());
  std::vector<std::string> out;
  for (const std::string& line : old_lines) {
    if (!has.contains(line)) out.push_back("gone: " + line);
  }
  for (const std::string& line : new_lines) {
    if (!had.contains(line)) out.push_back("new: " + line);
  }
  return out;
}

std::string cluster_id_of(std::string_view name) {
  return "clu-" + sha256_hex(name).substr(0, 24);
}

}  // namespace sickbay::config
