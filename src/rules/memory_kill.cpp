#include "rules/memory_kill.hpp"

#include "base/text.hpp"

namespace sickbay::rules {
namespace {
constexpr std::int64_t kSameKillUs = 10'000'000;  // the records of one kill come within milliseconds; pids repeat later
}

bool settle_memory_kill(const Record& record, Context& context, const Finding& finding) {
  const boost::json::value* klass = finding.evidence.if_contains("class");
  const boost::json::value* pid = finding.evidence.if_contains("pid");
  if (!klass || *klass != "oom_kill" || !pid || !pid->is_string()) return true;
  const auto victim = parse_uint(std::string_view(pid->get_string()));
  if (!victim) return true;
  const bool same = context.last_victim == *victim && record.since_boot_us - context.last_victim_us < kSameKillUs;
  context.last_victim = *victim;
  context.last_victim_us = record.since_boot_us;
  return !same;
}

}  // namespace sickbay::rules
