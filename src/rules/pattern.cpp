#include "rules/pattern.hpp"

#include <fmt/core.h>

#include <array>

namespace sickbay::rules {
namespace {

constexpr int kMaxGroups = 15;

RE2::Options make_options() {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(256 << 10);
  return options;
}

Result<std::string> expand(std::string_view pattern, const std::map<std::string, std::string>& macros, int depth) {
  std::string out;
  for (;;) {
    const auto open = pattern.find("${");
    out += pattern.substr(0, open);
    if (open == std::string_view::npos) return out;
    const auto close = pattern.find('}', open);
    const std::string name(pattern.substr(open + 2, close == std::string_view::npos ? close : close - open - 2));
    const auto macro = macros.find(name);
    if (macro == macros.end()) return fail(Errc::invalid, fmt::format("the macro ${{{}}} is not defined", name));
    if (depth == 0) return fail(Errc::invalid, fmt::format("the macro ${{{}}} is nested too deep", name));
    SICKBAY_ASSIGN(const std::string inner, expand(macro->second, macros, depth - 1));
    out += inner;
    pattern.remove_prefix(close + 1);
  }
}

}  // namespace

Result<std::string> expand_macros(std::string_view pattern, const std::map<std::string, std::string>& macros) {
  return expand(pattern, macros, 4);
}

const RE2::Options& pattern_options() {
  static const RE2::Options options = make_options();
  return options;
}

const RE2& Pattern::compiled() const {
  std::call_once(once_, [this] { re_ = std::make_unique<RE2>(text_, pattern_options()); });
  return *re_;
}

bool Pattern::matches(std::string_view message) const {
  return RE2::PartialMatch(re2::StringPiece(message.data(), message.size()), compiled());
}

std::optional<std::vector<Capture>> Pattern::match(std::string_view message) const {
  const RE2& re = compiled();
  std::array<re2::StringPiece, kMaxGroups + 1> groups;
  const int count = std::min(re.NumberOfCapturingGroups(), kMaxGroups) + 1;
  const re2::StringPiece text(message.data(), message.size());
  if (!re.Match(text, 0, message.size(), RE2::UNANCHORED, groups.data(), count)) return std::nullopt;
  std::vector<Capture> captures;
  for (const auto& [index, name] : re.CapturingGroupNames()) {
    if (index >= count) continue;
    const re2::StringPiece& group = groups[static_cast<std::size_t>(index)];
    if (group.data()) captures.push_back({name, std::string_view(group.data(), group.size())});
  }
  return captures;
}

}  // namespace sickbay::rules
