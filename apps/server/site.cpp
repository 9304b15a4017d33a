#include "server/site.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "adapters/simulated/simulated.hpp"
#include "base/log.hpp"
#include "net/listen.hpp"
#include "rules/faults.hpp"
#include "store/upkeep.hpp"

namespace sickbay::server {
namespace {

// Held for as long as the process lives; the kernel lets go of it however the process ends.
Result<Fd> take_server_lock(const std::string& path) {
  return take_lock(path, fmt::format("another server holds {}: two servers cannot share one SQLite file or one "
                                     "data directory; for several servers use PostgreSQL",
                                     path));
}

net::ServerOptions http_options(const Arguments& arguments, const net::ListenAddress& listen, const api::Api& api) {
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

engine::Options engine_options(const Arguments& arguments, const config::ServerConfig& config, Ids& ids) {
  engine::Options options;
  options.replica = ids.next("replica");
  options.workers = config.workers;
  options.heartbeat = config.heartbeat;
  options.witness = arguments.data + "/witness.json";
  options.dispatch_window = config.engine.dispatch_window;
  options.call_timeout = config.engine.call_timeout;
  options.observe_grace = config.engine.observe_grace;
  return options;
}

// For tests of what a replica does that was held up between taking an operation and sending it: while the file exists
// that SICKBAY_TEST_STOP_BEFORE_SEND names, the server stops itself there (SIGSTOP) until somebody continues it.
engine::TestHooks stop_before_send() {
  const char* file = std::getenv("SICKBAY_TEST_STOP_BEFORE_SEND");
  if (!file) return {};
  const auto stop = [file = std::string(file)](engine::Point point) {
    if (point == engine::Point::before_send && ::access(file.c_str(), F_OK) == 0) ::raise(SIGSTOP);
  };
  return {stop, {}};
}

}  // namespace

engine::Adapters make_adapters(const std::vector<config::ClusterConfig>& clusters, const std::string& installation) {
  engine::Adapters made;
  for (const auto& cluster : clusters) {
    engine::ClusterAdapters& of = made.clusters[config::cluster_id_of(cluster.name)];
    for (const auto& each : cluster.schedulers) {
      SchedulerCapabilities declared;
      declared.kind = each.as == "slurm" ? SchedulerKind::slurm : SchedulerKind::kubernetes;
      declared.drain_options = {DrainOption::grace, DrainOption::force_after, DrainOption::force};
      of.add(each.name,
             std::make_unique<adapters::SimulatedScheduler>(each.url, each.scheduler, installation, declared));
    }
    of.set(cluster.provider.name, std::make_unique<adapters::SimulatedProvider>(cluster.provider.url));
  }
  return made;
}

Result<std::unique_ptr<Site>> Site::start(const Arguments& arguments, const config::ServerConfig& config) {
  std::unique_ptr<Site> site(new Site());
  SICKBAY_CHECK(net::parse_listen(arguments.listen));  // before anything is made on disk
  const std::string database =
      arguments.database.empty() ? "sqlite:" + arguments.data + "/sickbay.db" : arguments.database;
  SICKBAY_CHECK(site->lock(arguments, database));
  SICKBAY_CHECK(site->open(arguments, config, database));
  SICKBAY_CHECK(site->listen(arguments));
  return site;
}

Status Site::lock(const Arguments& arguments, const std::string& database) {
  std::error_code failed;
  std::filesystem::create_directories(arguments.data, failed);
  if (failed) return fail(Errc::io, fmt::format("cannot make the directory {}: {}", arguments.data, failed.message()));
  SICKBAY_ASSIGN(data_lock_, take_server_lock(arguments.data + "/lock"));
  if (database.starts_with("sqlite:")) {  // the SQLite file, wherever it is and by whatever name it is reached
    const auto file = std::filesystem::weakly_canonical(database.substr(7), failed);
    SICKBAY_ASSIGN(file_lock_, take_server_lock(file.string() + ".lock"));
  }
  return {};
}

Status Site::open(const Arguments& arguments, const config::ServerConfig& config, const std::string& database) {
  SICKBAY_ASSIGN(store_, store::Store::open({.url = database}, clock_));
  people_.emplace(*store_, ids_);
  SICKBAY_ASSIGN(const bool is_new, people_->bootstrap(arguments.data + "/admin-token"));
  if (is_new) log::info("the first admin's token is in {}/admin-token", arguments.data);
  SICKBAY_ASSIGN(installation_,
                 store_->write([](store::Tx& tx) -> Result<std::string> { return store::installation_id(tx); }));
  adapters_.replace(make_adapters(config.clusters, installation_));
  clusters_ = config.clusters;
  faults_ = rules::default_faults();
  options_ = engine_options(arguments, config, ids_);
  engine_.emplace(*store_, adapters_, faults_, clock_, ids_, options_, stop_before_send());
  commands_.emplace(
      *store_, faults_, ids_, options_, [this] { engine_->notify(); }, [this] { return engine_->caution(); });
  adapters_.listen([this](std::string_view cluster, std::string_view node) { engine_->changed(cluster, node); });
  SICKBAY_CHECK(engine_->compare_lineage());
  return adopt(config);
}

Status Site::adopt(const config::ServerConfig& config) {
  for (const auto& configured : config.clusters) {
    Cluster cluster;
    cluster.id = config::cluster_id_of(configured.name);
    cluster.name = configured.name;
    cluster.type = configured.type;
    SICKBAY_CHECK(commands_->adopt(cluster, {"sickbay", Role::admin}));
    SICKBAY_CHECK(engine_->start_sync(cluster.id));
  }
  return {};
}

Status Site::listen(const Arguments& arguments) {
  SICKBAY_ASSIGN(const auto listen, net::parse_listen(arguments.listen));
  const auto counters = [this] {
    const net::Server* server = running_;
    return server ? server->counters() : net::ServerCounters{};
  };
  api_.emplace(api::Services{*store_, *commands_, engine_->intake(), *people_, clock_, ids_,
                             [this] { return engine_->caution(); }, counters, std::string(kVersion),
                             [this] { return clusters(); }});
  SICKBAY_ASSIGN(http_, net::Server::start(http_options(arguments, listen, *api_),
                                           [this](const net::Request& request) { return api_->handle(request); }));
  running_ = http_.get();
  engine_->start();
  log::info("sickbay-server {} ready at {}", kVersion,
            net::url_of(arguments.tls_certificate.empty() ? "http" : "https", listen.host, http_->port()));
  return {};
}

// Calls under way end on the adapters they began with. What is not about adapters is read at the next start.
Status Site::apply(const config::ServerConfig& config) {
  adapters_.replace(make_adapters(config.clusters, installation_));  // first: adopting wakes those who use them
  if (const Status adopted = adopt(config); !adopted) {
    adapters_.replace(make_adapters(clusters(), installation_));
    return adopted;
  }
  const std::lock_guard lock(clusters_mutex_);
  clusters_ = config.clusters;
  return {};
}

std::vector<config::ClusterConfig> Site::clusters() const {
  const std::lock_guard lock(clusters_mutex_);
  return clusters_;
}

void Site::stop() {
  http_->stop();
  adapters_.listen({});
  engine_->stop();
}

}  // namespace sickbay::server
