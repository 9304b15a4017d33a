#include "agent/state.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/log.hpp"
#include "base/text.hpp"
#include "model/json.hpp"

namespace sickbay::agent {

Status StateDirectory::open(const std::string& path) {
  if (path.empty()) return {};
  path_ = path;
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return file_error("create", path, errno);
  SICKBAY_ASSIGN(
      lock_,
      take_lock(path + "/lock", fmt::format("another agent works on '{}'; give this one a --state of its own", path)));
  return {};
}

Saved StateDirectory::load() const {
  if (path_.empty()) return {};
  const std::string name = path_ + "/state.json";
  const auto text = read_file(name, 16U << 20);
  if (!text) {
    if (text.error().code != Errc::not_found)
      log::warn("{}; the agent reads the kernel log anew", text.error().message);
    return {};
  }
  auto saved = from_json_text<Saved>(*text);
  if (!saved) {
    log::warn("'{}' is damaged ({}); the agent reads the kernel log anew", name, saved.error().message);
    return {};
  }
  return std::move(*saved);
}

Status StateDirectory::save(const Saved& saved) const {
  if (path_.empty()) return {};
  return replace_file(path_ + "/state.json", to_json_text(saved), 0600);
}

std::string StateDirectory::credential() const {
  if (path_.empty()) return {};
  const auto text = read_file(path_ + "/credential", 64U << 10);
  return text ? std::string(trim(*text)) : std::string();
}

Status StateDirectory::save_credential(const std::string& credential) const {
  if (path_.empty()) return {};
  return replace_file(path_ + "/credential", credential + "\n", 0600);
}

}  // namespace sickbay::agent
