// Tokens of people and programs, join tickets of agents, and who one is. A secret is in the answer that made it and
// nowhere else.
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "resources/access.hpp"
#include "store/paging.hpp"

namespace sickbay::api {
namespace {

resources::Token view_of(const Token& token, const Principal& principal) {
  resources::Token view;
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
  SICKBAY_ASSIGN(const auto body, call.body<resources::NewToken>());
  const people::NewToken wanted{body.name, body.role, body.clusters, body.expires_in};
  SICKBAY_ASSIGN(const people::Made made, call.services.people.create_token(wanted, *call.caller));
  resources::Token answer = view_of(made.token, {});
  answer.role = body.role;
  answer.clusters = body.clusters;
  answer.token = made.secret;
  return call.answer(answer);
}

Result<net::Response> list(Call& call) {
  const bool all = call.parameter("all") == "true";
  SICKBAY_ASSIGN(const auto views, call.services.people.list_tokens());
  SICKBAY_ASSIGN(const Time now, call.services.store.now());
  std::vector<resources::Token> shown;
  for (const auto& view : views) {
    resources::Token token = view_of(view.token, view.principal);
    const bool live = !token.revoked_at && !token.spent_at && !(token.expires_at && *token.expires_at <= now);
    const bool theirs = call.caller->sees_all() || std::any_of(token.clusters.begin(), token.clusters.end(),
                                                               [&](const auto& c) { return call.caller->sees(c); });
    if (theirs && (all || live)) shown.push_back(std::move(token));
  }
  return call.answer_page<resources::TokenList>(std::move(shown), [](const auto& token) { return token.id; });
}

Result<net::Response> revoke(Call& call) {
  if (!call.caller->sees_all()) return fail(Errc::forbidden, "tokens are revoked by an admin of all clusters");
  SICKBAY_CHECK(call.services.people.revoke_token(call.part("token"), *call.caller));
  return net::Response{call.route.status, {}, {}, nullptr};
}

Result<net::Response> create_ticket(Call& call) {
  SICKBAY_ASSIGN(const auto body, call.body<resources::NewTicket>());
  SICKBAY_ASSIGN(const Node node, call.find_node(body.node));
  SICKBAY_ASSIGN(const people::Made made,
                 call.services.people.create_ticket(call.cluster->id, node.id, body.expires_in, *call.caller));
  return call.answer(resources::Ticket{made.token.id, made.secret, node.cluster, node.name, made.token.expires_at});
}

Result<net::Response> session(Call& call) {
  const Principal& who = call.caller->principal;
  return call.answer(resources::Session{who.name, who.kind, who.role, who.clusters, call.caller->token.expires_at});
}

Result<net::Response> people_list(Call& call) {
  SICKBAY_ASSIGN(auto all, call.services.people.list_principals());
  return call.answer_page<resources::PeopleList>(std::move(all), [](const Principal& one) { return one.id; });
}

}  // namespace

std::vector<Route> token_routes() {
  return {
      {.method = "POST",
       .path = "/v1/tokens",
       .access = Access::admin,
       .run = create,
       .summary = "Makes a token; its secret is shown this once",
       .body = schema_of<resources::NewToken>,
       .answer = schema_of<resources::Token>,
       .status = 201,
       .secret_answer = true,
       .audited = true},
      {.method = "POST",
       .path = "/v1/compute/clusters/{cluster}/tickets",
       .access = Access::admin,
       .run = create_ticket,
       .summary = "A single-use ticket with which an agent joins as a node",
       .body = schema_of<resources::NewTicket>,
       .answer = schema_of<resources::Ticket>,
       .status = 201,
       .secret_answer = true,
       .audited = true},
      {.path = "/v1/tokens",
       .access = Access::admin,
       .run = list,
       .summary = "The tokens in use; all=true: also those that are over",
       .parameters = {"all", "page_size", "page_token"},
       .answer = schema_of<resources::TokenList>},
      {.method = "DELETE",
       .path = "/v1/tokens/{token}",
       .access = Access::admin,
       .run = revoke,
       .summary = "Revokes a token at once",
       .status = 204,
       .audited = true},
      {.path = "/v1/people",
       .access = Access::admin,
       .run = people_list,
       .summary = "Who may do what",
       .parameters = {"page_size", "page_token"},
       .answer = schema_of<resources::PeopleList>},
      {.path = "/v1/session", .run = session, .summary = "Who you are here", .answer = schema_of<resources::Session>},
  };
}

}  // namespace sickbay::api
