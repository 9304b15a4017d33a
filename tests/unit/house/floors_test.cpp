// Includes go down and never sideways. cmake/rooms.txt is the list of who may use whom; cmake links what it says, here
// every include and the table of docs/architecture.md are compared with it.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/house/source_files.hpp"

namespace sickbay::house {
namespace {

struct Room {
  std::string name;
  int floor = 0;
  std::vector<std::string> uses;
};

// In the order of the list.
std::vector<Room> rooms() {
  std::vector<Room> found;
  for (const std::string& line : lines_of(fs::path(SICKBAY_SOURCE_DIR) / "cmake/rooms.txt")) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    Room room;
    words >> room.floor >> room.name;
    if (room.name.ends_with(':')) room.name.pop_back();
    for (std::string used; words >> used;) room.uses.push_back(used);
    found.push_back(std::move(room));
  }
  return found;
}

// The room and line of every `#include "ROOM/..."`.
std::vector<std::pair<std::string, int>> includes(const fs::path& file) {
  std::vector<std::pair<std::string, int>> found;
  int number = 0;
  for (const std::string& line : lines_of(file)) {
    ++number;
    constexpr std::string_view kInclude = "#include \"";
    if (!line.starts_with(kInclude)) continue;
    const std::string path = line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
    found.emplace_back(path.substr(0, path.find('/')), number);
  }
  return found;
}

std::string room_of(const fs::path& file) {
  return (*std::next(fs::relative(file, SICKBAY_SOURCE_DIR).begin())).string();
}

TEST(Floors, IncludesGoDownNeverUpAndNeverSideways) {
  std::map<std::string, std::set<std::string>> may_use;
  for (const Room& room : rooms()) may_use[room.name] = {room.uses.begin(), room.uses.end()};
  const auto files = sources("src");
  ASSERT_GT(files.size(), 20U);
  for (const auto& file : files) {
    const std::string room = room_of(file);
    ASSERT_TRUE(may_use.contains(room)) << shown(file) << ": src/" << room << " is not in cmake/rooms.txt";
    for (const auto& [used, line] : includes(file)) {
      EXPECT_TRUE(used == room || may_use[room].contains(used))
          << shown(file) << ":" << line << ": " << room << " may not use " << used
          << " (includes are \"room/file.hpp\"; who may use whom is in cmake/rooms.txt)";
    }
  }
}

TEST(Floors, ARoomUsesRoomsOfLowerFloorsOnly) {
  std::map<std::string, int> floor;
  for (const Room& room : rooms()) {
    for (const std::string& used : room.uses) {
      ASSERT_TRUE(floor.contains(used)) << room.name << " uses " << used << ", which does not come before it";
      // Floor 0 is beside the tower: it may use any floor, and only another room there uses it.
      EXPECT_TRUE(room.floor == 0 || (floor[used] > 0 && floor[used] < room.floor))
          << room.name << " (floor " << room.floor << ") may not use " << used << " (floor " << floor[used] << ")";
    }
    floor[room.name] = room.floor;
  }
  EXPECT_EQ(floor.size(), rooms().size()) << "a room is there twice";
}

TEST(Floors, TheDocumentSaysWhatTheListSays) {
  // "| 4 | `clients` | base, net, model | what is in it |"
  std::set<std::string> written;
  for (const std::string& line : lines_of(fs::path(SICKBAY_SOURCE_DIR) / "docs/architecture.md")) {
    const auto third = line.find(" | ", line.find(" | ", line.find("| `")) + 3);
    if (line.starts_with("| ") && line.find(" | `") < 8 && third != std::string::npos)
      written.insert(line.substr(0, third));
  }
  for (const Room& room : rooms()) {
    std::string uses;
    for (const std::string& used : room.uses) uses += (uses.empty() ? "" : ", ") + used;
    const std::string row = "| " + (room.floor == 0 ? std::string("-") : std::to_string(room.floor)) + " | `" +
                            room.name + "` | " + (uses.empty() ? "nothing" : uses);
    EXPECT_EQ(written.erase(row), 1U) << "docs/architecture.md has no row that begins with: " << row;
  }
  for (const std::string& row : written)
    ADD_FAILURE() << "docs/architecture.md has a row that cmake/rooms.txt has not: " << row;
}

}  // namespace
}  // namespace sickbay::house
