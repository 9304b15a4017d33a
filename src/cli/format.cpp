#include "cli/format.hpp"

#include <fmt/core.h>

namespace sickbay::cli {

std::string_view what_happens(Action action) {
  switch (action) {
    case Action::reboot:
      return "restarts the node in place; data on local disks is kept";
    case Action::reprovision:
      return "rebuilds the node from the clean image; data on its local disks is LOST";
    case Action::migrate:
      return "rebuilds the node on another host and sends the old host to inspection; data on its local disks is LOST";
    case Action::remove:
      return "takes the node out for good, without a replacement; data on its local disks is LOST";
    case Action::power_cycle:
      return "cuts and restores the host's power; data on local disks is kept";
    case Action::none:
      break;
  }
  return "does what the server makes of it";
}

std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}

std::string age(std::optional<Time> time, Time now) {
  if (!time) return "-";
  const auto passed = std::chrono::duration_cast<seconds>(now - *time).count();
  if (passed < 1) return "now";
  if (passed < 120) return fmt::format("{}s", passed);
  if (passed < 120 * 60) return fmt::format("{}m", passed / 60);
  if (passed < 48 * 3600) return fmt::format("{}h", passed / 3600);
  return fmt::format("{}d", passed / 86400);
}

std::string length(std::optional<Duration> duration) {
  if (!duration) return {};
  const auto total = std::chrono::round<seconds>(*duration).count();
  if (total < 60) return fmt::format("{}s", total);
  if (total < 3600) return fmt::format("{}m {}s", total / 60, total % 60);
  return fmt::format("{}h {}m", total / 3600, total % 3600 / 60);
}

std::string clock_time(std::optional<Time> time) {
  if (!time) return {};
  std::string text = format_time(std::chrono::floor<seconds>(*time));
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
