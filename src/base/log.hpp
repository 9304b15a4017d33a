// Logging: one line per thing worth knowing, to standard error, with a UTC time and a level. Secrets never go here.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace sickbay::log {

enum class Level { debug, info, warn, error };

// Lines below `level` are dropped. The default is info.
void set_level(Level level);
void write(Level level, std::string_view line);

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warn, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace sickbay::log
