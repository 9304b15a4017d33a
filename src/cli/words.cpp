#include "cli/words.hpp"

#include <fmt/core.h>

#include <array>
#include <cctype>

#include "base/text.hpp"

namespace sickbay::cli {
namespace {

struct ActionWords {
  std::string_view action, mode, happens;
};
constexpr std::array<ActionWords, 5> kActions{{
    {"reboot", "REMEDIATION_MODE_REBOOT_VM", "restarts the node in place; data on local disks is kept"},
    {"reprovision", "REMEDIATION_MODE_VM_ONLY",
     "rebuilds the node from the clean image; data on its local disks is LOST"},
    {"migrate", "REMEDIATION_MODE_HOST_AWARE",
     "rebuilds the node on another host and sends the old host to inspection; data on its local disks is LOST"},
    {"remove", "REMEDIATION_MODE_EVICT_WITHOUT_REPLACEMENT",
     "takes the node out for good, without a replacement; data on its local disks is LOST"},
    {"power-cycle", "REMEDIATION_MODE_HOST_POWER_CYCLE",
     "cuts and restores the host's power; data on local disks is kept"},
}};

const json::value* find(const json::value& value, std::string_view path) {
  const json::value* at = &value;
  for (const auto piece : split(path, '.')) {
    if (!at->is_object()) return nullptr;
    at = at->get_object().if_contains(piece);
    if (!at) return nullptr;
  }
  return at;
}

}  // namespace

std::string text_at(const json::value& value, std::string_view path) {
  const json::value* found = find(value, path);
  if (!found) return {};
  switch (found->kind()) {
    case json::kind::string:
      return std::string(found->get_string());
    case json::kind::bool_:
      return found->get_bool() ? "yes" : "no";
    case json::kind::int64:
      return std::to_string(found->get_int64());
    case json::kind::uint64:
      return std::to_string(found->get_uint64());
    case json::kind::double_:
      return fmt::format("{:g}", found->get_double());
    default:
      return {};
  }
}

std::string first_text(const json::value& value, std::initializer_list<std::string_view> paths) {
  for (const auto path : paths) {
    if (std::string text = text_at(value, path); !text.empty()) return text;
  }
  return {};
}

const json::array& list_at(const json::value& value, std::string_view path) {
  static const json::array kNone;
  const json::value* found = find(value, path);
  return found && found->is_array() ? found->get_array() : kNone;
}

std::string mode_of(std::string_view action) {
  for (const auto& words : kActions) {
    if (words.action == action) return std::string(words.mode);
  }
  return std::string(action);
}

std::string action_of(std::string_view mode) {
  for (const auto& words : kActions) {
    if (words.mode == mode) return std::string(words.action);
  }
  return std::string(mode);
}

std::string_view what_happens(std::string_view action) {
  for (const auto& words : kActions) {
    if (words.action == action) return words.happens;
  }
  return "does what the server makes of it";
}

std::string age(std::string_view time, Time now) {
  if (time.empty()) return "-";
  const auto at = parse_time(time);
  if (!at) return std::string(time);
  const auto passed = std::chrono::duration_cast<seconds>(now - *at).count();
  if (passed < 1) return "now";
  if (passed < 120) return fmt::format("{}s", passed);
  if (passed < 120 * 60) return fmt::format("{}m", passed / 60);
  if (passed < 48 * 3600) return fmt::format("{}h", passed / 3600);
  return fmt::format("{}d", passed / 86400);
}

std::string length(std::string_view duration) {
  const auto parsed = parse_duration(duration);
  if (!parsed) return std::string(duration);
  const auto total = std::chrono::round<seconds>(*parsed).count();
  if (total < 60) return fmt::format("{}s", total);
  if (total < 3600) return fmt::format("{}m {}s", total / 60, total % 60);
  return fmt::format("{}h {}m", total / 3600, total % 3600 / 60);
}

std::string clock_time(std::string_view time) {
  const auto at = parse_time(time);
  if (!at) return std::string(time);
  std::string text = format_time(std::chrono::floor<seconds>(*at));
  if (text.size() >= 20) text = text.substr(0, 10) + " " + text.substr(11, 8);
  return text;
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (c1) {  // U+0080 to U+009F: controls too
      ++i;
    } else if (byte == '\n' || byte == '\t') {
      out += ' ';
    } else if (byte >= 0x20 && byte != 0x7f) {
      out += text[i];
    }
  }
  return out;
}

}  // namespace sickbay::cli
