#include "agent/identity.hpp"

#include <fmt/core.h>

#include "base/files.hpp"
#include "base/text.hpp"

namespace sickbay::agent {
namespace {

constexpr std::size_t kSmall = 4096;

// The first line of a small file, made safe; empty where there is none.
std::string first_line(const std::string& path) {
  const auto text = read_file(path, kSmall);
  if (!text) return {};
  return to_utf8(trim(std::string_view(*text).substr(0, text->find('\n'))));
}

// "btime SECONDS" of /proc/stat, which has a line per interrupt and so can be long.
Time boot_time(const std::string& proc) {
  const auto text = read_file(proc + "/stat", 4U << 20);
  if (!text) return {};
  const auto at = text->find("\nbtime ");
  if (at == std::string::npos) return {};
  const std::string_view rest = std::string_view(*text).substr(at + 7);
  const auto since = parse_int(rest.substr(0, rest.find('\n')));
  return since ? Time{seconds{*since}} : Time{};
}

// Words that boards without a serial put there.
bool means_nothing(const std::string& serial) {
  const std::string lower = to_lower(serial);
  for (const char* word : {"", "none", "unknown", "default string", "to be filled by o.e.m.", "not specified",
                           "system serial number", "0", "0123456789", "123456789"}) {
    if (lower == word) return true;
  }
  return false;
}

}  // namespace

Result<Identity> system_identity(const std::string& proc, const std::string& sys, const std::string& machine_id_file) {
  Identity identity;
  identity.boot_id = first_line(proc + "/sys/kernel/random/boot_id");
  if (identity.boot_id.empty()) {
    return fail(Errc::not_found, fmt::format("'{}/sys/kernel/random/boot_id' cannot be read: without a boot id nothing "
                                             "can be told apart from before the last reboot; is --proc right?",
                                             proc));
  }
  identity.machine_id = first_line(machine_id_file);
  identity.boot_started_at = boot_time(proc);
  identity.host = first_line(sys + "/class/dmi/id/product_serial");
  if (means_nothing(identity.host)) identity.host.clear();
  return identity;
}

}  // namespace sickbay::agent
