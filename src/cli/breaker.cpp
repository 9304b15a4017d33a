// sickbay breaker: whether anything is approved automatically now, and closing it again.
#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

void print_breaker(Context& context, const json::value& breaker) {
  if (context.as_json) return context.print_json(breaker);
  const bool open = text_at(breaker, "open") == "yes";
  Sheet sheet;
  sheet.line("breaker", open ? "OPEN" : "closed");
  sheet.line(open ? "why" : "was open because", text_at(breaker, "why"));
  sheet.line("opened", clock_time(text_at(breaker, "opened_at")));
  sheet.line("reset", clock_time(text_at(breaker, "reset_at")));
  sheet.line("reset by", text_at(breaker, "reset_by"));
  sheet.line("reason", text_at(breaker, "reset_reason"));
  auto paper = context.paper();
  sheet.print(paper);
  if (open) {
    context.around.out
        << "Nothing is approved automatically. Detection, recommendations and your own approvals go on.\n"
           "When the common cause is found: sickbay breaker reset --reason \"...\"\n";
  }
}

Status show(Context& context) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value breaker, server->get(cluster + "/breaker"));
  print_breaker(context, breaker);
  return {};
}

Status reset(Context& context, const std::string& reason) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_CHECK(
      context.confirm("close the breaker, so that repairs are approved automatically again, slowly at first?"));
  SICKBAY_ASSIGN(const json::value breaker,
                 server->send("POST", cluster + "/breaker/reset", json::object{{"reason", reason}}));
  print_breaker(context, breaker);
  return {};
}

}  // namespace

void add_breaker(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "breaker", "what stops automatic repairs when many nodes fail at once");
  const auto reason = std::make_shared<std::string>();  // lives as long as the parsed command
  const auto run = [&context] { return show(context); };
  add_verb(*noun, context, "show", "open or closed, and why", run);
  set_default(*noun, context, run);
  add_verb(*noun, context, "reset", "close it again", [&context, reason] { return reset(context, *reason); })
      ->add_option("--reason", *reason, "what the common cause was; kept")
      ->required();
}

}  // namespace sickbay::cli
