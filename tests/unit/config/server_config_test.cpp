// The server's configuration: what it means, and that what is wrong is named with file, line and member.
#include "config/server_config.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/text.hpp"
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

TEST(ServerConfig, AServerWithoutClustersSaysSo) {
  EXPECT_EQ(parse_server_config("clusters: []", "server.yaml").value(), ServerConfig{});
}

TEST(ServerConfig, AFileThatSaysNothingIsNotTakenForAServerWithoutClusters) {
  for (const char* text : {"", "\n\n", "# clusters:\n", "---\n", "{}"}) {
    const std::string message = why(text);
    EXPECT_TRUE(message.ends_with(": the file says nothing; a server without clusters says 'clusters: []'")) << message;
  }
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

TEST(ServerConfig, AnAddressIsKeptWithoutTheSlashAtItsEnd) {
  for (const char* url : {"http://prometheus:9090/", "http://prometheus:9090//"}) {
    const auto config = parse_server_config(replaced("http://prometheus:9090", url), "server.yaml");
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(config->clusters[0].metrics->url, "http://prometheus:9090");
  }
  EXPECT_EQ(parse_server_config(replaced("http://prometheus:9090", "http://a/p/q/"), "a")->clusters[0].metrics->url,
            "http://a/p/q");
}

TEST(ServerConfig, CredentialsInAnAddressAreRefusedAndNotRepeated) {
  for (const char* url : {"http://u:hidden@a", "http://u:hid den@a", "u:hidden@a", "http://hidden@a/?b"}) {
    const std::string message = why(replaced("http://prometheus:9090", url));
    EXPECT_TRUE(message.starts_with("server.yaml:8: clusters[0].metrics.url is '")) << message;
    EXPECT_EQ(message.find("hid"), std::string::npos) << message;
  }
}

TEST(ServerConfig, ANameIsLettersDigitsAndFewMore) {
  for (const char* name :
       {"a", "9", "A_b-c.d", "gpu.east-1", "k8s-", "123456789012345678901234567890123456789012345678901234567890123"}) {
    EXPECT_TRUE(parse_server_config(replaced("name: demo", fmt::format("name: \"{}\"", name)), "a")) << name;
    EXPECT_TRUE(parse_server_config(replaced("name: k8s", fmt::format("name: \"{}\"", name)), "a")) << name;
    EXPECT_TRUE(parse_server_config(replaced("sim-k8s", fmt::format("\"{}\"", name)), "a")) << name;
  }
}

TEST(ServerConfig, ANameThatCannotBeShownOrStandInAPathIsRefusedWhereverItIs) {
  const std::string rule = ": a name is 1 to 63 letters, digits, '-', '_' and '.', and begins with a letter or a digit";
  const std::pair<const char*, const char*> members[] = {
      {"name: demo", "server.yaml:2: clusters[0].name"},
      {"name: k8s", "server.yaml:5: clusters[0].schedulers[0].name"},
      {"scheduler: sim-k8s", "server.yaml:5: clusters[0].schedulers[0].scheduler"},
      {"name: sim,", "server.yaml:7: clusters[0].provider.name"}};
  const std::pair<std::string, std::string> names[] = {{"", ""},
                                                       {" a", " a"},
                                                       {"a ", "a "},
                                                       {"a b", "a b"},
                                                       {"a/b", "a/b"},
                                                       {"../../x?y#", "../../x?y#"},
                                                       {".", "."},
                                                       {"..", ".."},
                                                       {"-", "-"},
                                                       {"_a", "_a"},
                                                       {"a%2fb", "a%2fb"},
                                                       {"a\\0b", "a\\x00b"},
                                                       {"a\\nb", "a\\x0ab"},
                                                       {"a\\tb", "a\\x09b"},
                                                       {"\\e[31mRED\\a", "\\x1b[31mRED\\x07"},
                                                       {"\\x9b31m", "\\xc2\\x9b31m"},
                                                       {"\\x7f", "\\x7f"},
                                                       {"gr\u00f6\u00dfe", "gr\u00f6\u00dfe"},
                                                       {std::string(64, 'a'), std::string(64, 'a')},
                                                       {std::string(100'000, 'a'), std::string(80, 'a') + "..."}};
  for (const auto& [member, where] : members) {
    const std::string_view key = std::string_view(member).substr(0, std::string_view(member).find(' '));
    const char* comma = std::string_view(member).ends_with(',') ? "," : "";
    for (const auto& [name, quoted] : names) {
      EXPECT_EQ(why(replaced(member, fmt::format("{} \"{}\"{}", key, name, comma))),
                fmt::format("{} is '{}'{}", where, quoted, rule));
    }
  }
}

TEST(ServerConfig, AClustersNameIsNoWordThatThePathsOfTheApiNeed) {
  EXPECT_EQ(why(replaced("name: demo", "name: storage")),
            "server.yaml:2: clusters[0].name is 'storage': paths of the API have that word where a cluster's name "
            "stands; choose another");
  EXPECT_EQ(why(replaced("name: demo", "name: " + cluster_id_of("other"))),
            "server.yaml:2: clusters[0].name is '" + cluster_id_of("other") +
                "': so begin the ids of clusters, which stand where names do; choose another");
  EXPECT_TRUE(parse_server_config(replaced("name: k8s", "name: storage"), "a")) << "an adapter's name is in no path";
}

TEST(ServerConfig, OneWorldIsNotReachedTwice) {
  EXPECT_EQ(why(replaced("as: slurm, url: \"http://127.0.0.1:8490\", scheduler: sim-slurm",
                         "as: slurm, url: \"http://127.0.0.1:8490//\", scheduler: sim-k8s")),
            "server.yaml:6: clusters[0].schedulers[1] reaches what the scheduler 'k8s' of the cluster 'demo' reaches, "
            "and both would act on it; correct the url or the scheduler, or leave one out");
  EXPECT_EQ(why(replaced("slurm, url: \"http://[::1]:8491\"", "slurm, url: \"http://127.0.0.1:8490\"")),
            "server.yaml:12: clusters[1].schedulers[0] reaches what the scheduler 'slurm' of the cluster 'demo' "
            "reaches, and both would act on it; correct the url or the scheduler, or leave one out");
  EXPECT_EQ(why(replaced("provider: {name: sim, kind: simulated, url: \"http://[::1]:8491\"",
                         "provider: {name: sim, kind: simulated, url: \"http://127.0.0.1:8490/\"")),
            "server.yaml:13: clusters[1].provider reaches what the provider 'sim' of the cluster 'demo' reaches, and "
            "both would act on it; correct the url, or leave one out");
}

TEST(ServerConfig, TheShortFormDoesNotReachAWorldOfAnotherClusterEither) {
  const auto two = [](std::string_view a, std::string_view b) {
    return fmt::format(
        "clusters:\n  - name: a\n    simulated: {{url: '{}'}}\n  - name: b\n    simulated: {{url: '{}'}}\n", a, b);
  };
  EXPECT_TRUE(parse_server_config(two("http://w:1", "http://w:2"), "a"));
  EXPECT_TRUE(parse_server_config(two("http://w/a", "http://w/b"), "a"));
  for (const auto& [a, b] : {std::pair{"http://w:1", "http://w:1"},
                             {"http://w:1/", "http://W:1"},
                             {"http://w", "http://w:80/"},
                             {"https://w:0443/x/", "https://w/x"}}) {
    EXPECT_EQ(
        why(two(a, b)),
        "server.yaml:5: clusters[1].simulated reaches what the scheduler 'sim-k8s' of the cluster 'a' reaches, and "
        "both would act on it; correct the url, or leave one out");
  }
}

TEST(ServerConfig, WhatIsQuotedInAnErrorIsPrintableAndShort) {
  const std::string bad = "\\e[31m\\n" + std::string(5000, 'x');
  for (const std::string& yaml : {
           replaced("workers: 8", "\"" + bad + "\": 8"),
           replaced("workers: 8", "workers: \"" + bad + "\""),
           replaced("heartbeat: 2s", "heartbeat: \"\\x9b" + bad + "\""),
           replaced("as: slurm", "as: \"" + bad + "\""),
           replaced("http://prometheus:9090", bad),
           replaced("clusters:", "clusters: \"" + bad + "\"\nother:"),
           replaced("workers: 8", "\"" + bad + "\": 1\n\"" + bad + "\": 2"),
           std::string("clusters:\n  - \"\\x7f" + bad + "\"\n"),
       }) {
    const auto config = parse_server_config(yaml, "server.yaml");
    ASSERT_FALSE(config);
    for (const std::string& text : {config.error().message, config.error().field}) {
      EXPECT_EQ(to_utf8(text), text);
      EXPECT_EQ(text.find_first_of("\n\t"), std::string::npos) << text;
      EXPECT_LT(text.size(), 600U) << text;
    }
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

TEST(Yaml, ASecondDocumentIsRefusedInsteadOfDropped) {
  for (const auto& [text, line] : std::vector<std::pair<std::string, int>>{
           {"a: 1\n---\nb: 2\n", 2}, {"a: 1\n...\nb: 2\n", 3}, {"---\n---\nb: 2\n", 2}}) {
    const auto read = yaml_to_json(text, "f.yaml");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message,
              fmt::format("f.yaml:{}: something stands here that belongs to nothing before it: a stray character, or a "
                          "second document; write all of it as one map of members, without a '---' or '...' between",
                          line));
  }
  for (const char* text : {"---\na: 1\n", "a: 1\n...\n", "%YAML 1.2\n---\na: 1\n...\n# end\n",
                           "\xef\xbb\xbf"
                           "a: 1\r\n"}) {
    const auto read = yaml_to_json(text, "f.yaml");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->at("a").as_int64(), 1);
  }
}

// yaml-cpp reads each of these as an endless row of empty documents.
TEST(Yaml, AStrayCharacterIsRefusedAndNeverReadForEver) {
  for (const std::string text : {", a: {b: 1}}]\nc: 2\n", "]\n", "}\na: 1\n", ",", "a: 1\n]\n", "? a\n, b\n"}) {
    EXPECT_FALSE(yaml_to_json(text, "f.yaml")) << text;
    EXPECT_GE(line_of(text, "a"), 0);
  }
}

TEST(Yaml, AFileThatIsNoTextIsRefusedWithTheLineWhereItIsNone) {
  using namespace std::string_view_literals;
  for (const std::string_view line : {"name: \xff\xfe"sv, "name: a\0b"sv, "# \0"sv, "\x04"sv, "# \x1b[31m"sv,
                                      "\xff\xfe"
                                      "a\0:\0"sv,
                                      "\0a\0:"sv, "n: gr\xf6\xdf"sv}) {
    const auto read = yaml_to_json("a: 1\n\n" + std::string(line) + "\nb: 2\n", "f.yaml");
    ASSERT_FALSE(read) << line;
    EXPECT_EQ(read.error().code, Errc::invalid);
    EXPECT_EQ(read.error().message,
              "f.yaml:3: not text in UTF-8, or a control character in it; save the file as plain UTF-8");
  }
  EXPECT_FALSE(yaml_to_json("\0"sv, "f.yaml"));
}

TEST(Yaml, OnlyTheListThatIsAskedForIsToldItsPlace) {
  const auto plain = yaml_to_json("rules:\n  - {a: 1}\n", "f.yaml");
  EXPECT_FALSE(plain->at("rules").at(0).as_object().contains("line"));
  const auto placed = yaml_to_json("rules:\n  - {a: 1}\n", "f.yaml", "rules");
  EXPECT_EQ(placed->at("rules").at(0).at("line").as_int64(), 2);
}

}  // namespace
}  // namespace sickbay::config
