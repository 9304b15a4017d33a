// Answers already given to requests that carry an idempotency id.
#pragma once

#include <optional>
#include <string>

#include "store/tx.hpp"

namespace sickbay::store {

// The first answer to an idempotency id; `body_hash` tells a repeat from another request.
struct Answered {
  std::string body_hash;
  std::string answer;
};
std::optional<Answered> get_answered(Tx& tx, std::string_view scope, std::string_view id);
void put_answered(Tx& tx, std::string_view scope, std::string_view id, const Answered& answered, Time now);

}  // namespace sickbay::store
