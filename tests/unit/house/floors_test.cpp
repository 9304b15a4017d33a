// The house rules that a compiler does not check: includes go down and never sideways, files stay small and say what
// they are for, and nothing names the machine it was written on. docs/architecture.md explains the floors.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// What each room may include, beside itself.
const std::map<std::string, std::set<std::string>> kMayUse = {
    {"base", {}},
    {"net", {"base"}},
    {"model", {"base"}},
    {"rules", {"base", "model"}},
    {"decide", {"base", "model"}},
    {"store", {"base", "model", "decide"}},
    {"ports", {"base", "model"}},
    {"clients", {"base", "model", "net"}},
    {"people", {"base", "model", "store", "decide"}},
    {"engine", {"base", "model", "rules", "decide", "store", "ports", "people"}},
    {"adapters", {"base", "model", "net", "ports", "clients"}},
    {"api", {"base", "model", "net", "rules", "decide", "store", "people", "engine"}},
    {"agent", {"base", "model", "net", "rules"}},
    {"simworld", {"base", "model", "net", "rules", "ports", "agent"}},
    {"cli", {"base", "model", "net", "rules"}},
};

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Every C++ file below the directory of the project, in order.
std::vector<fs::path> sources(const std::string& directory) {
  std::vector<fs::path> found;
  const fs::path root = fs::path(SICKBAY_SOURCE_DIR) / directory;
  if (!fs::exists(root)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (entry.is_regular_file() && (extension == ".cpp" || extension == ".hpp")) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string shown(const fs::path& file) {
  return fs::relative(file, SICKBAY_SOURCE_DIR).string();
}

// The room and line of every `#include "ROOM/..."`.
std::vector<std::pair<std::string, int>> includes(const std::string& text) {
  std::vector<std::pair<std::string, int>> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    constexpr std::string_view kInclude = "#include \"";
    if (!line.starts_with(kInclude)) continue;
    const std::string path = line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
    const auto slash = path.find('/');
    found.emplace_back(slash == std::string::npos ? path : path.substr(0, slash), number);
  }
  return found;
}

std::string room_of(const fs::path& file) {
  return (*std::next(fs::relative(file, SICKBAY_SOURCE_DIR).begin())).string();
}

TEST(House, IncludesGoDownNeverUpAndNeverSideways) {
  const auto files = sources("src");
  ASSERT_GT(files.size(), 20U);
  for (const auto& file : files) {
    const std::string room = room_of(file);
    const auto allowed = kMayUse.find(room);
    ASSERT_NE(allowed, kMayUse.end()) << shown(file) << ": src/" << room << " is no room of the house";
    for (const auto& [used, line] : includes(read(file))) {
      EXPECT_TRUE(used == room || allowed->second.contains(used))
          << shown(file) << ":" << line << ": " << room << " may not use " << used
          << " (includes are \"room/file.hpp\", and the floors are in docs/architecture.md)";
    }
  }
}

TEST(House, ARoomUsesOnlyRoomsBelowIt) {
  // The table above must itself have floors: no room may be used by a room that it uses.
  std::map<std::string, int> floor;
  for (std::size_t round = 0; round <= kMayUse.size(); ++round) {
    for (const auto& [room, uses] : kMayUse) {
      for (const auto& used : uses) floor[room] = std::max(floor[room], floor[used] + 1);
    }
  }
  for (const auto& [room, height] : floor)
    EXPECT_LT(height, static_cast<int>(kMayUse.size())) << room << " is in a circle";
  EXPECT_FALSE(kMayUse.at("rules").contains("decide") || kMayUse.at("decide").contains("rules"));
}

TEST(House, AFileIsOneIdeaOfFewLinesWithACommentOnTop) {
  for (const auto& file : sources("src")) {
    const std::string text = read(file);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 400) << shown(file) << " is too long: split it by idea";
    // A .cpp beside its header is explained there.
    const bool explained_in_header = file.extension() == ".cpp" && fs::exists(fs::path(file).replace_extension(".hpp"));
    EXPECT_TRUE(text.starts_with("// ") || explained_in_header)
        << shown(file) << " does not begin with a comment that says what it is for";
  }
}

TEST(House, NothingNamesTheMachineItWasWrittenOn) {
  const std::string w = "/wo"
                        "rk/",
                    t = "/tmp/"
                        "w/",
                    h = "/ho"
                        "me/";  // spelled so that this file passes
  for (const std::string directory : {"src", "apps", "tests", "bench"}) {
    for (const auto& file : sources(directory)) {
      const std::string text = read(file);
      for (const auto& word : {w, t, h}) {
        EXPECT_EQ(text.find(word), std::string::npos) << shown(file) << " names " << word;
      }
    }
  }
}

}  // namespace
