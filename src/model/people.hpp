// Who may do what, and who did: principals, their tokens, and rows of the audit log.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/words.hpp"

namespace sickbay {

struct Principal {
  std::string id, name;
  PrincipalKind kind = PrincipalKind::person;
  Role role = Role::viewer;
  std::vector<std::string> clusters;  // empty: all
  std::string node;                   // of an agent: the only node it speaks for
  bool disabled = false;
  BOOST_DESCRIBE_CLASS(Principal, (), (id, name, kind, role, clusters, node, disabled), (), ())
};
struct Token {
  std::string hash;  // sha256 of the secret; the secret is never stored
  std::string id, principal, label;
  TokenPurpose purpose = TokenPurpose::api;
  std::string cluster, node;  // of agent credentials and tickets
  Time created_at{};
  std::optional<Time> expires_at, revoked_at, spent_at;
  BOOST_DESCRIBE_CLASS(Token, (),
                       (hash, id, principal, label, purpose, cluster, node, created_at, expires_at, revoked_at,
                        spent_at),
                       (), ())
};

// Append-only; `hash` chains each published row to the one before (engine.md 8, product.md 9).
struct AuditRow {
  std::string id;
  std::optional<std::uint64_t> sequence;
  Time at{};
  std::string principal, verb, subject, outcome;
  boost::json::object detail;
  std::string hash;
  BOOST_DESCRIBE_CLASS(AuditRow, (), (id, sequence, at, principal, verb, subject, outcome, detail, hash), (), ())
};

}  // namespace sickbay
