// The server's configuration: what it means, and that what is wrong is named with file, line and member.
#include "config/server_config.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "config/yaml.hpp"

namespace sickbay::config {
namespace {

constexpr std::string_view kWhole = R"(clusters:
  - name: demo
    type: KUBERNETES
    schedulers:
      - {name: k8s, kind: simulated, as: kubernetes, url: "http://127.0.0.1:8490", scheduler: sim-k8s}
      - {name: slurm, kind: simulated, as: slurm, url: "http://127.0.0.1:8490", scheduler: sim-slurm}
    provider: {name: sim, kind: simulated, url: "http://127.0.0.1:8490"}
    metrics: {kind: prometheus, url: "http://prometheus:9090"}
  - name: other
    type: SLURM
    schedulers:
      - {name: slurm, kind: simulated, as: slurm, url: "http://[::1]:8491", scheduler: sim-slurm}
    provider: {name: sim, kind: simulated, url: "http://[::1]:8491"}
heartbeat: 2s
workers: 8
engine: {dispatch_window: 5s, call_timeout: 2s}
)";

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kWhole);
  text.replace(text.find(from), from.size(), to);
  return text;
}
std::string why(std::string_view yaml) {
  const auto config = parse_server_config(yaml, "server.yaml");
  if (config) return "it was taken";
  EXPECT_EQ(config.error().code, Errc::invalid) << config.error().message;
  return config.error().message;
}

TEST(ServerConfig, AnyNumberOfClustersWithAdaptersNamedPerCluster) {
  const auto config = parse_server_config(kWhole, "server.yaml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->clusters.size(), 2U);
  const ClusterConfig& demo = config->clusters[0];
  ASSERT_EQ(demo.schedulers.size(), 2U);
  EXPECT_EQ(demo.schedulers[1], (SchedulerConfig{"slurm", "simulated", "slurm", "http://127.0.0.1:8490", "sim-slurm"}));
  EXPECT_EQ(demo.metrics->url, "http://prometheus:9090");
  EXPECT_EQ(config->clusters[1].schedulers[0].name, "slurm");
  EXPECT_FALSE(config->clusters[1].metrics);
  EXPECT_EQ(config->heartbeat, seconds{2});
  EXPECT_EQ(config->workers, 8U);
  EXPECT_EQ(config->engine.call_timeout, seconds{2});
  EXPECT_EQ(config->engine.observe_grace, seconds{30});
}

TEST(ServerConfig, TheShortFormMeansTheTwoSchedulersAndTheProviderOfTheWorld) {
  const auto config =
      parse_server_config("clusters:\n  - name: a\n    simulated: {url: 'http://w:1'}\n", "server.yaml");
  ASSERT_TRUE(config) << config.error().message;
  const ClusterConfig& cluster = config->clusters[0];
  ASSERT_EQ(cluster.schedulers.size(), 2U);
  EXPECT_EQ(cluster.schedulers[0].as, "kubernetes");
  EXPECT_EQ(cluster.schedulers[1].as, "slurm");
  EXPECT_EQ(cluster.schedulers[1].scheduler, "sim-slurm");
  EXPECT_EQ(cluster.provider, (ProviderConfig{"sim", "simulated", "http://w:1"}));
}

TEST(ServerConfig, NothingAtAllIsAServerWithoutClusters) {
  EXPECT_EQ(parse_server_config("", "server.yaml").value(), ServerConfig{});
}

TEST(ServerConfig, WhatIsWrongIsNamedWithFileLineMemberAndRemedy) {
  EXPECT_EQ(why(replaced("workers: 8", "workres: 8")),
            "server.yaml:15: 'workres' is not known here; known are: clusters, heartbeat, workers, engine");
  EXPECT_EQ(why(replaced("as: slurm", "as: pbs")),
            "server.yaml:6: clusters[0].schedulers[1].as is 'pbs'; this version knows: kubernetes, slurm");
  EXPECT_EQ(why(replaced("kind: prometheus", "kind: influx")),
            "server.yaml:8: clusters[0].metrics.kind is 'influx'; this version knows: prometheus");
  EXPECT_EQ(why(replaced(", scheduler: sim-k8s", "")),
            "server.yaml:5: clusters[0].schedulers[0] has no 'scheduler': its name in the simulated world, such as "
            "sim-k8s");
  EXPECT_EQ(why(replaced("name: slurm", "name: k8s")),
            "server.yaml:6: two adapters of the cluster 'demo' are named 'k8s': give each a name of its own");
  EXPECT_EQ(why(replaced("name: other", "name: demo")), "server.yaml:9: the cluster 'demo' is there twice");
  EXPECT_EQ(why(replaced("heartbeat: 2s", "heartbeat: 2")),
            "server.yaml:14: heartbeat is 2; it must be from 1s to 1h, such as \"30s\" or \"5m\"");
  EXPECT_EQ(why(replaced("call_timeout: 2s", "call_timeout: 5s")),
            "server.yaml:16: engine: dispatch_window (5s) must be longer than call_timeout (5s)");
  EXPECT_EQ(why("clusters:\n  - name: a\n"),
            "server.yaml:2: clusters[0] has no 'schedulers': name what schedules its nodes, or write simulated: {url: "
            "...}");
  EXPECT_EQ(why("clusters:\n  - name: 5\n"), "server.yaml:2: clusters[0].name must be text, not 5 (put it in quotes)");
  EXPECT_EQ(why(replaced("    metrics:", "    simulated: {url: \"http://w\"}\n    metrics:")),
            "server.yaml:8: clusters[0].simulated stands for schedulers and provider: write either that or those");
}

TEST(ServerConfig, AnAddressMustBeOne) {
  for (const char* url :
       {"127.0.0.1:8490", "ftp://a", "http://", "http://u:p@a", "http://a?b", "http://a:99999", "x y"}) {
    const std::string message = why(replaced("http://prometheus:9090", url));
    EXPECT_TRUE(message.starts_with("server.yaml:8: clusters[0].metrics.url is '")) << url << ": " << message;
  }
}

TEST(ServerConfig, SomebodyWithAWrongConfigurationIsNotToldOfRules) {
  EXPECT_EQ(why("- a list\n"), "server.yaml:1: must be a map of members, 'name: value'");
  EXPECT_EQ(why("clusters: {\n").find("rule"), std::string::npos);
  EXPECT_EQ(read_server_config("/no/such/file").error().code, Errc::not_found);
}

TEST(ServerConfig, TheExampleOfTheDocumentIsAConfiguration) {
  const std::string text = read_file(SICKBAY_SOURCE_DIR "/docs/operating.md", kLargestFile).value();
  const auto begin = text.find("```yaml\nclusters:");
  ASSERT_NE(begin, std::string::npos);
  const std::string example = text.substr(begin + 8, text.find("```", begin + 8) - begin - 8);
  const auto config = parse_server_config(example, "operating.md");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->clusters.size(), 2U);
}

TEST(ServerConfig, WhatHasChangedIsSaidLineByLine) {
  const auto before = *parse_server_config(kWhole, "a");
  EXPECT_TRUE(changes(before, before).empty());
  const auto after = *parse_server_config(replaced("http://prometheus:9090", "http://other:9090"), "a");
  const std::vector<std::string> expected = {"gone: cluster demo: metrics: prometheus at http://prometheus:9090",
                                             "new: cluster demo: metrics: prometheus at http://other:9090"};
  EXPECT_EQ(changes(before, after), expected);
}

TEST(Yaml, AMemberHasALineAndAMissingOneThatOfWhatIsAround) {
  EXPECT_EQ(line_of(kWhole, "clusters[1].provider.url"), 13);
  EXPECT_EQ(line_of(kWhole, "clusters[1].type"), 10);
  EXPECT_EQ(line_of(kWhole, "clusters[1].nothing"), 9);
  EXPECT_EQ(line_of(kWhole, ""), 1);
  EXPECT_EQ(line_of("a: [", "a"), 0);
}

TEST(Yaml, OnlyTheListThatIsAskedForIsToldItsPlace) {
  const auto plain = yaml_to_json("rules:\n  - {a: 1}\n", "f.yaml");
  EXPECT_FALSE(plain->at("rules").at(0).as_object().contains("line"));
  const auto placed = yaml_to_json("rules:\n  - {a: 1}\n", "f.yaml", "rules");
  EXPECT_EQ(placed->at("rules").at(0).at("line").as_int64(), 2);
}

}  // namespace
}  // namespace sickbay::config
