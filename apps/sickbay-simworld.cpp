// sickbay-simworld: the simulated world as a program of its own, so that killing the server does not kill the world.
// It keeps a durable journal, answers on a loopback socket (src/simworld/service.hpp) and, given a server, runs the
// nodes' agents. `check-journal` reads a journal and says whether anything happened that must not.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <thread>

#include "base/log.hpp"
#include "net/listen.hpp"
#include "net/server.hpp"
#include "simworld/checker.hpp"
#include "simworld/fleet.hpp"
#include "simworld/guest.hpp"
#include "simworld/journal_file.hpp"

namespace {

using namespace sickbay;
using namespace sickbay::simworld;

struct Arguments {
  std::string listen = "127.0.0.1:8490", journal;
  Config config;
  std::string capability = "dedup";
  std::string check;
  std::string server, cluster = "default", agents, tickets, admin_token_file, guest_proc;
  Duration heartbeat{};
};

int check_journal(const std::string& path) {
  const auto entries = read_journal(path);
  if (!entries) {
    fmt::print(stderr, "sickbay-simworld: {}\n", entries.error().message);
    return 1;
  }
  Checker::Count count;
  const auto wrong = check(*entries, &count);
  for (const std::string& each : wrong) fmt::print("{}\n", each);
  fmt::print("entries={} requests={} effects={} repairs={} marks={} violations={}\n", entries->size(), count.requests,
             count.effects, count.repairs, count.marks, wrong.size());
  return wrong.empty() ? 0 : 1;
}

// A duration as people write it ("90s"), as an option.
CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [&value, name](const std::string& text) {
            const auto read = parse_duration(text);
            if (!read) throw CLI::ValidationError(name, read.error().message);
            value = *read;
          },
          help)
      ->default_str(format_duration(value))
      ->type_name("DURATION");
}

void add_options(CLI::App& app, Arguments& arguments) {
  Config& config = arguments.config;
  app.add_option("--listen", arguments.listen, "Address and port to answer on; port 0 takes any free one")
      ->capture_default_str();
  app.add_option("--journal", arguments.journal, "The world's journal. An existing one is gone on with");
  app.add_option("--nodes", config.nodes, "Nodes of a new world")->capture_default_str()->check(CLI::Range(1, 20000));
  app.add_option("--spares", config.spares, "Spare hosts of a new world")->capture_default_str();
  app.add_option("--gpus", config.gpus, "GPUs of each node of a new world")->capture_default_str();
  app.add_option("--pools", config.pools, "Pools of a new world")->delimiter(',')->capture_default_str();
  app.add_option("--serials", config.serials,
                 "What the serials of a new world's hosts begin with; another one for each world on a server")
      ->capture_default_str();
  app.add_option("--guest", config.guest, "One more node of a new world: a real machine, whose agent runs by itself");
  app.add_option("--guest-proc", arguments.guest_proc,
                 "Directory for the guest's boot id and boot time, for its agent's --proc; no boot id: it is down");
  app.add_option("--seed", config.seed, "Where a new world's randomness begins")->capture_default_str();
  app.add_option("--capability", arguments.capability,
                 "What a new world's provider promises of repeated requests: dedup, fenced or none")
      ->capture_default_str()
      ->check(CLI::IsMember({"dedup", "fenced", "none"}));
  add_duration(app, "--reboot", config.latencies.reboot, "How long a reboot takes");
  add_duration(app, "--power-cycle", config.latencies.power_cycle, "How long a power cycle takes");
  add_duration(app, "--reprovision", config.latencies.reprovision, "How long a reprovision takes");
  add_duration(app, "--migrate", config.latencies.migrate, "How long a migrate takes");
  add_duration(app, "--remove", config.latencies.remove, "How long a removal takes");
  add_duration(app, "--reappear-after", config.latencies.reappear_after,
               "A broken host's fault shows this long after a boot");
  add_duration(app, "--drain-grace", config.latencies.drain_grace, "How long evicted work takes to leave");
  add_duration(app, "--job-every", config.job_every, "Mean time between new jobs; 0: none come by themselves");
  add_duration(app, "--job-length", config.job_length, "Mean length of a job");
  app.add_option("--not-sent", config.weather.not_sent, "Share of calls that find no connection");
  app.add_option("--lose-request", config.weather.lose_request,
                 "Share of calls that never arrive, unknown to the caller");
  app.add_option("--late", config.weather.late, "Share of calls carried out after the caller gave up");
  app.add_option("--lose-reply", config.weather.lose_reply, "Share of calls carried out without the caller hearing");
  app.add_option("--fail", config.weather.fail, "Share of actions that fail");
  add_duration(app, "--late-by", config.weather.late_by, "How late late calls are, at most");
  app.add_option("--server", arguments.server, "The Sickbay server the nodes' agents speak to; without it none run");
  app.add_option("--cluster", arguments.cluster, "The cluster's name there")->capture_default_str();
  app.add_option("--agents", arguments.agents, "Directory of the agents' state; default: JOURNAL.agents");
  app.add_option("--admin-token-file", arguments.admin_token_file,
                 "A token that may issue join tickets; read when needed");
  app.add_option("--tickets", arguments.tickets, "Or a file of lines 'NODE TICKET'");
  add_duration(app, "--heartbeat", arguments.heartbeat, "The agents' heartbeat; 0: as the server says");
  CLI::App* check = app.add_subcommand("check-journal", "Says whether a journal shows anything that must not happen");
  check->add_option("file", arguments.check, "The journal")->required();
  app.footer("Exit codes: 0 done, 1 failed (for check-journal: violations), 2 wrong use.");
}

// The world of the journal, or a new one. Latencies, weather and jobs are what the command line says either way.
Result<std::unique_ptr<World>> open_world(const Arguments& arguments, Journal& journal, const std::vector<Entry>& found,
                                          const Clock& clock) {
  if (found.empty()) return std::make_unique<World>(arguments.config, clock.now(), journal);
  SICKBAY_ASSIGN(auto world, World::restore(found, journal));
  world->weather() = arguments.config.weather;
  world->latencies() = arguments.config.latencies;
  world->set_jobs(arguments.config.job_every, arguments.config.job_length);
  return world;
}

Status run(Arguments& arguments) {
  const SystemClock clock;
  arguments.config.capabilities.dedup_by_operation_id = arguments.capability == "dedup";
  arguments.config.capabilities.fenced_by_boot = arguments.capability == "fenced";
  SICKBAY_ASSIGN(const auto journal, FileJournal::open(arguments.journal));
  SICKBAY_ASSIGN(const auto world, open_world(arguments, *journal, journal->found(), clock));
  Service service(*world, clock);
  SICKBAY_ASSIGN(const auto listen, net::parse_listen(arguments.listen));
  net::ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  SICKBAY_ASSIGN(const auto server,
                 net::Server::start(options, [&](const net::Request& request) { return service.handle(request); }));
  std::unique_ptr<Fleet> fleet;
  if (!arguments.server.empty()) {
    std::unique_ptr<Tickets> tickets;
    if (arguments.tickets.empty()) {
      tickets = std::make_unique<ServerTickets>(arguments.server, arguments.cluster, arguments.admin_token_file);
    } else {
      tickets = std::make_unique<FileTickets>(arguments.tickets);
    }
    FleetOptions fleet_options{.server = arguments.server,
                               .cluster = arguments.cluster,
                               .directory = arguments.agents,
                               .heartbeat = arguments.heartbeat};
    fleet = std::make_unique<Fleet>(service, fleet_options, std::move(tickets), clock);
    fleet->start();
  }
  log::info("sickbay-simworld: {} nodes at {}", world->state().nodes.size(),
            net::url_of("http", listen.host, server->port()));
  // Moves the world's time until a signal asks to stop. 50 ms is fine enough for latencies of seconds.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  const timespec pause{.tv_sec = 0, .tv_nsec = 50'000'000};
  Guest guest(world->config().guest, arguments.guest_proc);
  while (sigtimedwait(&signals, nullptr, &pause) < 0) {
    service.tick();
    if (arguments.guest_proc.empty()) continue;
    SICKBAY_CHECK(service.with_world([&](World& now) { return guest.show(now.state()); }));
  }
  if (fleet) fleet->stop();
  server->stop();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("The simulated world: nodes, schedulers, a provider and, with --server, the nodes' agents");
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!arguments.check.empty()) return check_journal(arguments.check);
  if (arguments.journal.empty()) {
    fmt::print(stderr, "sickbay-simworld: say where the journal is with --journal FILE\n");
    return 2;
  }
  if (!arguments.server.empty() && arguments.tickets.empty() && arguments.admin_token_file.empty()) {
    fmt::print(stderr, "sickbay-simworld: --server needs --admin-token-file or --tickets, for the agents to join\n");
    return 2;
  }
  if (arguments.agents.empty()) arguments.agents = arguments.journal + ".agents";
  // Blocked before any thread starts, so that the signals come to the loop that waits for them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  try {
    if (const Status status = run(arguments); !status) {
      fmt::print(stderr, "sickbay-simworld: {}\n", status.error().message);
      return status.error().code == Errc::invalid ? 2 : 1;
    }
  } catch (const std::exception& error) {  // the journal cannot be written: the world must not go on
    fmt::print(stderr, "sickbay-simworld: {}\n", error.what());
    return 1;
  }
  return 0;
}
