// Sentences about what schedulers say of a node.
#include "model/scheduling.hpp"

#include <fmt/core.h>

namespace sickbay {

std::string sentence(const Holder& holder) {
  std::string text = fmt::format("{} {}", holder.kind, holder.name.empty() ? holder.id : holder.name);
  if (!holder.owner.empty()) text += " of " + holder.owner;
  if (holder.until) text += ", until " + format_time(*holder.until);
  return text;
}

ReadyState ready_state(const NodeStatus& status) {
  for (const Condition& condition : status.conditions) {
    ReadyState state;
    if (condition.type == "Ready") state = {condition.reason, condition.message};
    if (condition.type == "State") state = {condition.status, condition.reason};
    if (!state.state.empty() || !state.reason.empty()) return state;
  }
  return {};
}

std::string sentence(const ReadyState& state) {
  return fmt::format("{}{}{}", state.state, state.state.empty() || state.reason.empty() ? "" : ": ", state.reason);
}

}  // namespace sickbay
