#include "resources/modes.hpp"

#include <array>
#include <utility>

namespace sickbay::resources {
namespace {

constexpr std::array kModes = {std::pair{Action::none, Mode::REMEDIATION_MODE_UNSPECIFIED},
                               std::pair{Action::reboot, Mode::REMEDIATION_MODE_REBOOT_VM},
                               std::pair{Action::reprovision, Mode::REMEDIATION_MODE_VM_ONLY},
                               std::pair{Action::migrate, Mode::REMEDIATION_MODE_HOST_AWARE},
                               std::pair{Action::remove, Mode::REMEDIATION_MODE_EVICT_WITHOUT_REPLACEMENT},
                               std::pair{Action::power_cycle, Mode::REMEDIATION_MODE_HOST_POWER_CYCLE}};
constexpr std::array kTriggers = {std::pair{Trigger::manual, TriggerName::REMEDIATION_TRIGGER_MANUAL},
                                  std::pair{Trigger::automated, TriggerName::REMEDIATION_TRIGGER_AUTOMATED}};
constexpr std::array kSeverities = {std::pair{Severity::info, SeverityName::PHC_SEVERITY_INFO},
                                    std::pair{Severity::warning, SeverityName::PHC_SEVERITY_WARNING},
                                    std::pair{Severity::critical, SeverityName::PHC_SEVERITY_CRITICAL}};

// The other side of a row; the tables have a row for every value.
template <class Table, class Ours>
auto theirs(const Table& table, Ours value) {
  for (const auto& [ours, name] : table) {
    if (ours == value) return name;
  }
  return table.front().second;
}
template <class Table, class Theirs>
auto ours(const Table& table, Theirs value) {
  for (const auto& [own, name] : table) {
    if (name == value) return own;
  }
  return table.front().first;
}

}  // namespace

Mode mode_of(Action action) {
  return theirs(kModes, action);
}
Action action_of(Mode mode) {
  return ours(kModes, mode);
}
TriggerName trigger_of(Trigger trigger) {
  return theirs(kTriggers, trigger);
}
SeverityName severity_of(Severity severity) {
  return theirs(kSeverities, severity);
}

std::optional<Action> action_named(std::string_view mode) {
  Mode named{};
  if (!value_of(mode, named) || named == Mode::REMEDIATION_MODE_UNSPECIFIED) return std::nullopt;
  return action_of(named);
}

std::optional<Trigger> trigger_named(std::string_view name) {
  TriggerName named{};
  if (!value_of(name, named)) return std::nullopt;
  return ours(kTriggers, named);
}

std::string mode_names() {
  std::string names;
  for (const auto& [action, mode] : kModes) {
    if (action != Action::none) names += (names.empty() ? "" : ", ") + name_of(mode);
  }
  return names;
}

}  // namespace sickbay::resources
