#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/text.hpp"

namespace sickbay::log {
namespace {

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("sickbay", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %L %v", spdlog::pattern_time_type::utc);
    made.flush_on(spdlog::level::info);
    return made;
  }();
  return instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warn:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

}  // namespace

void set_level(Level level) {
  logger().set_level(to_spdlog(level));
}
void write(Level level, std::string_view line) {
  std::string plain = to_utf8(line);  // other systems' words are in it, and they must not look like lines of ours
  for (std::size_t at = plain.find('\n'); at != std::string::npos; at = plain.find('\n', at))
    plain.replace(at, 1, "\\n");
  logger().log(to_spdlog(level), spdlog::string_view_t(plain.data(), plain.size()));
}

}  // namespace sickbay::log
