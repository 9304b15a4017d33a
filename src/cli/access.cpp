// sickbay tokens, sickbay tickets: who may speak to the server. Secrets are shown once, when they are made.
#include "resources/access.hpp"

#include <fmt/core.h>

#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

struct TokenOptions {
  std::string name, role = "viewer", expires;
};
struct RevokeOptions {
  std::string id;
};
struct TicketOptions {
  std::string node;
};

// The secret alone on the output, so that a script can take it; the words around it go to the error output.
void print_secret(Context& context, const std::string& secret, const std::string& words) {
  context.around.err << words << '\n';
  context.around.out << secret << '\n';
}

Status create_token(Context& context, const TokenOptions& options) {
  SICKBAY_ASSIGN(Server * server, context.server());
  resources::NewToken wanted;
  wanted.name = options.name;
  value_of(options.role, wanted.role);
  if (!options.expires.empty()) {
    SICKBAY_ASSIGN(wanted.expires_in, parse_duration(options.expires));
  }
  SICKBAY_ASSIGN(const json::value made, server->send("POST", "/v1/tokens", to_json(wanted)));
  return context.show<resources::Token>(made, [&](const resources::Token& token) {
    print_secret(context, token.token.value_or(""),
                 fmt::format("a {} token for {}; it is not shown again:", options.role, options.name));
  });
}

Status list_tokens(Context& context) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(json::array items, server->list<resources::TokenList>("/v1/tokens", {}, 0));
  return context.show_list<resources::TokenList>(std::move(items), [&](const auto& tokens) {
    Table table({"ID", "NAME", "ROLE", "MADE", "EXPIRES", "REVOKED"});
    for (const resources::Token& token : tokens) {
      table.row({token.id, token.name, name_of(token.role), age(token.created_at, context.now()),
                 clock_time(token.expires_at), clock_time(token.revoked_at)});
    }
    auto paper = context.paper();
    table.print(paper);
  });
}

Status revoke_token(Context& context, const RevokeOptions& options) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_CHECK(context.confirm(fmt::format("revoke token {}?", options.id)));
  SICKBAY_ASSIGN(const json::value gone, server->send("DELETE", "/v1/tokens/" + escape(options.id), nullptr));
  if (context.as_json) context.print_json(gone);
  return {};
}

Status create_ticket(Context& context, const TicketOptions& options) {
  resources::NewTicket wanted;
  wanted.node = options.node;
  SICKBAY_ASSIGN(const json::value made, context.post("/tickets", to_json(wanted)));
  return context.show<resources::Ticket>(made, [&](const resources::Ticket& ticket) {
    print_secret(context, ticket.ticket, fmt::format("one agent may join as {} with this, once:", options.node));
  });
}

}  // namespace

void add_access(CLI::App& app, Context& context) {
  CLI::App* tokens = add_noun(app, "tokens", "tokens of people and programs");
  add_default_verb(*tokens, context, "list", "all of them, without their secrets", list_tokens);
  add_verb<TokenOptions>(*tokens, context, "create", "a new token; its secret is shown once", create_token,
                         [](CLI::App& verb, TokenOptions& options) {
                           verb.add_option("NAME", options.name, "whose it is")->required();
                           verb.add_option("--role", options.role, "viewer, technician, operator, admin")
                               ->check(CLI::IsMember({"viewer", "technician", "operator", "admin"}))
                               ->capture_default_str();
                           verb.add_option("--expires", options.expires, "after how long, such as 90d; default: never");
                         });
  add_verb<RevokeOptions>(
      *tokens, context, "revoke", "end a token", revoke_token,
      [](CLI::App& verb, RevokeOptions& options) { verb.add_option("TOKEN", options.id, "its id")->required(); });
  CLI::App* tickets = add_noun(app, "tickets", "tickets with which agents join");
  add_verb<TicketOptions>(*tickets, context, "create", "a ticket for one agent, used once", create_ticket,
                          [](CLI::App& verb, TicketOptions& options) {
                            verb.add_option("NODE", options.node, "the node's name")->required();
                          });
}

}  // namespace sickbay::cli
