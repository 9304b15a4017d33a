// Answers already given to requests that carry an idempotency id.
#include "store/answered.hpp"

#include "store/sql.hpp"

namespace sickbay::store {

std::optional<Answered> get_answered(Tx& tx, std::string_view scope, std::string_view id) {
  auto rows = select<std::string, std::string>(
      tx, "SELECT body_hash, answer FROM answered WHERE scope = ?1 AND id = ?2", scope, id);
  if (rows.empty()) return std::nullopt;
  auto& [body_hash, answer] = rows.front();
  return Answered{std::move(body_hash), std::move(answer)};
}

void put_answered(Tx& tx, std::string_view scope, std::string_view id, const Answered& answered, Time now) {
  execute(tx, "INSERT INTO answered (scope, id, body_hash, answer, at) VALUES (?1, ?2, ?3, ?4, ?5)", scope, id,
          answered.body_hash, answered.answer, now);
}

}  // namespace sickbay::store
