// The project's own text, as the house tests read it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sickbay::house {

namespace fs = std::filesystem;

inline std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::istringstream text(read(file));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Every C++ file below a directory of the project, in order.
inline std::vector<fs::path> sources(const std::string& directory) {
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

inline std::string shown(const fs::path& file) {
  return fs::relative(file, SICKBAY_SOURCE_DIR).string();
}

}  // namespace sickbay::house
