// A running server: store, engine, API and adapters, put together from its arguments and its configuration.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "base/files.hpp"
#include "config/server_config.hpp"
#include "engine/engine.hpp"
#include "net/server.hpp"

namespace sickbay::server {

constexpr std::string_view kVersion = "0.1.0";

struct Arguments {
  std::string data, listen = "127.0.0.1:8480", database, config, tls_certificate, tls_key, log = "info";
  bool check = false;
};

// The adapters of configured clusters.
engine::Adapters make_adapters(const std::vector<config::ClusterConfig>& clusters, const std::string& installation);

class Site {
 public:
  // Answers from now on.
  static Result<std::unique_ptr<Site>> start(const Arguments& arguments, const config::ServerConfig& config);
  // Goes over to another configuration without a restart. On failure the one in use stays as it was.
  Status apply(const config::ServerConfig& config);
  void stop();

 private:
  Site() = default;
  Status lock(const Arguments& arguments, const std::string& database);
  Status open(const Arguments& arguments, const config::ServerConfig& config, const std::string& database);
  Status listen(const Arguments& arguments);
  std::vector<config::ClusterConfig> clusters() const;
  // Adopts what is configured and not known yet, and watches all of it.
  Status adopt(const config::ServerConfig& config);

  // In the order in which each stands on those before it.
  Fd data_lock_, file_lock_;
  SystemClock clock_;
  RandomIds ids_;
  std::unique_ptr<store::Store> store_;
  std::optional<people::Auth> people_;
  std::string installation_;  // goes into every mark
  engine::CurrentAdapters adapters_;
  mutable std::mutex clusters_mutex_;
  std::vector<config::ClusterConfig> clusters_;  // as configured now
  FaultTable faults_;
  engine::Options options_;
  std::optional<engine::Engine> engine_;
  std::optional<engine::Commands> commands_;
  // The API and the HTTP server know each other: one is asked for its counters, the other for its answers.
  std::atomic<net::Server*> running_ = nullptr;
  std::optional<api::Api> api_;
  std::unique_ptr<net::Server> http_;
};

}  // namespace sickbay::server
