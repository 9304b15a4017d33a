// sickbay restore: whether the server only looks after its database was restored, and letting it act again.
#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

void print_state(Context& context, const json::value& state) {
  if (context.as_json) return context.print_json(state);
  if (text_at(state, "observe_only") == "yes") {
    context.around.out << "Only looking: " << text_at(state, "why")
                       << ".\nCheck which operations were under way, then: sickbay restore confirm --reason \"...\"\n";
  } else {
    context.around.out << "The database goes on where it was; repairs are started and sent.\n";
  }
}

Status show(Context& context) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value state, server->get("/v1/restore"));
  print_state(context, state);
  return {};
}

Status confirm(Context& context, const std::string& reason) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_CHECK(
      context.confirm("let repairs go on? An operation that the lost part of the database knew of may still "
                      "be under way"));
  SICKBAY_ASSIGN(const json::value state,
                 server->send("POST", "/v1/restore/confirm", json::object{{"reason", reason}}));
  print_state(context, state);
  return {};
}

}  // namespace

void add_restore(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "restore", "after the server's database was restored from a backup");
  const auto reason = std::make_shared<std::string>();  // lives as long as the parsed command
  const auto run = [&context] { return show(context); };
  add_verb(*noun, context, "show", "whether the server only looks, and why", run);
  set_default(*noun, context, run);
  add_verb(*noun, context, "confirm", "let it act again", [&context, reason] { return confirm(context, *reason); })
      ->add_option("--reason", *reason, "what was checked; kept")
      ->required();
}

}  // namespace sickbay::cli
