// Tokens of people and programs, join tickets of agents, and who one is. A secret is in the answer that made it and
// nowhere else.
#include "api/routes.hpp"
#include "api/schema.hpp"

namespace sickbay::api {
namespace {

struct TokenBody {
  std::string name;
  Role role = Role::viewer;
  std::vector<std::string> clusters;
  std::optional<Duration> expires_in;
  BOOST_DESCRIBE_CLASS(TokenBody, (), (name, role, clusters, expires_in), (), ())
};
struct TokenAnswer {
  std::string id, name, purpose;
  Role role = Role::viewer;
  std::vector<std::string> clusters;
  std::string node;
  Time created_at{};
  std::optional<Time> expires_at, revoked_at, spent_at;
  std::optional<std::string> token;  // the secret; only when it is made
  BOOST_DESCRIBE_CLASS(TokenAnswer, (),
                       (id, name, purpose, role, clusters, node, created_at, expires_at, revoked_at, spent_at, token),
                       (), ())
};
struct TokenList {
  std::vector<TokenAnswer> tokens;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(TokenList, (), (tokens, has_next, next_page_token), (), ())
};
struct TicketBody {
  std::string node;  // its name, or its id
  Duration expires_in = hours{1};
  BOOST_DESCRIBE_CLASS(TicketBody, (), (node, expires_in), (), ())
};
struct TicketAnswer {
  std::string id, ticket, cluster_id, node;
  std::optional<Time> expires_at;
  BOOST_DESCRIBE_CLASS(TicketAnswer, (), (id, ticket, cluster_id, node, expires_at), (), ())
};
struct SessionAnswer {
  std::string name, kind;
  Role role = Role::viewer;
  std::vector<std::string> clusters;
  std::optional<Time> expires_at;
  BOOST_DESCRIBE_CLASS(SessionAnswer, (), (name, kind, role, clusters, expires_at), (), ())
};

TokenAnswer view_of(const store::Token& token, const store::Principal& principal) {
  TokenAnswer view;
  view.id = token.id;
  view.name = token.label;
  view.purpose = token.purpose;
  view.role = principal.role;
  view.clusters = token.cluster.empty() ? principal.clusters : std::vector{token.cluster};
  view.node = token.node;
  view.created_at = token.created_at;
  view.expires_at = token.expires_at;
  view.revoked_at = token.revoked_at;
  view.spent_at = token.spent_at;
  return view;
}

Result<net::Response> create(Call& call) {
  SICKBAY_ASSIGN(TokenBody body, call.body<TokenBody>());
  const people::NewToken wanted{body.name, body.role, body.clusters, body.expires_in};
  SICKBAY_ASSIGN(const people::Made made, call.services.people.create_token(wanted, *call.caller));
  TokenAnswer answer = view_of(made.token, {});
  answer.role = body.role;
  answer.clusters = body.clusters;
  answer.token = made.secret;
  return json_response(to_json(answer), 201);
}

Result<net::Response> list(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  const bool all = call.parameter("all") == "true";
  SICKBAY_ASSIGN(const auto views, call.services.people.list_tokens());
  SICKBAY_ASSIGN(const Time now, call.services.store.now());
  std::vector<TokenAnswer> shown;
  for (const auto& view : views) {
    TokenAnswer token = view_of(view.token, view.principal);
    const bool live = !token.revoked_at && !token.spent_at && !(token.expires_at && *token.expires_at <= now);
    const bool theirs = call.caller->sees_all() || std::any_of(token.clusters.begin(), token.clusters.end(),
                                                               [&](const auto& c) { return call.caller->sees(c); });
    if (theirs && (all || live)) shown.push_back(std::move(token));
  }
  auto paged = page_of(std::move(shown), page, [](const TokenAnswer& token) { return token.id; });
  return json_response(list_of("tokens", to_array(paged.items), paged.next));
}

Result<net::Response> revoke(Call& call) {
  if (!call.caller->sees_all()) return fail(Errc::forbidden, "tokens are revoked by an admin of all clusters");
  SICKBAY_CHECK(call.services.people.revoke_token(call.part("token"), *call.caller));
  return net::Response{204, {}, {}, nullptr};
}

Result<net::Response> create_ticket(Call& call) {
  SICKBAY_ASSIGN(const TicketBody body, call.body<TicketBody>());
  SICKBAY_ASSIGN(const Node node, call.find_node(body.node));
  SICKBAY_ASSIGN(const people::Made made,
                 call.services.people.create_ticket(call.cluster->id, node.id, body.expires_in, *call.caller));
  return json_response(
      to_json(TicketAnswer{made.token.id, made.secret, node.cluster, node.name, made.token.expires_at}), 201);
}

Result<net::Response> session(Call& call) {
  const store::Principal& who = call.caller->principal;
  return json_response(
      to_json(SessionAnswer{who.name, who.kind, who.role, who.clusters, call.caller->token.expires_at}));
}

Result<net::Response> people_list(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  SICKBAY_ASSIGN(auto all, call.services.people.list_principals());
  auto paged = page_of(std::move(all), page, [](const store::Principal& principal) { return principal.id; });
  return json_response(list_of("people", to_array(paged.items), paged.next));
}

}  // namespace

std::vector<Route> token_routes() {
  Route create_route{
      "POST", "/v1/tokens",         Access::admin,         create, "Makes a token; its secret is shown this once", {},
      false,  schema_of<TokenBody>, schema_of<TokenAnswer>};
  create_route.secret_answer = create_route.audited = true;
  Route ticket_route{"POST",
                     "/v1/compute/clusters/{cluster}/tickets",
                     Access::admin,
                     create_ticket,
                     "A single-use ticket with which an agent joins as a node",
                     {},
                     false,
                     schema_of<TicketBody>,
                     schema_of<TicketAnswer>};
  ticket_route.secret_answer = ticket_route.audited = true;
  Route revoke_route{"DELETE", "/v1/tokens/{token}", Access::admin, revoke, "Revokes a token at once"};
  revoke_route.audited = true;
  return {
      create_route,
      ticket_route,
      {"GET",
       "/v1/tokens",
       Access::admin,
       list,
       "The tokens in use; all=true: also those that are over",
       {"all", "page_size", "page_token"},
       false,
       nullptr,
       schema_of<TokenList>},
      revoke_route,
      {"GET", "/v1/people", Access::admin, people_list, "Who may do what", {"page_size", "page_token"}},
      {"GET", "/v1/session", Access::viewer, session, "Who you are here", {}, false, nullptr, schema_of<SessionAnswer>},
  };
}

}  // namespace sickbay::api
