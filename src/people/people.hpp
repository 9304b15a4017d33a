// Who speaks, and what they may do: principals, roles, bearer tokens, and the tickets and credentials of agents. A
// secret is 32 random bytes, shown once, kept only as its SHA-256. Whatever is changed here leaves an audit row in the
// same transaction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "model/people.hpp"
#include "store/store.hpp"

namespace sickbay::people {

// Somebody whose token was found good.
struct Caller {
  Principal principal;
  Token token;

  // Principals without a list of clusters act on all of them.
  bool sees(std::string_view cluster) const;
  bool sees_all() const { return principal.clusters.empty(); }
};

// A secret and the row it is remembered by. The only time the secret is seen.
struct Made {
  std::string secret;
  Token token;
};

struct NewToken {
  std::string name;  // of the person or program that will use it; 1 to 100 characters
  Role role = Role::viewer;
  std::vector<std::string> clusters;   // ids; empty: all
  std::optional<Duration> expires_in;  // absent: does not expire
};

struct TokenView {
  Token token;
  Principal principal;
};

class Auth {
 public:
  Auth(store::Store& store, Ids& ids) : store_(store), ids_(ids) {}

  // On an empty database makes the first admin and writes the secret to `path` (mode 0600, never over an existing
  // file); false where there are principals already. The secret is neither returned nor logged.
  Result<bool> bootstrap(const std::string& path);

  // The caller behind a secret; Errc::unauthenticated when it is unknown, revoked, expired or spent, without saying to
  // the other side which. Tickets and agents' credentials come out as callers of kind "agent".
  Result<Caller> authenticate(std::string_view secret);

  // Errc::forbidden where the role is too small or the cluster ("": none in particular) is not theirs.
  static Status allow(const Caller& caller, Role least, std::string_view cluster);

  // Nobody hands out more than they have: the role and the clusters must be within the caller's own.
  Result<Made> create_token(const NewToken& wanted, const Caller& by);
  Result<std::vector<TokenView>> list_tokens();
  // Errc::refused for the last token that can make others: nobody could come in again.
  Status revoke_token(std::string_view id, const Caller& by);
  Result<std::vector<Principal>> list_principals();

  // A single-use ticket with which an agent becomes this node (an id where it is known already, else its name).
  Result<Made> create_ticket(std::string_view cluster, std::string_view node, Duration expires_in, const Caller& by);

  // Writes down what somebody did, or was refused, where the doing does not.
  Status note(const Caller& by, std::string_view verb, std::string_view subject, std::string_view outcome);

 private:
  AuditRow audit(const Caller& by, std::string_view verb, std::string subject, boost::json::object detail) const;

  store::Store& store_;
  Ids& ids_;
};

}  // namespace sickbay::people
