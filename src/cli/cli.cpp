#include "cli/cli.hpp"

#include <fmt/core.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <ostream>

#include "cli/context.hpp"
#include "cli/rules.hpp"

namespace sickbay::cli {
namespace {

constexpr int kDone = 0, kFailed = 1, kWrongUse = 2;

constexpr std::string_view kFooter =
    "SICKBAY_SERVER and SICKBAY_TOKEN say where the server is and who you are; so does ~/.config/sickbay/config.json.\n"
    "Exit codes: 0 done, 1 failed, 2 wrong use.";

void add_options(CLI::App& app, Context& context) {
  app.add_option("--server", context.settings.server, "the server's address, such as https://sickbay.example:8443");
  app.add_option("--cluster", context.settings.cluster, "name or id of the cluster, where there are several");
  app.add_option("--ca-file", context.settings.ca_file, "authorities that signed the server's certificate (PEM)");
  app.add_flag("--insecure-http", context.settings.insecure_http,
               "allow plain http to another machine: your token can be read on the way");
  app.add_flag("--json", context.as_json, "print JSON for programs");
  app.add_flag("--no-color", context.no_colour, "no colour (NO_COLOR does the same)");
  app.add_flag("-y,--yes", context.yes, "do not ask before doing it");
}

int report(Context& context, const Error& error) {
  context.around.err << "sickbay: " << printable(error.message) << '\n';
  return kFailed;
}

}  // namespace

int run(std::span<const std::string> arguments, CliEnvironment& around) {
  if (!arguments.empty() && arguments.front() == "rules") {  // works without a server, with options of its own
    return rules_command(arguments.subspan(1), around.out, around.err);
  }
  Context context(around);
  CLI::App app("Sickbay keeps GPU clusters healthy.", "sickbay");
  app.footer(std::string(kFooter));
  app.fallthrough();  // --json and the others may also come last
  app.require_subcommand(0, 1);
  add_options(app, context);
  add_status(app, context);
  add_nodes(app, context);
  add_alerts(app, context);
  add_repairs(app, context);
  add_events(app, context);
  add_watch(app, context);
  add_hosts(app, context);
  add_policy(app, context);
  add_breaker(app, context);
  add_restore(app, context);
  add_clusters(app, context);
  add_access(app, context);
  add_demo(app, context);
  app.add_subcommand("rules", "list, explain and test what kernel log lines mean (sickbay rules --help)");

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;  // --help
    app.exit(error, around.out, around.err);
    return asked ? kDone : kWrongUse;
  }
  if (const auto status = complete_settings(context.settings, around); !status) return report(context, status.error());
  if (!context.chosen) {
    const auto named = app.get_subcommands();
    around.err << (named.empty() ? app.help() : named.front()->help("sickbay"));
    return kWrongUse;
  }
  const Status done = context.chosen();
  around.out.flush();
  return done ? kDone : report(context, done.error());
}

}  // namespace sickbay::cli
