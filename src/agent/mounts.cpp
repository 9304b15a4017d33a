#include "agent/mounts.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/fault_names.hpp"

namespace sickbay::agent {
namespace {

constexpr std::size_t kMaxMountinfo = 16U << 20;
constexpr std::size_t kMaxMounts = 100'000;

// Space, tab, newline and backslash are written as \ooo.
std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      if (const auto value = parse_uint(text.substr(i + 1, 3), 8); value && *value < 256) {
        out += static_cast<char>(*value);
        i += 3;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

bool has_option(std::string_view options, std::string_view wanted) {
  for (const std::string_view option : split(options, ',')) {
    if (option == wanted) return true;
  }
  return false;
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// Since Linux 6.13 or so an error leaves "rw" and adds "emergency_ro"; before, the filesystem's own options say "ro".
bool read_only(const Mount& mount) {
  return has_option(mount.super_options, "emergency_ro") || has_option(mount.options, "emergency_ro") ||
         has_option(mount.super_options, "ro") || has_option(mount.super_options, "shutdown");
}

// stat() of a mount's root is answered from memory: it cannot hang on a dead disk, and a filesystem that has shut down
// answers EIO.
bool answers_eio(const std::string& point) {
  struct stat about{};
  return ::stat(point.c_str(), &about) != 0 && errno == EIO;
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(text, '\n')) {
    // 36 35 98:0 /root /point rw,noatime master:1 - ext3 /dev/root rw,errors=continue
    const auto fields = split(line, ' ');
    std::size_t dash = 6;
    while (dash < fields.size() && fields[dash] != "-") ++dash;
    if (fields.size() < 9 || dash + 3 >= fields.size() || mounts.size() >= kMaxMounts) continue;
    mounts.push_back({std::string(fields[2]), unescape(fields[4]), std::string(fields[5]),
                      std::string(fields[dash + 1]), unescape(fields[dash + 2]), std::string(fields[dash + 3])});
  }
  return mounts;
}

Mounts::Mounts(std::string proc, std::string sys, Probe probe)
    : proc_(std::move(proc)), sys_(std::move(sys)), path_(proc_ + "/1/mountinfo"), probe_(std::move(probe)) {
  if (!read_file(path_, kMaxMountinfo)) path_ = proc_ + "/self/mountinfo";
  if (probe_) return;
  // In a container the host's mounts are reached through the root of its first process.
  const std::string root = proc_ == "/proc" ? "" : proc_ + "/1/root";
  probe_ = [root](const std::string& point) { return answers_eio(root + point); };
}

// The kernel's own name of the block device: the source may be a name of the device mapper.
std::string Mounts::device_name(const Mount& mount) const {
  std::error_code error;
  const auto target = std::filesystem::read_symlink(sys_ + "/dev/block/" + mount.device, error);
  return error ? base_name(mount.source) : target.filename().string();
}

Mounts::Look Mounts::look(const Fault& fault, std::string_view device) const {
  const auto text = read_file(path_, kMaxMountinfo);
  if (!text) return {State::unknown, "", text.error().message};
  const std::string wanted = base_name(device);
  const bool about_writes = fault.name == fault_names::kReadonlyFilesystem;
  Look result{State::gone, "", fmt::format("{} is not mounted", wanted)};
  for (const Mount& mount : parse_mountinfo(*text)) {
    const bool same = mount.point == device || base_name(mount.source) == wanted || device_name(mount) == wanted;
    if (wanted.empty() || !same) continue;
    const bool shut = (mount.type == "xfs" || !about_writes) && probe_(mount.point);
    const bool closed = about_writes && read_only(mount);
    if (shut || closed) {
      return {State::sick, mount.point,
              fmt::format("{} on {} {}", mount.point, wanted, shut ? "answers with I/O errors" : "takes no writes")};
    }
    result = {State::healthy, mount.point, fmt::format("{} on {} is healthy", mount.point, wanted)};
  }
  return result;
}

Result<std::vector<Mounts::Sick>> Mounts::turned_read_only() const {
  SICKBAY_ASSIGN(const std::string text, read_file(path_, kMaxMountinfo));
  std::vector<Sick> sick;
  for (const Mount& mount : parse_mountinfo(text)) {
    const bool keeps_data =
        mount.type.starts_with("ext") || mount.type == "xfs" || mount.type == "btrfs" || mount.type == "f2fs";
    // Mounted to be written, yet the filesystem below says no: nobody asked for that.
    const bool turned = has_option(mount.super_options, "emergency_ro") ||
                        (has_option(mount.options, "rw") && has_option(mount.super_options, "ro") &&
                         has_option(mount.super_options, "errors=remount-ro"));
    if (!keeps_data || !turned || sick.size() >= 64) continue;
    const std::string device = device_name(mount);
    bool known = false;
    for (const Sick& other : sick) known = known || other.device == device;
    if (known) continue;
    sick.push_back({device, mount.point, fmt::format("{} on {} takes no writes any more", mount.point, device)});
  }
  return sick;
}

}  // namespace sickbay::agent
