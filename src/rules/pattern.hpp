// RE2 patterns of rules: macros, bounded memory, and compiling at the first use. Most rules never see a candidate on a
// given machine, and the agent must stay small.
#pragma once

#include <re2/re2.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace sickbay::rules {

// Puts macros in the place of ${name}. Macros may use macros, up to 4 deep. Errc::invalid names an unknown one.
Result<std::string> expand_macros(std::string_view pattern, const std::map<std::string, std::string>& macros);

// How every pattern is compiled: quiet, case-sensitive, at most 256 KiB of program and DFA.
const RE2::Options& pattern_options();

struct Capture {
  std::string_view name;   // lives as long as the pattern
  std::string_view value;  // part of the text
};

class Pattern {
 public:
  explicit Pattern(std::string expanded) : text_(std::move(expanded)) {}
  // The named captures of the first match; those that took no part are absent. Nothing when it does not match.
  std::optional<std::vector<Capture>> match(std::string_view message) const;
  bool matches(std::string_view message) const;

 private:
  const RE2& compiled() const;
  std::string text_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<RE2> re_;
};

}  // namespace sickbay::rules
