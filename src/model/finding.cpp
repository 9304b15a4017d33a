#include "model/finding.hpp"

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
  table.rules.insert(table.rules.end(), rules.begin(), rules.end());
  return table;
}

}  // namespace sickbay
