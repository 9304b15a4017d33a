// The node agent's program: options, the records' source, signals. What it does is in src/agent.
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdio>
#include <cstdlib>

#include "agent/agent.hpp"
#include "base/log.hpp"
#include "model/json.hpp"
#include "rules/kernel_log.hpp"
#include "rules/pack.hpp"

namespace {

using namespace sickbay;

constexpr int kFailed = 1, kWrongUse = 2;

struct Options {
  agent::Config config;
  std::string config_file, heartbeat;
  bool print = false, verbose = false;
};

std::string default_node() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

void describe(CLI::App& app, Options& options) {
  agent::Config& config = options.config;
  app.add_option("--server", config.server, "Address of the server, such as https://sickbay.example:8443");
  app.add_option("--cluster", config.cluster, "Cluster this node belongs to")->capture_default_str();
  app.add_option("--node", config.node, "Name the scheduler knows this node by (default: the host name)");
  app.add_option("--ticket-file", config.ticket_file,
                 "File with the ticket or token to join with; or give the ticket in SICKBAY_TICKET. Never an argument: "
                 "everyone on the machine could read it");
  app.add_option("--ca-file", config.ca_file, "Authorities (PEM) to check the server against (default: the system's)");
  app.add_flag("--insecure-http", config.insecure_http,
               "Allow http:// to other machines; the credential is then readable "
               "by everyone on the way");
  app.add_option("--state", config.state,
                 "Directory for the outbox, the position and the credential; empty: keep nothing")
      ->capture_default_str();
  app.add_option("--records", config.records,
                 "Where kernel records come from: /dev/kmsg, a file or FIFO of raw records or log lines, or - for "
                 "standard input")
      ->capture_default_str();
  app.add_flag("--allow-injected", config.allow_injected,
               "Count records that programs wrote to /dev/kmsg, too. For tests: any process could then forge a fault");
  app.add_flag("--once", config.once, "Read the records to their end, deliver everything, and stop");
  app.add_flag("--print", options.print, "Print each finding as a line of JSON and tell no server");
  app.add_option("--heartbeat", options.heartbeat, "Interval of heartbeats, such as 10s (default: as the server says)");
  app.add_option("--outbox-bytes", config.outbox_bytes, "Most the outbox may take on disk")->capture_default_str();
  app.add_option("--sys", config.sys, "Where sysfs is")->capture_default_str();
  app.add_option("--proc", config.proc, "Where the host's procfs is")->capture_default_str();
  app.add_option("--config", options.config_file,
                 "JSON file with any of: server, cluster, node, ticket_file, ca_file, "
                 "insecure_http, state, records, allow_injected, once, heartbeat, sys, "
                 "proc, watch_host, outbox_bytes. The command line wins over it");
  app.add_flag("--verbose", options.verbose, "Log more");
}

// The file first, then the command line over it: so that what it does not say stays as the file says.
Result<Options> read_options(int argc, char** argv) {
  Options options;
  options.config.state = "/var/lib/sickbay-agent";
  for (int pass = 0; pass < 2; ++pass) {
    CLI::App app("Sickbay's node agent: watches this machine for hardware and software faults and tells the server.");
    describe(app, options);
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      const int code = app.exit(error);
      std::exit(code == 0 ? 0 : kWrongUse);
    }
    if (options.config_file.empty()) break;
    if (pass == 0) {
      Options fresh;
      fresh.config.state = "/var/lib/sickbay-agent";
      SICKBAY_ASSIGN(fresh.config, agent::load_config(options.config_file, fresh.config));
      options = std::move(fresh);
    }
  }
  if (!options.heartbeat.empty()) {
    SICKBAY_ASSIGN(options.config.heartbeat, parse_duration(options.heartbeat));
  }
  if (options.config.node.empty()) options.config.node = default_node();
  if (const char* ticket = std::getenv("SICKBAY_TICKET")) {
    options.config.ticket = ticket;
    ::unsetenv("SICKBAY_TICKET");  // no child and no dump of the environment shows it
  }
  if (options.print) {
    options.config.server.clear();
    options.config.state.clear();
  } else if (options.config.server.empty()) {
    return fail(Errc::invalid, "there is no server; give --server URL, or --print to see findings only");
  }
  SICKBAY_CHECK(agent::check_config(options.config));
  return options;
}

int run(const Options& options) {
  const agent::Config& config = options.config;
  boost::asio::io_context io(1);  // one thread, and asio knows
  auto identity = agent::system_identity(config.proc, config.sys);
  if (!identity) return log::error("{}", identity.error().message), kFailed;
  auto source = agent::open_records(io, config.records, config.once);
  if (!source) return log::error("{}", source.error().message), kFailed;
  const rules::KernelLog rules = rules::KernelLog::built_in();
  const FaultTable faults{rules.pack().faults};  // the shipped ones, read once
  const SystemClock clock;
  ::malloc_trim(0);  // what reading the rules took

  agent::Agent agent(io, config, std::move(*identity), std::move(*source), rules, faults, clock);
  boost::asio::signal_set signals(io, SIGTERM, SIGINT);
  const auto end = [&] {
    agent.stop();
    signals.cancel();
  };
  signals.async_wait([&](const boost::system::error_code& error, int) {
    if (!error) end();
  });
  agent.on_done(end);
  if (options.print) {
    agent.on_finding([](const Finding& finding) {
      std::puts(to_json_text(finding).c_str());
      std::fflush(stdout);
    });
  }
  if (const auto status = agent.start(); !status) {
    log::error("{}", status.error().message);
    const bool wrong = status.error().code == Errc::invalid || status.error().code == Errc::refused;
    return wrong ? kWrongUse : kFailed;
  }
  io.run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ::mallopt(M_ARENA_MAX, 1);  // one thread needs one arena; each more costs resident memory
  ::mallopt(M_TRIM_THRESHOLD, 128 << 10);
  try {
    const auto options = read_options(argc, argv);
    if (!options) {
      std::fprintf(stderr, "sickbay-agent: %s\n", options.error().message.c_str());
      return kWrongUse;
    }
    log::set_level(options->verbose ? log::Level::debug : log::Level::info);
    return run(*options);
  } catch (const std::exception& error) {
    log::error("the agent ends: {}", error.what());
    return kFailed;
  }
}
