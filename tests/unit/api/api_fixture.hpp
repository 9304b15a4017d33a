// An API over a store in memory with one cluster of three nodes, one of which is ill and waits for an approval. No
// engine runs: what a test sees is what the API and the commands do.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "api/api.hpp"
#include "base/ids.hpp"
#include "store/alerts.hpp"
#include "store/clusters.hpp"
#include "store/hosts.hpp"
#include "store/nodes.hpp"
#include "store/repairs.hpp"
#include "store/sync.hpp"

namespace sickbay::api {

// A clock that a test moves while the server's threads read it.
class SharedClock final : public Clock {
 public:
  Time now() const override { return from_micros(micros_); }
  Duration steady() const override { return Duration{micros_ - kStart}; }
  void advance(Duration by) { micros_ += by.count(); }

 private:
  static constexpr std::int64_t kStart = 1'800'000'000'000'000;
  std::atomic<std::int64_t> micros_ = kStart;
};

class ApiTest : public testing::Test {
 protected:
  ApiTest() {
    auto opened = store::Store::open({.url = "sqlite::memory:"}, clock_);
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    store_ = std::move(*opened);
    people_.emplace(*store_, ids_);
    commands_.emplace(*store_, faults_, ids_, options_);
    intake_.emplace(*store_, clock_, ids_, options_);
    api_.emplace(Services{*store_,
                          *commands_,
                          *intake_,
                          *people_,
                          clock_,
                          ids_,
                          [] { return decide::SafetyState{}; },
                          {},
                          "test",
                          [this] { return configured_; }});
    admin_ = first_admin();
    fill();
  }

  net::Response call(std::string_view method, std::string_view target, std::string_view body = {},
                     net::Headers headers = {}) {
    return call_as(admin_, method, target, body, std::move(headers));
  }
  net::Response call_as(std::string_view token, std::string_view method, std::string_view target,
                        std::string_view body = {}, net::Headers headers = {}) {
    net::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.headers = std::move(headers);
    if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + std::string(token));
    return api_->handle(request);
  }
  static json::object body_of(const net::Response& response) {
    const auto value = parse_json(response.body);
    EXPECT_TRUE(value && value->is_object()) << response.body;
    return value && value->is_object() ? value->get_object() : json::object{};
  }
  static std::string text(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    return value && value->is_string() ? std::string(value->get_string()) : "(none)";
  }
  std::string token_of(Role role, std::vector<std::string> clusters = {}) {
    return people_->create_token({"somebody", role, std::move(clusters), {}}, people_->authenticate(admin_).value())
        ->secret;
  }
  // A well-formed problem document of that status.
  static void expect_problem(const net::Response& response, int status) {
    EXPECT_EQ(response.status, status) << response.body;
    EXPECT_EQ(net::find_header(response.headers, "Content-Type"), "application/problem+json");
    const json::object problem = body_of(response);
    EXPECT_EQ(problem.at("status"), status);
    for (const char* member : {"type", "title", "detail", "code"}) EXPECT_NE(text(problem, member), "(none)") << member;
  }
  template <class Body>
  void write(Body body) {
    const Status written = store_->write([&](store::Tx& tx) -> Status {
      body(tx);
      return {};
    });
    ASSERT_TRUE(written) << written.error().message;
  }
  // An adapter of the cluster; by default one that lists everything and does it now.
  store::Adapter adapter(const std::string& name, const std::string& role) {
    store::Adapter adapter;
    adapter.cluster = "clu-1";
    adapter.name = name;
    adapter.role = role;
    adapter.listed_at = clock_.now();
    return adapter;
  }
  // "able", which provides the nodes, was lost a minute after its last list.
  void lose_able(const std::string& error) {
    write([&](store::Tx& tx) {
      store::Adapter able = adapter("able", "provider");
      able.listed_at = clock_.now() - minutes{3};
      able.unreachable_since = clock_.now() - minutes{2};
      able.error = error;
      store::put_adapter(tx, able);
    });
  }
  Repair repair(std::string_view id = "rep-1") {
    return store_->read([&](store::Tx& tx) -> Result<Repair> { return store::get_repair(tx, id).value(); }).value();
  }

  const std::string cluster_path = "/v1/compute/clusters/clu-1";
  const std::string repair_path = cluster_path + "/instances/n1/remediations/rep-1";

  SharedClock clock_;
  SeededIds ids_{7};
  engine::Options options_;
  FaultTable faults_;
  std::unique_ptr<store::Store> store_;
  std::optional<people::Auth> people_;
  std::optional<engine::Commands> commands_;
  std::optional<engine::Intake> intake_;
  std::optional<Api> api_;
  std::string admin_;
  std::vector<config::ClusterConfig> configured_{{.name = "other", .type = "SLURM"}};  // at this server

 private:
  std::string first_admin() {
    const std::string path = std::filesystem::temp_directory_path() / ("sickbay-api-" + random_uuid());
    EXPECT_TRUE(people_->bootstrap(path).value());
    std::ifstream file(path);
    std::string secret;
    std::getline(file, secret);
    std::filesystem::remove(path);
    return secret;
  }

  void fill() {
    Cluster cluster;
    cluster.id = "clu-1";
    cluster.name = "demo";
    cluster.created_at = clock_.now();
    write([&](store::Tx& tx) {
      store::put_cluster(tx, cluster);
      for (const char* id : {"n1", "n2", "n3"}) {
        Node node;
        node.id = id;
        node.cluster = "clu-1";
        node.pool = "train";
        node.name = "gpu-" + std::string(id);
        node.host = "host-" + std::string(id);
        node.shape = {"8x10de:2330", 8};
        node.provider = "able";
        store::put_node(tx, node);
        Host host;
        host.id = node.host;
        host.cluster = "clu-1";
        host.node = id;
        host.shape = node.shape;
        store::put_host(tx, host);
      }
      store::put_alert(tx, alert());
      store::put_repair(tx, recommendation());
    });
  }

  Alert alert() {
    Alert alert;
    alert.id = "alert-1";
    alert.cluster = "clu-1";
    alert.node = "n1";
    alert.host = "host-n1";
    alert.fault = {"DmesgXidError", "119"};
    alert.device = "0000:05:00.0";
    alert.severity = Severity::critical;
    alert.action = Action::reboot;
    alert.state = AlertState::firing;
    alert.started_at = clock_.now();
    alert.firing_at = clock_.now();
    alert.count = 3;
    alert.first = {
        "finding-1", "GPU 0000:05:00.0: GSP RPC timeout (Xid 119)", {{"mnemonic", "GSP_RPC_TIMEOUT"}}, clock_.now()};
    alert.last = alert.first;
    return alert;
  }
  Repair recommendation() {
    Repair repair;
    repair.id = "rep-1";
    repair.cluster = "clu-1";
    repair.node = "n1";
    repair.node_name = "gpu-n1";
    repair.pool = "train";
    repair.host = "host-n1";
    repair.recommended = repair.action = Action::reboot;
    repair.fault = {"DmesgXidError", "119"};
    repair.alerts = {"alert-1"};
    repair.created_at = repair.updated_at = clock_.now();
    repair.recommended_at = clock_.now() - minutes{5};
    repair.requested_by = "sickbay";
    repair.reason = "Xid 119";
    repair.reasons = {"the table's action for DmesgXidError/119 is reboot"};
    return repair;
  }
};

}  // namespace sickbay::api
