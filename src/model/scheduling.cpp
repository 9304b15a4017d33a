// Sentences about what holds a node.
#include "model/scheduling.hpp"

#include <fmt/core.h>

namespace sickbay {

std::string sentence(const Holder& holder) {
  std::string text = fmt::format("{} {}", holder.kind, holder.name.empty() ? holder.id : holder.name);
  if (!holder.owner.empty()) text += " of " + holder.owner;
  if (holder.until) text += ", until " + format_time(*holder.until);
  return text;
}

}  // namespace sickbay
