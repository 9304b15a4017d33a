// Events with their publish sequence, leases, audit rows, idempotent answers, principals, tokens and tickets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/repair.hpp"
#include "store/nodes.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

void add_event(Tx& tx, const Event& event);
std::vector<std::string> unpublished_events(Tx& tx, std::size_t limit);  // oldest first
// Gives the next sequence numbers to these, in order. Only under a lease whose epoch was checked in this transaction.
void publish_events(Tx& tx, const std::vector<std::string>& ids);
struct EventFilter {
  std::string cluster, node, repair, kind;
};
std::vector<Event> events_after(Tx& tx, const EventFilter& filter, std::uint64_t sequence, std::size_t limit);
Paged<Event> list_events(Tx& tx, const EventFilter& filter, const Page& page);  // newest first

// A fenced lease: taking it (free, expired or one's own) gives an epoch that grows when the holder changes.
std::optional<std::uint64_t> take_lease(Tx& tx, std::string_view name, std::string_view owner, Time now,
                                        Duration length);
bool holds_lease(Tx& tx, std::string_view name, std::string_view owner, std::uint64_t epoch);  // locks the row

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
void add_audit(Tx& tx, const AuditRow& row);
std::vector<AuditRow> unpublished_audit(Tx& tx, std::size_t limit);
void publish_audit(Tx& tx, const std::vector<AuditRow>& rows);  // sequence and hash are set here, from the last row
Paged<AuditRow> list_audit(Tx& tx, const Page& page);           // newest first
// What the hash of a published row must be after the row with the hash `previous` (empty: the first row).
std::string audit_hash(std::string_view previous, AuditRow row);
// The last published row's number and hash: a log that ends before was cut off.
struct AuditHead {
  std::uint64_t sequence = 0;
  std::string hash;
};
AuditHead audit_head(Tx& tx);

// The first answer to an idempotency id; `body_hash` tells a repeat from another request.
struct Answered {
  std::string body_hash;
  std::string answer;
};
std::optional<Answered> get_answered(Tx& tx, std::string_view scope, std::string_view id);
void put_answered(Tx& tx, std::string_view scope, std::string_view id, const Answered& answered, Time now);

struct Principal {
  std::string id, name;
  std::string kind;  // person, token, agent, system
  Role role = Role::viewer;
  std::vector<std::string> clusters;  // empty: all
  std::string node;                   // of an agent: the only node it speaks for
  bool disabled = false;
  BOOST_DESCRIBE_CLASS(Principal, (), (id, name, kind, role, clusters, node, disabled), (), ())
};
struct Token {
  std::string hash;  // sha256 of the secret; the secret is never stored
  std::string id, principal, label;
  std::string purpose = "api";  // api, agent, ticket (single use: joins one node)
  std::string cluster, node;    // of agent credentials and tickets
  Time created_at{};
  std::optional<Time> expires_at, revoked_at, spent_at;
  BOOST_DESCRIBE_CLASS(Token, (),
                       (hash, id, principal, label, purpose, cluster, node, created_at, expires_at, revoked_at,
                        spent_at),
                       (), ())
};
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

std::string installation_id(Tx& tx);  // made at the first start, in every mark we leave in the world

// Deletes what is older than its keeping time (product.md 3.4: 400 days), a bounded number of rows; says how many.
std::size_t prune(Tx& tx, Time older_than, std::size_t limit);

}  // namespace sickbay::store
