// sickbay breaker: whether anything is approved automatically now, and closing it again.
#include "resources/breaker.hpp"

#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

struct ResetOptions {
  std::string reason;
};

void print_breaker(Context& context, const Breaker& breaker) {
  FieldList sheet;
  sheet.line("breaker", breaker.open ? "OPEN" : "closed");
  sheet.line(breaker.open ? "why" : "was open because", breaker.why);
  sheet.line("opened", clock_time(breaker.opened_at));
  sheet.line("reset", clock_time(breaker.reset_at));
  sheet.line("reset by", breaker.reset_by);
  sheet.line("reason", breaker.reset_reason);
  auto paper = context.paper();
  sheet.print(paper);
  if (breaker.open) {
    context.around.out
        << "Nothing is approved automatically. Detection, recommendations and your own approvals go on.\n"
           "When the common cause is found: sickbay breaker reset --reason \"...\"\n";
  }
}

Status show(Context& context) {
  SICKBAY_ASSIGN(const json::value answer, context.get("/breaker"));
  return context.show<Breaker>(answer, [&](const Breaker& breaker) { print_breaker(context, breaker); });
}

Status reset(Context& context, const ResetOptions& options) {
  SICKBAY_CHECK(context.cluster_path());  // before anybody is asked
  SICKBAY_CHECK(
      context.confirm("close the breaker, so that repairs are approved automatically again, slowly at first?"));
  SICKBAY_ASSIGN(const json::value answer,
                 context.post("/breaker/reset", to_json(resources::BreakerReset{options.reason})));
  return context.show<Breaker>(answer, [&](const Breaker& breaker) { print_breaker(context, breaker); });
}

}  // namespace

void add_breaker(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "breaker", "what stops automatic repairs when many nodes fail at once");
  add_default_verb(*noun, context, "show", "open or closed, and why", show);
  add_verb<ResetOptions>(*noun, context, "reset", "close it again", reset, [](CLI::App& verb, ResetOptions& options) {
    verb.add_option("--reason", options.reason, "what the common cause was; kept")->required();
  });
}

}  // namespace sickbay::cli
