// Tokens of people and programs, join tickets of agents, and who one is. A secret is in the answer that made it and
// nowhere else.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/people.hpp"
#include "resources/list.hpp"

namespace sickbay::resources {

struct NewToken {
  std::string name;
  Role role = Role::viewer;
  std::vector<std::string> clusters;  // ids; empty: all
  std::optional<Duration> expires_in;
  BOOST_DESCRIBE_CLASS(NewToken, (), (name, role, clusters, expires_in), (), ())
};
struct Token {
  std::string id, name;
  TokenPurpose purpose = TokenPurpose::api;
  Role role = Role::viewer;
  std::vector<std::string> clusters;
  std::string node;
  Time created_at{};
  std::optional<Time> expires_at, revoked_at, spent_at;
  std::optional<std::string> token;  // the secret; only when it is made
  BOOST_DESCRIBE_CLASS(Token, (),
                       (id, name, purpose, role, clusters, node, created_at, expires_at, revoked_at, spent_at, token),
                       (), ())
};
struct TokenList {
  std::vector<Token> tokens;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(TokenList, (), (tokens, has_next, next_page_token), (), ())
};

struct NewTicket {
  std::string node;  // its name, or its id
  Duration expires_in = hours{1};
  BOOST_DESCRIBE_CLASS(NewTicket, (), (node, expires_in), (), ())
};
struct Ticket {
  std::string id, ticket, cluster_id, node;
  std::optional<Time> expires_at;
  BOOST_DESCRIBE_CLASS(Ticket, (), (id, ticket, cluster_id, node, expires_at), (), ())
};

struct Session {
  std::string name;
  PrincipalKind kind = PrincipalKind::token;
  Role role = Role::viewer;
  std::vector<std::string> clusters;
  std::optional<Time> expires_at;
  BOOST_DESCRIBE_CLASS(Session, (), (name, kind, role, clusters, expires_at), (), ())
};

// Who may do what, in the model's own form.
struct PeopleList {
  std::vector<Principal> people;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(PeopleList, (), (people, has_next, next_page_token), (), ())
};

}  // namespace sickbay::resources
