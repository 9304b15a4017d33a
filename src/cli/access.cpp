// sickbay tokens, sickbay tickets: who may speak to the server. Secrets are shown once, when they are made.
#include <fmt/core.h>

#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

struct TokenOptions {
  std::string name, role = "viewer", expires, id;
};

// The secret alone on the output, so that a script can take it; the words around it go to the error output.
void print_secret(Context& context, const json::value& made, const std::string& words) {
  if (context.as_json) return context.print_json(made);
  context.around.err << words << '\n';
  context.around.out << first_text(made, {"token", "ticket", "secret"}) << '\n';
}

Status create_token(Context& context, const TokenOptions& options) {
  SICKBAY_ASSIGN(Server * server, context.server());
  json::object body{{"name", options.name}, {"role", options.role}};
  if (!options.expires.empty()) body["expires_in"] = options.expires;
  SICKBAY_ASSIGN(const json::value made, server->send("POST", "/v1/tokens", body));
  print_secret(context, made, fmt::format("a {} token for {}; it is not shown again:", options.role, options.name));
  return {};
}

Status list_tokens(Context& context) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(json::array tokens, server->list("/v1/tokens", {}, "tokens", 0));
  if (context.as_json) {
    context.print_json(json::object{{"tokens", std::move(tokens)}});
    return {};
  }
  Table table({"ID", "NAME", "ROLE", "MADE", "EXPIRES", "REVOKED"});
  for (const auto& token : tokens) {
    table.row({text_at(token, "id"), first_text(token, {"name", "label", "principal"}), text_at(token, "role"),
               age(text_at(token, "created_at"), context.now()), clock_time(text_at(token, "expires_at")),
               clock_time(text_at(token, "revoked_at"))});
  }
  auto paper = context.paper();
  table.print(paper);
  return {};
}

Status revoke_token(Context& context, const std::string& id) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_CHECK(context.confirm(fmt::format("revoke token {}?", id)));
  SICKBAY_ASSIGN(const json::value gone, server->send("DELETE", "/v1/tokens/" + escape(id), nullptr));
  if (context.as_json) context.print_json(gone);
  return {};
}

Status create_ticket(Context& context, const std::string& node) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value made, server->send("POST", cluster + "/tickets", json::object{{"node", node}}));
  print_secret(context, made, fmt::format("one agent may join as {} with this, once:", node));
  return {};
}

}  // namespace

void add_access(CLI::App& app, Context& context) {
  const auto options = std::make_shared<TokenOptions>();  // lives as long as the parsed command
  CLI::App* tokens = add_noun(app, "tokens", "tokens of people and programs");
  const auto list = [&context] { return list_tokens(context); };
  add_verb(*tokens, context, "list", "all of them, without their secrets", list);
  set_default(*tokens, context, list);
  CLI::App* create = add_verb(*tokens, context, "create", "a new token; its secret is shown once",
                              [&context, options] { return create_token(context, *options); });
  create->add_option("NAME", options->name, "whose it is")->required();
  create->add_option("--role", options->role, "viewer, technician, operator, admin")
      ->check(CLI::IsMember({"viewer", "technician", "operator", "admin"}))
      ->capture_default_str();
  create->add_option("--expires", options->expires, "after how long, such as 90d; default: never");
  add_verb(*tokens, context, "revoke", "end a token",
           [&context, options] { return revoke_token(context, options->id); })
      ->add_option("TOKEN", options->id, "its id")
      ->required();

  const auto node = std::make_shared<std::string>();  // lives as long as the parsed command
  CLI::App* tickets = app.add_subcommand("tickets", "tickets with which agents join");
  tickets->require_subcommand(0, 1);
  add_verb(*tickets, context, "create", "a ticket for one agent, used once",
           [&context, node] { return create_ticket(context, *node); })
      ->add_option("NODE", *node, "the node's name")
      ->required();
}

}  // namespace sickbay::cli
