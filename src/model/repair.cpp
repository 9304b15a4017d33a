#include "model/repair.hpp"

namespace sickbay {
namespace {
constexpr std::string_view kPool = "pool:";
}

std::string text_of(const SlotScope& scope) {
  return scope.pool ? std::string(kPool) + *scope.pool : "cluster";
}

SlotScope slot_scope(std::string_view text) {
  if (!text.starts_with(kPool)) return {};
  return SlotScope{std::string(text.substr(kPool.size()))};
}

}  // namespace sickbay
