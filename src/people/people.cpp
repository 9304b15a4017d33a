// The rules of who may do what, and the writing down of it.
#include "people/people.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/text.hpp"
#include "store/audit.hpp"
#include "store/people.hpp"
#include "store/work.hpp"

namespace sickbay::people {
namespace {

constexpr std::size_t kLongestSecret = 256;
constexpr Duration kLongestTicket = hours{24 * 30};

Made make(std::string_view prefix, std::string id, Time now) {
  Made made;
  made.secret = fmt::format("{}{}", prefix, random_secret());
  made.token.hash = sha256_hex(made.secret);
  made.token.id = std::move(id);
  made.token.created_at = now;
  return made;
}

// Writes and syncs a new file that only its owner reads.
Status write_secret(const std::string& path, std::string_view secret) {
  const auto failed = [&] {
    return fail(Errc::io, fmt::format("cannot write the first admin's token to {}: {}", path, std::strerror(errno)));
  };
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed();
  const std::string line = std::string(secret) + "\n";
  const bool written =
      ::write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size()) && ::fsync(file) == 0;
  if (!written) {
    const auto failure = failed();
    ::close(file);
    ::unlink(path.c_str());
    return failure;
  }
  ::close(file);
  return {};
}

// A ticket that was spent just now may be shown again: its hello decides whether the same agent start shows it, whose
// answer was lost.
constexpr Duration kTicketShownAgain = minutes{10};

bool is_live(const Token& token, Time now) {
  const bool again =
      token.purpose == TokenPurpose::ticket && token.spent_at && now < *token.spent_at + kTicketShownAgain;
  return !token.revoked_at && (!token.spent_at || again) && !(token.expires_at && *token.expires_at <= now);
}

}  // namespace

bool Caller::sees(std::string_view cluster) const {
  return sees_all() ||
         std::find(principal.clusters.begin(), principal.clusters.end(), cluster) != principal.clusters.end();
}

Result<bool> Auth::bootstrap(const std::string& path) {
  SICKBAY_ASSIGN(const Time now, store_.now());
  Principal admin;
  admin.id = ids_.next("pri");
  admin.name = "admin";
  admin.kind = PrincipalKind::token;
  admin.role = Role::admin;
  Made made = make("sbk_", ids_.next("tok"), now);
  made.token.principal = admin.id;
  made.token.label = "the first admin";
  SICKBAY_ASSIGN(const bool empty,
                 store_.read([](store::Tx& tx) -> Result<bool> { return store::list_principals(tx).empty(); }));
  if (!empty) return false;
  // The file first: a token in the database that nobody knows would lock everybody out, and on a crash in between the
  // file of a secret that is good for nothing is replaced at the next start.
  ::unlink(path.c_str());
  SICKBAY_CHECK(write_secret(path, made.secret));
  Caller by{{}, {}};
  by.principal.name = "sickbay";
  const AuditRow row = audit(by, "tokens.bootstrap", made.token.id, {});
  SICKBAY_ASSIGN(const bool first, store_.write([&](store::Tx& tx) -> Result<bool> {
    if (!store::list_principals(tx).empty()) return false;  // another replica was first
    store::put_principal(tx, admin);
    store::put_token(tx, made.token);
    store::add_audit(tx, row);
    return true;
  }));
  if (!first) ::unlink(path.c_str());
  return first;
}

Result<Caller> Auth::authenticate(std::string_view secret) {
  const auto wrong = [] {
    return fail(Errc::unauthenticated, "the bearer token is not valid, expired or revoked; ask an admin for another");
  };
  if (secret.empty() || secret.size() > kLongestSecret) return wrong();
  SICKBAY_ASSIGN(const Time now, store_.now());
  const std::string hash = sha256_hex(secret);
  SICKBAY_ASSIGN(const auto found, store_.read([&](store::Tx& tx) -> Result<std::optional<Caller>> {
    auto token = store::find_token(tx, hash);
    if (!token) return std::nullopt;
    Caller caller{{}, std::move(*token)};
    if (caller.token.purpose == TokenPurpose::api) {
      auto principal = store::get_principal(tx, caller.token.principal);
      if (!principal || principal->disabled) return std::nullopt;
      caller.principal = std::move(*principal);
    } else {
      caller.principal.kind = PrincipalKind::agent;
      caller.principal.id = caller.token.id;
      caller.principal.name = "agent of " + caller.token.node;
      caller.principal.clusters = {caller.token.cluster};
      caller.principal.node = caller.token.node;
    }
    return caller;
  }));
  if (!found || !is_live(found->token, now)) return wrong();
  return *found;
}

Status Auth::allow(const Caller& caller, Role least, std::string_view cluster) {
  if (caller.principal.kind == PrincipalKind::agent) {
    return fail(Errc::forbidden, "this is an agent's credential; people and programs need a token of their own");
  }
  if (caller.principal.role < least) {
    return fail(Errc::forbidden, fmt::format("this needs the role {}; '{}' has {}", name_of(least),
                                             caller.principal.name, name_of(caller.principal.role)));
  }
  if (!cluster.empty() && !caller.sees(cluster)) {
    return fail(Errc::forbidden, fmt::format("'{}' has no role in the cluster {}", caller.principal.name, cluster));
  }
  return {};
}

Result<Made> Auth::create_token(const NewToken& wanted, const Caller& by) {
  if (trim(wanted.name).empty() || wanted.name.size() > 100) {
    return fail(Errc::invalid, "name must be 1 to 100 characters: who will use the token", "name");
  }
  if (wanted.role > by.principal.role) {
    return fail(
        Errc::forbidden,
        fmt::format("you are {} and cannot make a token for {}", name_of(by.principal.role), name_of(wanted.role)),
        "role");
  }
  const bool within =
      std::all_of(wanted.clusters.begin(), wanted.clusters.end(), [&](const auto& c) { return by.sees(c); });
  if (!within || (wanted.clusters.empty() && !by.sees_all())) {
    return fail(Errc::forbidden, "name clusters that are yours: the token would reach further than you do", "clusters");
  }
  if (wanted.expires_in && *wanted.expires_in <= Duration{0}) {
    return fail(Errc::invalid, "expires_in must be longer than nothing, such as \"90d\"", "expires_in");
  }
  SICKBAY_ASSIGN(const Time now, store_.now());
  Principal principal;
  principal.id = ids_.next("pri");
  principal.name = std::string(trim(wanted.name));
  principal.kind = PrincipalKind::token;
  principal.role = wanted.role;
  principal.clusters = wanted.clusters;
  Made made = make("sbk_", ids_.next("tok"), now);
  made.token.principal = principal.id;
  made.token.label = principal.name;
  if (wanted.expires_in) made.token.expires_at = now + *wanted.expires_in;
  const AuditRow row =
      audit(by, "tokens.create", made.token.id, {{"name", principal.name}, {"role", name_of(principal.role)}});
  SICKBAY_CHECK(store_.write([&](store::Tx& tx) -> Status {
    store::put_principal(tx, principal);
    store::put_token(tx, made.token);
    store::add_audit(tx, row);
    return {};
  }));
  return made;
}

Result<std::vector<TokenView>> Auth::list_tokens() {
  return store_.read([](store::Tx& tx) -> Result<std::vector<TokenView>> {
    std::map<std::string, Principal> principals;
    for (auto& principal : store::list_principals(tx)) principals[principal.id] = principal;
    std::vector<TokenView> views;
    for (auto& token : store::list_tokens(tx)) views.push_back({token, principals[token.principal]});
    return views;
  });
}

Status Auth::revoke_token(std::string_view id, const Caller& by) {
  SICKBAY_ASSIGN(const Time now, store_.now());
  SICKBAY_ASSIGN(const auto views, list_tokens());
  const auto found = std::find_if(views.begin(), views.end(), [&](const auto& view) { return view.token.id == id; });
  if (found == views.end()) return fail(Errc::not_found, fmt::format("there is no token {}", id));
  if (found->token.revoked_at) return {};  // again is fine
  const auto makes_others = [&](const TokenView& view) {
    return view.token.purpose == TokenPurpose::api && view.principal.role == Role::admin &&
           view.principal.clusters.empty() && !view.principal.disabled && is_live(view.token, now);
  };
  if (makes_others(*found) && std::count_if(views.begin(), views.end(), makes_others) == 1) {
    return fail(Errc::refused, "this is the last token of an admin of everything; create another first");
  }
  Token token = found->token;
  token.revoked_at = now;
  const AuditRow row = audit(by, "tokens.revoke", token.id, {{"name", found->principal.name}});
  return store_.write([&](store::Tx& tx) -> Status {
    store::put_token(tx, token);
    store::add_audit(tx, row);
    return {};
  });
}

Result<std::vector<Principal>> Auth::list_principals() {
  return store_.read([](store::Tx& tx) -> Result<std::vector<Principal>> { return store::list_principals(tx); });
}

Result<Made> Auth::create_ticket(std::string_view cluster, std::string_view node, Duration expires_in,
                                 const Caller& by) {
  if (node.empty() || node.size() > 253)
    return fail(Errc::invalid, "node must be the name of the node that may join", "node");
  if (expires_in <= Duration{0} || expires_in > kLongestTicket) {
    return fail(Errc::invalid, "expires_in must be more than nothing and at most 30d", "expires_in");
  }
  SICKBAY_ASSIGN(const Time now, store_.now());
  Made made = make("sbt_", ids_.next("tik"), now);
  made.token.purpose = TokenPurpose::ticket;
  made.token.principal = by.principal.id;
  made.token.label = "ticket for " + std::string(node);
  made.token.cluster = cluster;
  made.token.node = node;
  made.token.expires_at = now + expires_in;
  const AuditRow row = audit(by, "tickets.create", made.token.id, {{"cluster", cluster}, {"node", node}});
  SICKBAY_CHECK(store_.write([&](store::Tx& tx) -> Status {
    store::put_token(tx, made.token);
    store::add_audit(tx, row);
    return {};
  }));
  return made;
}

Status Auth::note(const Caller& by, std::string_view verb, std::string_view subject, std::string_view outcome) {
  AuditRow row = audit(by, verb, std::string(subject), {});
  row.outcome = outcome;
  return store_.write([&](store::Tx& tx) -> Status {
    store::add_audit(tx, row);
    return {};
  });
}

AuditRow Auth::audit(const Caller& by, std::string_view verb, std::string subject, boost::json::object detail) const {
  AuditRow row;
  row.id = ids_.next("aud");
  row.at = store_.now().value_or(Time{});
  row.principal = by.principal.name;
  row.verb = verb;
  row.subject = std::move(subject);
  row.outcome = "done";
  row.detail = std::move(detail);
  return row;
}

}  // namespace sickbay::people
