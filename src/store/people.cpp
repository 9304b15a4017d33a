// Answered requests, principals, tokens, tickets, the installation, and keeping times.
#include "store/events.hpp"
#include "store/sql.hpp"
#include "store/tables.hpp"

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

std::optional<Principal> get_principal(Tx& tx, std::string_view id) {
  return document<Principal>(tx, kPrincipal, "WHERE id = ?1", id);
}

std::vector<Principal> list_principals(Tx& tx) {
  return documents<Principal>(tx, kPrincipal, "ORDER BY id");
}

void put_principal(Tx& tx, const Principal& principal) {
  put(tx, kPrincipal, principal, {{"id", param(principal.id)}});
}

std::optional<Token> find_token(Tx& tx, std::string_view hash) {
  return document<Token>(tx, kToken, "WHERE hash = ?1", hash);
}

std::vector<Token> list_tokens(Tx& tx) {
  return documents<Token>(tx, kToken, "ORDER BY hash");
}

void put_token(Tx& tx, const Token& token) {
  put(tx, kToken, token, {{"hash", param(token.hash)}, {"node", param(token.node)}, {"purpose", param(token.purpose)}});
}

bool spend_ticket(Tx& tx, std::string_view hash, Time now) {
  auto token = document<Token>(tx, kToken, "WHERE hash = ?1 AND purpose = 'ticket' FOR NO KEY UPDATE", hash);
  if (!token || token->spent_at || token->revoked_at || (token->expires_at && *token->expires_at <= now)) return false;
  token->spent_at = now;
  put_token(tx, *token);
  return true;
}

void revoke_agent_tokens(Tx& tx, std::string_view node, Time now) {
  for (Token& token :
       documents<Token>(tx, kToken, "WHERE node = ?1 AND purpose = 'agent' ORDER BY hash FOR NO KEY UPDATE", node)) {
    if (token.revoked_at) continue;
    token.revoked_at = now;
    put_token(tx, token);
  }
}

std::string installation_id(Tx& tx) {
  return select_one<std::string>(tx, "SELECT id FROM installation").value_or("");
}

std::size_t prune(Tx& tx, Time older_than, std::size_t limit) {
  std::size_t pruned = 0;
  // Of the growing tables the oldest rows only: they came in order, more or less, and are found without an index on
  // time. What is still wanted (not folded, not published, not ended) stays.
  pruned += execute(tx,
                    "DELETE FROM finding WHERE n IN (SELECT n FROM (SELECT n, received_at, folded FROM finding "
                    "ORDER BY n LIMIT ?2) AS oldest WHERE received_at < ?1 AND folded = 1)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM event WHERE n IN (SELECT n FROM (SELECT n, at, sequence FROM event "
                    "ORDER BY n LIMIT ?2) AS oldest WHERE at < ?1 AND sequence IS NOT NULL)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE resolved_at < ?1 "
                    "ORDER BY resolved_at LIMIT ?2)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM repair WHERE id IN (SELECT id FROM repair WHERE is_open = 0 AND began_at < ?1 "
                    "AND NOT EXISTS (SELECT 1 FROM hold WHERE hold.node = repair.node AND hold.released = 0) "
                    "AND NOT EXISTS (SELECT 1 FROM operation WHERE operation.repair = repair.id AND "
                    "operation.is_open = 1) LIMIT ?2)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM session WHERE (node, epoch) IN (SELECT session.node, session.epoch FROM session "
                    "JOIN node ON node.id = session.node WHERE session.epoch < node.epoch AND hello_at < ?1 LIMIT ?2)",
                    older_than, limit);
  pruned += execute(tx,
                    "DELETE FROM answered WHERE (scope, id) IN (SELECT scope, id FROM answered WHERE at < ?1 "
                    "ORDER BY at LIMIT ?2)",
                    older_than, limit);
  return pruned;
}

}  // namespace sickbay::store
