// Principals, tokens and tickets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/people.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

std::optional<Principal> get_principal(Tx& tx, std::string_view id);
std::vector<Principal> list_principals(Tx& tx);
void put_principal(Tx& tx, const Principal& principal);
std::optional<Token> find_token(Tx& tx, std::string_view hash);
std::vector<Token> list_tokens(Tx& tx);
void put_token(Tx& tx, const Token& token);
// Marks a single-use ticket spent; false when somebody was first.
bool spend_ticket(Tx& tx, std::string_view hash, Time now);
// Revokes every agent credential of a node (the old one ends at the hello that joins anew).
void revoke_agent_tokens(Tx& tx, std::string_view node, Time now);

}  // namespace sickbay::store
