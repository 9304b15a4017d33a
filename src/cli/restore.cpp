// sickbay restore: whether the server only looks after its database was restored, and letting it act again.
#include "resources/restore.hpp"

#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

struct ConfirmOptions {
  std::string reason;
};

void print_state(Context& context, const resources::Restore& state) {
  if (state.observe_only) {
    context.around.out << "Only looking: " << printable(state.why)
                       << ".\nCheck which operations were under way, then: sickbay restore confirm --reason \"...\"\n";
  } else {
    context.around.out << "The database goes on where it was; repairs are started and sent.\n";
  }
}

Status show(Context& context) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value answer, server->get("/v1/restore"));
  return context.show<resources::Restore>(answer, [&](const auto& state) { print_state(context, state); });
}

Status confirm(Context& context, const ConfirmOptions& options) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_CHECK(
      context.confirm("let repairs go on? An operation that the lost part of the database knew of may still "
                      "be under way"));
  SICKBAY_ASSIGN(const json::value answer,
                 server->send("POST", "/v1/restore/confirm", to_json(resources::RestoreConfirmation{options.reason})));
  return context.show<resources::Restore>(answer, [&](const auto& state) { print_state(context, state); });
}

}  // namespace

void add_restore(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "restore", "after the server's database was restored from a backup");
  add_default_verb(*noun, context, "show", "whether the server only looks, and why", show);
  add_verb<ConfirmOptions>(*noun, context, "confirm", "let it act again", confirm,
                           [](CLI::App& verb, ConfirmOptions& options) {
                             verb.add_option("--reason", options.reason, "what was checked; kept")->required();
                           });
}

}  // namespace sickbay::cli
