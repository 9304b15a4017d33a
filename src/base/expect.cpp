#include "base/expect.hpp"

#include <fmt/core.h>

#include <atomic>
#include <string>

#include "base/log.hpp"

namespace sickbay {
namespace {
std::atomic<std::uint64_t> broken{0};  // of the process, as its log is
}

std::uint64_t broken_expectations() {
  return broken.load();
}

void expectation_broken(const char* condition, const char* file, int line) {
  ++broken;
  const std::string text = fmt::format("{}:{}: it does not hold that {}", file, line, condition);
  log::error("{}", text);
  throw ExpectationBroken(text);
}

}  // namespace sickbay
