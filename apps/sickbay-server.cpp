// The server: store, engine, API and adapters, put together. One process with SQLite, or any number on one PostgreSQL.
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "adapters/simulated/simulated.hpp"
#include "api/api.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "engine/engine.hpp"
#include "net/server.hpp"
#include "rules/faults.hpp"

namespace {

using namespace sickbay;

constexpr std::string_view kVersion = "0.1.0";

struct Arguments {
  std::string data, listen = "127.0.0.1:8480", database, config, tls_certificate, tls_key, log = "info";
};

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--data", arguments.data, "Directory of the database and the first admin's token; made if missing")
      ->required();
  app.add_option("--listen", arguments.listen, "Address and port to answer on; port 0 takes any free one")
      ->capture_default_str();
  app.add_option("--database", arguments.database,
                 "postgresql://USER@HOST/NAME for several servers on one database, or sqlite:FILE; default: SQLite in "
                 "the data directory")
      ->envname("SICKBAY_DATABASE");
  app.add_option("--config", arguments.config, "YAML file: the clusters and their adapters (docs/operating.md)");
  app.add_option("--tls-cert", arguments.tls_certificate, "PEM file with the certificate chain; needs --tls-key");
  app.add_option("--tls-key", arguments.tls_key, "PEM file with the certificate's key");
  app.add_option("--log", arguments.log, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.set_version_flag("--version", std::string(kVersion));
  app.footer(
      "The first start makes an admin and writes its token to DATA/admin-token, readable by its owner only.\n"
      "Stops cleanly on SIGTERM and SIGINT. Exit codes: 0 done, 1 failed, 2 wrong use.");
}

// Held for as long as the process lives; the kernel lets go of it however the process ends.
class DirectoryLock {
 public:
  static Result<DirectoryLock> take(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return fail(Errc::io, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
      ::close(file);
      return fail(Errc::conflict,
                  fmt::format("another server holds {}: two servers cannot share one SQLite file or one "
                              "data directory; for several servers use PostgreSQL",
                              path));
    }
    return DirectoryLock(file);
  }
  DirectoryLock(DirectoryLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  ~DirectoryLock() {
    if (file_ >= 0) ::close(file_);
  }

 private:
  explicit DirectoryLock(int file) : file_(file) {}
  int file_;
};

struct Listen {
  std::string host;
  std::uint16_t port = 0;
};
// "HOST:PORT", "[::1]:PORT".
Result<Listen> split_listen(const std::string& listen) {
  const auto colon = listen.rfind(':');
  const auto port = colon == std::string::npos ? std::nullopt : parse_uint(listen.substr(colon + 1));
  if (!port || *port > 65535 || colon == 0) {
    return fail(Errc::invalid, fmt::format("--listen takes HOST:PORT, such as 127.0.0.1:8480, not '{}'", listen));
  }
  std::string host = listen.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return Listen{std::move(host), static_cast<std::uint16_t>(*port)};
}

engine::World make_world(const api::ServerConfig& config, const std::string& installation) {
  engine::World world;
  for (const auto& cluster : config.clusters) {
    const auto& simulated = *cluster.simulated;
    for (const auto& name : simulated.schedulers) {
      world.schedulers[name] = std::make_unique<adapters::SimulatedScheduler>(simulated.url, name, installation);
    }
    world.providers[simulated.provider] = std::make_unique<adapters::SimulatedProvider>(simulated.url);
    world.clusters[api::cluster_id_of(cluster.name)] = {simulated.schedulers, simulated.provider};
  }
  return world;
}

// Adopts what is configured and not known yet, and watches all of it.
Status adopt(const api::ServerConfig& config, engine::Commands& commands, engine::Engine& engine) {
  for (const auto& configured : config.clusters) {
    Cluster cluster;
    cluster.id = api::cluster_id_of(configured.name);
    cluster.name = configured.name;
    cluster.type = configured.type;
    SICKBAY_CHECK(commands.adopt(cluster, {"sickbay", Role::admin}));
    SICKBAY_CHECK(engine.watch(cluster.id));
  }
  return {};
}

net::ServerOptions http_options(const Arguments& arguments, const Listen& listen, const api::Api& api) {
  net::ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.tls_certificate = arguments.tls_certificate;
  options.tls_key = arguments.tls_key;
  options.stream_poll = milliseconds{300};
  options.body_bytes = [&api](std::string_view method, std::string_view target) {
    return api.body_bytes(method, target);
  };
  return options;
}

std::string address_of(const Arguments& arguments, const Listen& listen, std::uint16_t port) {
  const bool v6 = listen.host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}", arguments.tls_certificate.empty() ? "http" : "https", v6 ? "[" : "", listen.host,
                     v6 ? "]" : "", port);
}

// For tests of what a replica does that was held up between taking an operation and sending it: while the file exists
// that SICKBAY_TEST_STOP_BEFORE_SEND names, the server stops itself there (SIGSTOP) until somebody continues it.
engine::Hook stop_before_send() {
  const char* file = std::getenv("SICKBAY_TEST_STOP_BEFORE_SEND");
  if (!file) return {};
  return [file = std::string(file)](engine::Point point) {
    if (point == engine::Point::before_send && ::access(file.c_str(), F_OK) == 0) ::raise(SIGSTOP);
  };
}

void wait_for_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  int received = 0;
  sigwait(&signals, &received);
}

Status serve(const Arguments& arguments, const api::ServerConfig& config) {
  const auto listen = split_listen(arguments.listen);
  if (!listen) return tl::unexpected<Error>(listen.error());
  std::error_code failed;
  std::filesystem::create_directories(arguments.data, failed);
  if (failed) return fail(Errc::io, fmt::format("cannot make the directory {}: {}", arguments.data, failed.message()));
  const std::string url = arguments.database.empty() ? "sqlite:" + arguments.data + "/sickbay.db" : arguments.database;
  SICKBAY_ASSIGN(const auto lock, DirectoryLock::take(arguments.data + "/lock"));
  std::optional<DirectoryLock> file_lock;  // of the SQLite file, wherever it is and by whatever name it is reached
  if (url.starts_with("sqlite:")) {
    const auto file = std::filesystem::weakly_canonical(url.substr(7), failed);
    SICKBAY_ASSIGN(DirectoryLock taken, DirectoryLock::take(file.string() + ".lock"));
    file_lock.emplace(std::move(taken));
  }

  const SystemClock clock;
  RandomIds ids;
  SICKBAY_ASSIGN(const auto store, store::Store::open({.url = url}, clock));
  people::People people(*store, ids);
  SICKBAY_ASSIGN(const bool is_new, people.bootstrap(arguments.data + "/admin-token"));
  if (is_new) log::info("the first admin's token is in {}/admin-token", arguments.data);

  SICKBAY_ASSIGN(const std::string installation,
                 store->write([](store::Tx& tx) -> Result<std::string> { return store::installation_id(tx); }));
  const engine::World world = make_world(config, installation);
  const FaultTable faults = rules::default_faults();
  engine::Options options;
  options.replica = ids.next("replica");
  options.workers = config.workers;
  options.heartbeat = config.heartbeat;
  options.witness = arguments.data + "/witness.json";
  options.dispatch_window = config.engine.dispatch_window;
  options.call_timeout = config.engine.call_timeout;
  options.observe_grace = config.engine.observe_grace;
  engine::Engine engine(*store, world, faults, clock, ids, options, stop_before_send());
  engine::Commands commands(*store, world, faults, ids, options, [&] { engine.notify(); });
  SICKBAY_CHECK(engine.recall());
  SICKBAY_CHECK(adopt(config, commands, engine));

  // The API and the server know each other: one is asked for its counters, the other for its answers.
  std::atomic<net::Server*> running = nullptr;
  const auto counters = [&] {
    const net::Server* server = running;
    return server ? server->counters() : net::ServerCounters{};
  };
  api::Api api({*store, commands, engine.intake(), people, clock, ids, [&] { return engine.caution(); }, counters,
                std::string(kVersion), config.clusters});
  SICKBAY_ASSIGN(const auto server, net::Server::start(http_options(arguments, *listen, api),
                                                       [&](const net::Request& r) { return api.handle(r); }));
  running = server.get();
  engine.start();
  log::info("sickbay-server {} ready at {}", kVersion, address_of(arguments, *listen, server->port()));
  wait_for_signal();
  log::info("stopping");
  server->stop();
  engine.stop();
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
  log::Level level = log::Level::info;
  if (arguments.log == "debug") level = log::Level::debug;
  if (arguments.log == "warn") level = log::Level::warn;
  if (arguments.log == "error") level = log::Level::error;
  log::set_level(level);
  ::umask(077);
  ::signal(SIGPIPE, SIG_IGN);
  // Blocked before any thread starts, so that the signals come to the one that waits for them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    const auto config =
        arguments.config.empty() ? Result<api::ServerConfig>(api::ServerConfig{}) : api::read_config(arguments.config);
    const Status status = config ? serve(arguments, *config) : Status(tl::unexpected<Error>(config.error()));
    if (status) return 0;
    fmt::print(stderr, "sickbay-server: {}\n", status.error().message);
    return status.error().code == Errc::invalid ? 2 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "sickbay-server: a fault of ours: {}\n", error.what());
    return 1;
  }
}
