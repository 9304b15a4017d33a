// Principals, tokens and tickets.
#include "store/people.hpp"

#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

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
  const std::string purpose = name_of(token.purpose);
  put(tx, kToken, token, {{"hash", param(token.hash)}, {"node", param(token.node)}, {"purpose", param(purpose)}});
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

}  // namespace sickbay::store
