#include "model/finding.hpp"

#include <algorithm>

namespace sickbay {

FaultRule FaultTable::find(const Fault& fault) const {
  const FaultRule* wildcard = nullptr;
  for (const FaultRule& rule : rules) {
    if (rule.name != fault.name) continue;
    if (rule.code == fault.code) return rule;
    if (rule.code == "*" && !wildcard) wildcard = &rule;
  }
  if (wildcard) return *wildcard;
  FaultRule unknown;
  unknown.name = fault.name;
  unknown.severity = Severity::warning;
  unknown.action = Action::none;
  unknown.holds_for = seconds{60};
  return unknown;
}

FaultTable FaultTable::with(const std::vector<FaultRule>& overrides) const {
  FaultTable table{overrides};
  for (const FaultRule& rule : rules) {
    const auto same = [&](const FaultRule& own) { return own.name == rule.name && own.code == rule.code; };
    if (std::none_of(overrides.begin(), overrides.end(), same)) table.rules.push_back(rule);
  }
  return table;
}

Classification classify(const FaultTable& faults, const Finding& finding, const std::vector<FaultRule>& overrides,
                        bool power_cycle_enabled) {
  Classification means;
  means.rule = faults.find(finding.fault);
  const FaultRule& rule = means.rule;
  means.severity = rule.severity.value_or(finding.severity);
  means.action = rule.action.value_or(finding.action);
  means.authority = finding.authority;
  const bool operators = std::any_of(overrides.begin(), overrides.end(), [&](const FaultRule& mine) {
    return mine.name == rule.name && mine.code == rule.code;
  });
  if (operators) {
    means.authority = Authority::exact_code;  // an operator's row is the last word
  } else if (finding.authority == Authority::decode_table || finding.authority == Authority::recovery_action) {
    means.severity = finding.severity;  // over the default table, whose rows are the catalogue
    means.action = finding.action;
  }
  if (means.action != Action::none && rule.power_cycle_where_enabled && power_cycle_enabled) {
    means.action = Action::power_cycle;
  }
  return means;
}

}  // namespace sickbay
