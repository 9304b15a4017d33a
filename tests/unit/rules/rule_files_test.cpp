// Rule files from people: what is wrong is named with file, line, rule and reason, and never does harm.
#include <gtest/gtest.h>

#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "rules/expectation.hpp"
#include "rules/yaml.hpp"

namespace sickbay::rules {
namespace {

constexpr std::string_view kGood = R"(
macros: {disk: '(?P<device>sd[a-z]+)'}
rules:
  - id: my-disk
    class: my_disk
    literals: ["is on fire"]
    patterns: ['^disk ${disk} is on fire']
    name: MyDiskFire
    severity: critical
    action: migrate
    sentence: "Disk {device} burns{where|}."
    match: ["disk sda is on fire"]
    no_match: ["disk sda is on fire sale"]
)";

Result<Pack> read(std::string_view yaml) {
  SICKBAY_ASSIGN(const boost::json::object document, yaml_to_json(yaml, "mine.yaml"));
  SICKBAY_ASSIGN(Pack pack, read_pack(boost::json::serialize(document)));
  SICKBAY_CHECK(check_pack(pack));
  return pack;
}

std::string replaced(std::string_view from, std::string_view to) {
  std::string text(kGood);
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string why(std::string_view yaml) {
  const auto pack = read(yaml);
  return pack ? "it was taken" : pack.error().message;
}

TEST(RuleFile, AGoodOneIsReadAndItsSentenceFilled) {
  auto pack = read(kGood);
  ASSERT_TRUE(pack) << pack.error().message;
  const auto log = KernelLog::load(std::move(*pack));
  ASSERT_TRUE(log);
  Context context("boot");
  const auto findings = log->read(*parse_line("disk sdb is on fire"), context);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].sentence, "Disk sdb burns.");
  EXPECT_EQ(findings[0].action, Action::migrate);
}

TEST(RuleFile, ATestLineThatGoesWrongIsNamed) {
  auto log = KernelLog::load(std::move(*read(kGood)));
  ASSERT_TRUE(log);
  const auto status = check_rule_tests(*log);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "mine.yaml:4: rule 'my-disk': its own test line should not match and does: disk sda is on fire sale");
}

TEST(RuleFile, WhatIsWrongIsNamedWithFileLineRuleAndReason) {
  const std::string place = "mine.yaml:4: rule 'my-disk': ";
  EXPECT_EQ(why(replaced("'^disk ${disk} is on fire'", "'^disk (?P<x is on fire'")).substr(0, place.size()), place);
  EXPECT_EQ(why(replaced("${disk}", "${disc}")), place + "the macro ${disc} is not defined");
  EXPECT_EQ(why(replaced("[\"is on fire\"]", "[]")), place + "has no literals; the prefilter needs at least one");
  EXPECT_EQ(why(replaced("[\"is on fire\"]", "[\"on\"]")), place + "literal 'on' must have 4 to 100 characters");
  EXPECT_EQ(why(replaced("'^disk ${disk} is on fire'", "'.*'")), place + "pattern '.*' matches empty text");
  EXPECT_EQ(why(replaced("name: MyDiskFire", "code: x")), place + "has no name (the alert name)");
  const std::string unknown = why(replaced("sentence:", "sentnce:"));
  EXPECT_EQ(unknown.substr(0, place.size()), place) << unknown;
  EXPECT_NE(unknown.find("sentnce"), std::string::npos) << unknown;
  const std::string action = why(replaced("action: migrate", "action: explode"));
  EXPECT_EQ(action.substr(0, place.size()), place) << action;
  EXPECT_NE(action.find("power-cycle"), std::string::npos) << action;
}

TEST(RuleFile, YamlErrorsNameFileAndLine) {
  EXPECT_TRUE(why("rules:\n  - id: [\n").starts_with("mine.yaml:")) << why("rules:\n  - id: [\n");
  EXPECT_TRUE(why("rules:\n  - {id: a, id: b}\n").starts_with("mine.yaml:2: 'id' is there twice"));
  EXPECT_TRUE(why("- just\n- a list\n").starts_with("mine.yaml:1:"));
}

TEST(RuleFile, ASmallFileThatUnfoldsToAHugeOneIsRefused) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'j'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += std::string(i ? ",*" : "*") + static_cast<char>(c - 1);
    bomb += "]\n";
  }
  const auto document = yaml_to_json(bomb, "bomb.yaml");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, Errc::too_large);
}

TEST(RuleFile, ABadDirectoryLeavesTheRunningRules) {
  const std::filesystem::path directory =
      std::filesystem::temp_directory_path() / ("sickbay-rules-" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "a.yaml") << replaced("action: migrate", "action: explode");
  auto running = KernelLog::built_in();
  if (auto pack = load_directory(directory)) running = *KernelLog::load(std::move(*pack));
  Context context("boot");
  EXPECT_EQ(running.read(*parse_line("NVRM: Xid (PCI:0000:2a:00): 46"), context).size(), 1U);
  std::filesystem::remove_all(directory);
  EXPECT_EQ(load_directory(directory).error().code, Errc::io);
}

TEST(RuleFile, AnOperatorsRulesGoBeforeTheShippedOnes) {
  auto own = read(kGood);
  ASSERT_TRUE(own);
  own->rules[0].id = "soft-lockup";  // replaces the shipped rule of this name
  own->rules[0].literals = {"soft lockup"};
  own->rules[0].patterns = {"soft lockup"};
  auto log = KernelLog::load(merged(*read_pack(built_in_pack()), std::move(*own)));
  ASSERT_TRUE(log) << log.error().message;
  Context context("boot");
  const auto findings = log->read(*parse_line("watchdog: BUG: soft lockup - CPU#11 stuck for 24s! [x:1]"), context);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].fault.name, "MyDiskFire");
}

TEST(Labels, AreComparedDownToTheFieldsTheyName) {
  const KernelLog log = KernelLog::built_in();
  const std::string_view line = "NVRM: Xid (PCI:0000:6c:00): 32, pid=90210, name=worker[2].a, Channel ID 0000000d";
  EXPECT_TRUE(judge(log, line, "xid=32;device=PCI:0000:6c:00;pid=90210;name=worker[2].a").ok);
  EXPECT_FALSE(judge(log, line, "xid=31;device=PCI:0000:6c:00").ok);
  EXPECT_FALSE(judge(log, line, "xid=32;device=PCI:0000:67:00").ok);
  EXPECT_FALSE(judge(log, line, "xid=32;pid=90211").ok);
  EXPECT_FALSE(judge(log, line, "xid=32;weight=12").ok);
  EXPECT_TRUE(judge(log, line, "xid=32;note=anything;retyped").ok);
  EXPECT_FALSE(judge(log, line, "xid=32;secondary").ok);
  EXPECT_TRUE(judge(log, line, "none").false_positive);
  EXPECT_TRUE(judge(log, line, "context(x)").false_positive);
  EXPECT_TRUE(judge(log, line, "not:task_hung").ok);
  EXPECT_TRUE(judge(log, line, "not:xid").false_positive);
  EXPECT_FALSE(judge(log, line, "nonsense=1").ok);
}

}  // namespace
}  // namespace sickbay::rules
