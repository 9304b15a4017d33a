// `sickbay rules`: what scripts rely on.
#include "cli/rules.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/json.hpp"

namespace sickbay::cli {
namespace {

struct Ran {
  int code = -1;
  std::string out, err;
  std::string last_line() const {
    const auto end = out.find_last_not_of('\n');
    const auto begin = out.rfind('\n', end);
    return out.substr(begin == std::string::npos ? 0 : begin + 1, end - begin);
  }
};

Ran run(std::vector<std::string> args) {
  std::ostringstream out, err;
  const int code = rules_command(args, out, err);
  return {code, out.str(), err.str()};
}

class RulesCommand : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(directory_ / name) << text;
    return (directory_ / name).string();
  }
  const std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("sickbay-cli-rules-" + std::to_string(::getpid()));
};

constexpr std::string_view kHeader = "source\tfile\tline\texpected\n";

TEST_F(RulesCommand, TestSaysTheTallyLastAndSucceedsWhenAllIsRight) {
  const std::string file = write("good.tsv", std::string(kHeader) +
                                                 "a\tb\tNVRM: Xid (PCI:0000:2a:00): 119, x\txid=119;device=0000:2a:00\n"
                                                 "a\tb\thello\tnone\n");
  const Ran ran = run({"test", file});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "rows=2 ok=2 wrong=0 false_positives=0\n");
}

TEST_F(RulesCommand, TestPrintsEachRowThatDiffersAndWhyAndFails) {
  const std::string file = write("bad.tsv", std::string(kHeader) +
                                                "a\tb\tNVRM: Xid (PCI:0000:2a:00): 119, x\tnone\n"
                                                "a\tb\thello\txid=79\n");
  const Ran ran = run({"test", file});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.last_line(), "rows=2 ok=0 wrong=2 false_positives=1");
  EXPECT_NE(ran.out.find(file + ":2: false positive: found fault DmesgXidError/119"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(file + ":3: found nothing"), std::string::npos) << ran.out;
  const Ran json = run({"test", file, "--json"});
  EXPECT_TRUE(parse_json(json.out.substr(0, json.out.find('\n'))));
  EXPECT_EQ(json.last_line(), "rows=2 ok=0 wrong=2 false_positives=1");
}

TEST_F(RulesCommand, WrongUseIsTwoAndSaysHow) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{},
                                               {"dance"},
                                               {"test"},
                                               {"test", "a", "b"},
                                               {"explain"},
                                               {"list", "--loud"},
                                               {"check"}}) {
    const Ran ran = run(args);
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("usage: sickbay rules"), std::string::npos);
  }
  EXPECT_EQ(run({"test", "/nonexistent.tsv"}).code, 1);
  EXPECT_EQ(run({"test", write("columns.tsv", std::string(kHeader) + "only one\n")}).code, 1);
}

TEST_F(RulesCommand, ExplainKnowsCodesNamesRulesAndLines) {
  EXPECT_NE(run({"explain", "119"}).out.find("GSP_RPC_TIMEOUT"), std::string::npos);
  EXPECT_NE(run({"explain", "DmesgXidError/79"}).out.find("migrate"), std::string::npos);
  EXPECT_NE(run({"explain", "NpdXfsShutdown"}).out.find("reprovision"), std::string::npos);
  EXPECT_NE(run({"explain", "task_hung"}).out.find("NpdKernelDeadlock"), std::string::npos);
  EXPECT_NE(run({"explain", "nfs: server 10.9.8.7 not responding, timed out"}).out.find("10.9.8.7"), std::string::npos);
  EXPECT_NE(run({"explain", "sxid/20034"}).out.find("NvSwitchSxidError/20034"), std::string::npos);
  EXPECT_TRUE(parse_json(run({"explain", "119", "--json"}).out));
  const Ran unknown = run({"explain", "Nothing"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("'Nothing' is not"), std::string::npos);
}

TEST_F(RulesCommand, ListShowsEveryRule) {
  const Ran ran = run({"list"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_NE(ran.out.find("xid-119"), std::string::npos);
  EXPECT_NE(ran.out.find("xfs-shutdown"), std::string::npos);
  EXPECT_TRUE(parse_json(run({"list", "--json"}).out));
}

TEST_F(RulesCommand, OwnRulesAreCheckedAndTried) {
  write("mine.yaml", R"(
rules:
  - id: my-disk
    class: my_disk
    literals: ["is on fire"]
    patterns: ['^disk (?P<device>sd[a-z]+) is on fire']
    name: MyDiskFire
    sentence: "Disk {device} burns."
    match: ["disk sda is on fire"]
)");
  EXPECT_EQ(run({"check", directory_.string()}).code, 0) << run({"check", directory_.string()}).err;
  const std::string table =
      write("t.tsv", std::string(kHeader) + "a\tb\tdisk sdb is on fire\tclass=my_disk;device=sdb\n");
  EXPECT_EQ(run({"test", table, "--rules", directory_.string()}).code, 0);
  EXPECT_EQ(run({"test", table}).code, 1);
  write("wrong.yaml", "rules:\n  - {id: x, class: y, literals: [abcd], patterns: ['('], name: N, sentence: S}\n");
  const Ran bad = run({"check", directory_.string()});
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(bad.err.starts_with("wrong.yaml:2: rule 'x': pattern '('")) << bad.err;
}

}  // namespace
}  // namespace sickbay::cli
