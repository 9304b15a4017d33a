// The lists of files in docs/architecture.md under "Adding ...": that every file they name is there, and that the
// example they give really touches these files and no others.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tests/unit/house/source_files.hpp"

namespace sickbay::house {
namespace {

struct HowTo {
  std::string heading;
  std::vector<std::string> names;  // identifiers of the example
};

// The part of the document under a heading.
std::string section(const std::string& heading) {
  const std::string text = read(fs::path(SICKBAY_SOURCE_DIR) / "docs/architecture.md");
  const auto from = text.find("\n## " + heading + "\n");
  if (from == std::string::npos) return "";
  return text.substr(from, text.find("\n## ", from + 4) - from);
}

// The files in the first column of its table.
std::set<std::string> listed(const std::string& heading) {
  std::set<std::string> files;
  std::istringstream lines(section(heading));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string first = line.substr(0, line.find(" | "));
    const std::regex path("`([^`]+)`");
    for (std::sregex_iterator it(first.begin(), first.end(), path), end; it != end; ++it) files.insert((*it)[1]);
  }
  return files;
}

std::set<std::string> files_naming(const std::vector<std::string>& names) {
  std::set<std::string> files;
  for (const char* directory : {"src", "apps", "tests"}) {
    for (const fs::path& file : sources(directory)) {
      const std::string text = read(file);
      for (const std::string& name : names) {
        if (std::regex_search(text, std::regex("\\b" + name + "\\b"))) {
          files.insert(fs::relative(file, SICKBAY_SOURCE_DIR).string());
        }
      }
    }
  }
  files.erase("tests/unit/house/howto_test.cpp");
  return files;
}

TEST(HowTo, EveryFileThatIsListedIsThere) {
  for (const char* heading : {"Adding a detector", "Adding an adapter", "Adding an API resource with a command"}) {
    const auto files = listed(heading);
    EXPECT_GE(files.size(), 5U) << heading;
    for (const std::string& file : files) {
      EXPECT_TRUE(fs::exists(fs::path(SICKBAY_SOURCE_DIR) / file)) << heading << " lists " << file;
    }
  }
}

TEST(HowTo, TheExampleTouchesNoFileThatIsNotListed) {
  const std::vector<HowTo> all = {{"Adding a detector", {"PciDetector"}},
                                  {"Adding an adapter", {"SimulatedScheduler", "SimulatedProvider"}},
                                  {"Adding an API resource with a command", {"host_routes", "add_hosts", "HostList"}}};
  for (const HowTo& each : all) {
    const auto files = listed(each.heading);
    const auto touched = files_naming(each.names);
    EXPECT_GE(touched.size(), 3U) << each.heading << ": its example is gone";
    for (const std::string& file : touched) {
      EXPECT_TRUE(files.contains(file)) << each.heading << " does not list " << file << ", which its example touches";
    }
  }
}

}  // namespace
}  // namespace sickbay::house
