// The server's program: its arguments, its configuration and its signals. One process with SQLite, or any number on one
// PostgreSQL. What runs is apps/server/site.hpp.
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>

#include "base/log.hpp"
#include "server/site.hpp"

namespace {

using namespace sickbay;
using server::Arguments;
using server::Site;

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--data", arguments.data, "Directory of the database and the first admin's token; made if missing");
  app.add_option("--listen", arguments.listen, "Address and port to answer on; port 0 takes any free one")
      ->capture_default_str();
  app.add_option("--database", arguments.database,
                 "postgresql://USER@HOST/NAME for several servers on one database, or sqlite:FILE; default: SQLite in "
                 "the data directory")
      ->envname("SICKBAY_DATABASE");
  app.add_option("--config", arguments.config, "YAML file: the clusters and their adapters (docs/operating.md)");
  app.add_flag("--check", arguments.check, "Read and check the configuration, print what it says, and end")
      ->needs("--config");
  app.add_option("--tls-cert", arguments.tls_certificate, "PEM file with the certificate chain; needs --tls-key");
  app.add_option("--tls-key", arguments.tls_key, "PEM file with the certificate's key");
  app.add_option("--log", arguments.log, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.set_version_flag("--version", std::string(server::kVersion));
  app.footer(
      "The first start makes an admin and writes its token to DATA/admin-token, readable by its owner only.\n"
      "Reads its configuration again on SIGHUP. Stops cleanly on SIGTERM and SIGINT.\n"
      "Exit codes: 0 done, 1 failed, 2 wrong use.");
}

Result<config::ServerConfig> read_config(const Arguments& arguments) {
  if (arguments.config.empty()) return config::ServerConfig{};
  return config::read_server_config(arguments.config);
}

// --check: everything a start would read and refuse, without starting.
Status check(const Arguments& arguments) {
  SICKBAY_ASSIGN(const auto config, read_config(arguments));
  for (const std::string& line : config::describe(config)) fmt::print("{}\n", line);
  return {};
}

// Reads the file again. One that is wrong, or cannot be used now, changes nothing.
void reload(const Arguments& arguments, Site& site, config::ServerConfig& used) {
  const auto config = read_config(arguments);
  if (!config) {
    log::error("{}; the configuration in use stays as it was", config.error().message);
    return;
  }
  const auto changes = config::changes(used, *config);
  for (const std::string& change : changes) log::info("the configuration has changed: {}", change);
  if (changes.empty()) {
    log::info("the configuration has not changed");
  } else if (const Status applied = site.apply(*config); applied) {
    used = *config;
  } else {
    log::error("{}; the configuration in use stays as it was", applied.error().message);
  }
}

sigset_t our_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, each);
  return signals;
}

Status serve(const Arguments& arguments) {
  SICKBAY_ASSIGN(config::ServerConfig config, read_config(arguments));
  SICKBAY_ASSIGN(const auto site, Site::start(arguments, config));
  const sigset_t signals = our_signals();
  for (;;) {
    int received = 0;
    sigwait(&signals, &received);
    if (received != SIGHUP) break;
    reload(arguments, *site, config);
  }
  log::info("stopping");
  site->stop();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("The Sickbay server: keeps GPU clusters healthy");
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (arguments.data.empty() && !arguments.check) {
    fmt::print(stderr, "sickbay-server: say where its data is with --data DIRECTORY\n");
    return 2;
  }
  log::Level level = log::Level::info;
  if (arguments.log == "debug") level = log::Level::debug;
  if (arguments.log == "warn") level = log::Level::warn;
  if (arguments.log == "error") level = log::Level::error;
  log::set_level(level);
  ::umask(077);
  ::signal(SIGPIPE, SIG_IGN);
  // Blocked before any thread starts, so that the signals come to the one that waits for them.
  const sigset_t signals = our_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    const Status status = arguments.check ? check(arguments) : serve(arguments);
    if (status) return 0;
    fmt::print(stderr, "sickbay-server: {}\n", status.error().message);
    return arguments.check || status.error().code == Errc::invalid ? 2 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sickbay-server: internal error: {}\n", error.what());
    return 1;
  }
}
