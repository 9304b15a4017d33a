#include "simworld/guest.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <fstream>

namespace sickbay::simworld {
namespace {

namespace fs = std::filesystem;

// Whole or not at all: the agent may read at any moment.
bool write(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  std::ofstream file(fresh);
  file << text;
  file.close();
  std::error_code error;
  if (file) fs::rename(fresh, path, error);
  return file && !error;
}

}  // namespace

Status Guest::show(const State& state) {
  const auto node = state.nodes.find(node_);
  const bool up = node != state.nodes.end() && node->second.up && !node->second.removed;
  const std::string boot = up ? node->second.boot : std::string();
  if (boot == shown_) return {};
  const std::string directory = proc_ + "/sys/kernel/random";
  std::error_code error;
  fs::create_directories(directory, error);
  for (const char* name : {"self", "1"}) {  // where the agent finds the real mounts
    if (!fs::is_symlink(proc_ + "/" + name, error)) fs::create_symlink("/proc/self", proc_ + "/" + name, error);
  }
  bool good = true;
  if (boot.empty()) {
    fs::remove(directory + "/boot_id", error);
  } else {
    const auto since = std::chrono::floor<seconds>(node->second.boot_at).time_since_epoch().count();
    good =
        write(proc_ + "/stat", fmt::format("cpu 0\nbtime {}\n", since)) && write(directory + "/boot_id", boot + "\n");
  }
  if (!good) return fail(Errc::io, fmt::format("the guest's files cannot be written in {}", proc_));
  shown_ = boot;
  return {};
}

}  // namespace sickbay::simworld
