// The other resources, each once around.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "store/clusters.hpp"
#include "tests/unit/api/api_fixture.hpp"

namespace sickbay::api {
namespace {

TEST_F(ApiTest, AClusterHasTheGivenShape) {
  const json::object cluster = body_of(call("GET", cluster_path));
  EXPECT_EQ(text(cluster, "cluster_name"), "demo");
  EXPECT_EQ(text(cluster, "cluster_type"), "KUBERNETES");
  EXPECT_EQ(text(cluster, "billing_type"), "ON_DEMAND");
  EXPECT_EQ(text(cluster, "gpu_type"), "H100_SXM");
  EXPECT_EQ(text(cluster, "kube_config"), "");
  EXPECT_EQ(cluster.at("num_gpus"), 24);
  for (const char* list :
       {"add_ons", "control_plane_nodes", "volumes", "deleted_gpu_worker_nodes", "phase_transitions"}) {
    EXPECT_TRUE(cluster.at(list).is_array()) << list;
  }
  const json::array& nodes = cluster.at("gpu_worker_nodes").as_array();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(text(nodes[0].as_object(), "status"), "unhealthy");
  EXPECT_EQ(text(nodes[0].as_object().at("latest_remediation").as_object(), "id"), "rep-1");
  EXPECT_FALSE(nodes[1].as_object().contains("latest_remediation"));
  EXPECT_EQ(call("GET", "/v1/compute/clusters/demo").status, 200);  // by name too
  const json::object regions = body_of(call("GET", "/v1/compute/regions"));
  EXPECT_EQ(regions.at("regions").as_array().at(0).as_object().at("supported_instance_types").as_array().at(0),
            "H100_SXM");
  EXPECT_TRUE(body_of(call("GET", "/v1/compute/clusters/storage/volumes")).at("volumes").as_array().empty());
  expect_problem(call("POST", "/v1/compute/clusters/storage/volumes", "{}"), 422);
}

TEST_F(ApiTest, OnlyConfiguredClustersAreAdopted) {
  expect_problem(call("POST", "/v1/compute/clusters", R"({"cluster_name":"mars","num_gpus":0})"), 422);
  expect_problem(call("POST", "/v1/compute/clusters", R"({"cluster_name":"other","num_gpus":8})"), 422);
  expect_problem(call("POST", "/v1/compute/clusters", R"({"num_gpus":0})"), 400);
  const json::object adopted =
      body_of(call("POST", "/v1/compute/clusters", R"({"cluster_name":"other","num_gpus":0})"));
  EXPECT_EQ(text(adopted, "cluster_type"), "SLURM");
  EXPECT_EQ(body_of(call("GET", "/v1/compute/clusters")).at("clusters").as_array().size(), 2u);
  expect_problem(call("PUT", cluster_path, R"({"num_gpus":32})"), 422);
  EXPECT_EQ(call("PUT", cluster_path, R"({"num_gpus":24})").status, 200);
  EXPECT_EQ(text(body_of(call("DELETE", "/v1/compute/clusters/other")), "cluster_id"), text(adopted, "cluster_id"));
  expect_problem(call("GET", "/v1/compute/clusters/other"), 404);
}

TEST_F(ApiTest, APolicyIsWrittenOnlyOverTheVersionThatWasRead) {
  const net::Response first = call("GET", cluster_path + "/policy");
  const std::string etag(net::find_header(first.headers, "ETag").value());
  EXPECT_EQ(call("GET", cluster_path + "/policy", "", {{"If-None-Match", etag}}).status, 304);
  const std::string body = R"({"policy":{"confirmation":"automatic"},"comment":"trust"})";
  const net::Response put = call("PUT", cluster_path + "/policy", body, {{"If-Match", etag}});
  ASSERT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(text(body_of(put), "changed_by"), "admin");
  EXPECT_EQ(text(body_of(put), "comment"), "trust");
  expect_problem(call("PUT", cluster_path + "/policy", body, {{"If-Match", etag}}), 412);
  expect_problem(call("PUT", cluster_path + "/policy", body, {{"If-Match", "\"x\""}}), 412);
  expect_problem(call("PUT", cluster_path + "/policy", R"({})"), 400);
  expect_problem(call("PUT", cluster_path + "/policy", R"({"policy":{"confirmaton":"automatic"}})"), 400);
  const net::Response refused = call("PUT", cluster_path + "/policy", R"({"policy":{"wait":{"at_most":"25h"}}})");
  expect_problem(refused, 422);
  EXPECT_EQ(text(body_of(refused), "field"), "policy.wait.at_most");
  const json::object check =
      body_of(call("POST", cluster_path + "/policy/check", R"({"policy":{"wait":{"at_most":"25h"}}})"));
  EXPECT_FALSE(check.at("ok").as_bool());
  EXPECT_EQ(text(check.at("errors").as_array().at(0).as_object(), "field"), "wait.at_most");
}

TEST_F(ApiTest, ABreakerIsResetWithAReason) {
  write([&](store::Tx& tx) {
    Cluster cluster = *store::get_cluster(tx, "clu-1");
    cluster.breaker.open = true;
    cluster.breaker.why = "14 of 64 nodes turned unhealthy within 5 minutes";
    store::put_cluster(tx, cluster);
  });
  EXPECT_TRUE(body_of(call("GET", cluster_path + "/breaker")).at("open").as_bool());
  EXPECT_NE(text(body_of(call("GET", cluster_path + "/summary")), "headline").find("breaker is open"),
            std::string::npos);
  expect_problem(call("POST", cluster_path + "/breaker/reset", R"({"reason":" "})"), 400);
  const json::object closed = body_of(call("POST", cluster_path + "/breaker/reset", R"({"reason":"power is back"})"));
  EXPECT_FALSE(closed.at("open").as_bool());
  EXPECT_EQ(text(closed, "reset_reason"), "power is back");
}

TEST_F(ApiTest, NodesAlertsHostsAndPoolsAreShown) {
  const json::object node = body_of(call("GET", cluster_path + "/nodes/gpu-n1"));
  EXPECT_EQ(text(node, "state"), "unhealthy");
  EXPECT_EQ(text(node, "headline"), "GPU 0000:05:00.0: GSP RPC timeout (Xid 119)");
  EXPECT_EQ(text(node.at("repair").as_object(), "id"), "rep-1");
  EXPECT_EQ(node.at("alerts").as_array().size(), 1u);
  EXPECT_EQ(body_of(call("GET", cluster_path + "/nodes?state=healthy")).at("nodes").as_array().size(), 2u);
  const json::object alerts = body_of(call("GET", cluster_path + "/alerts?state=firing&severity=critical&node=gpu-n1"));
  ASSERT_EQ(alerts.at("alerts").as_array().size(), 1u);
  EXPECT_EQ(text(alerts.at("alerts").as_array()[0].as_object(), "node_name"), "gpu-n1");
  EXPECT_EQ(call("GET", cluster_path + "/alerts/alert-1").status, 200);
  EXPECT_EQ(text(body_of(call("GET", cluster_path + "/hosts/host-n2")), "node_name"), "gpu-n2");
  EXPECT_EQ(body_of(call("GET", cluster_path + "/hosts?state=in-use&page_size=2")).at("hosts").as_array().size(), 2u);
  const json::object pools = body_of(call("GET", cluster_path + "/pools"));
  EXPECT_EQ(pools.at("pools").as_array().at(0).as_object().at("unhealthy"), 1);
  const json::object summary = body_of(call("GET", cluster_path + "/summary"));
  EXPECT_EQ(text(summary, "headline"), "1 of 3 nodes are not healthy");
  const json::object opted = body_of(call("PATCH", cluster_path + "/nodes/n2", R"({"auto_repair":false})"));
  EXPECT_FALSE(opted.at("auto_repair").as_bool());
}

TEST_F(ApiTest, TokensAreShownOnceAndRevoked) {
  const net::Response made = call("POST", "/v1/tokens", R"({"name":"ci","role":"operator","expires_in":"90d"})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string secret = text(body_of(made), "token"), id = text(body_of(made), "id");
  EXPECT_EQ(text(body_of(call_as(secret, "GET", "/v1/session")), "role"), "operator");
  const net::Response list = call("GET", "/v1/tokens");
  EXPECT_EQ(list.body.find(secret), std::string::npos);
  EXPECT_EQ(list.body.find("hash"), std::string::npos);
  EXPECT_EQ(body_of(list).at("tokens").as_array().size(), 2u);
  EXPECT_EQ(call("DELETE", "/v1/tokens/" + id).status, 204);
  expect_problem(call_as(secret, "GET", "/v1/session"), 401);
  expect_problem(call("POST", "/v1/tokens", R"({"name":"x","role":"emperor"})"), 400);
}

TEST_F(ApiTest, AnAgentJoinsSpeaksAndIsToldWhenItsSessionIsOver) {
  expect_problem(call("POST", cluster_path + "/tickets", R"({"node":"gpu-none"})"), 404);
  const std::string ticket = text(body_of(call("POST", cluster_path + "/tickets", R"({"node":"gpu-n2"})")), "ticket");
  const auto hello = [&](const std::string& credential, std::string_view boot) {
    return call_as(credential, "POST", "/v1/agent/hello",
                   fmt::format(R"({{"cluster":"demo","node":"gpu-n2","machine_id":"m","boot_id":"{}","stream":"s",
                                   "boot_started_at":"2026-05-01T10:00:00Z","later":"unknown","active":[{{"first":5}}]}})",
                               boot));
  };
  const net::Response joined = hello(ticket, "b1");
  ASSERT_EQ(joined.status, 200) << joined.body;
  const std::string credential = text(body_of(joined), "credential");
  expect_problem(hello(ticket, "b0"), 401);  // spent, by another start
  expect_problem(call_as(credential, "GET", "/v1/compute/clusters"), 403);
  expect_problem(call_as(admin_, "POST", "/v1/agent/heartbeat", "{}"), 403);

  const std::string first = fmt::format("{}", body_of(joined).at("epoch").to_number<int>());
  const auto batch = [&](const std::string& epoch, std::string_view finding) {
    return call_as(credential, "POST", "/v1/agent/findings",
                   fmt::format(R"({{"epoch":{},"stream":"s","first_sequence":1,"findings":[{}]}})", epoch, finding));
  };
  const net::Response taken =
      batch(first, R"({"id":"f1","fault":{"name":"DmesgXidError","code":"79"},"sentence":"x\u0000y"})");
  ASSERT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(body_of(taken).at("acked"), 1);
  // One of a newer agent, with a severity nobody here knows: kept as a note, and the stream goes on.
  EXPECT_EQ(
      batch(first, R"({"id":"f2","severity":"apocalyptic"},{"id":"f3","fault":{"name":"A"},"sentence":"s"})").status,
      200);
  const json::array findings = body_of(call("GET", cluster_path + "/nodes/gpu-n2/findings")).at("findings").as_array();
  ASSERT_EQ(findings.size(), 3u);
  std::set<std::string> names;
  for (const auto& finding : findings) names.insert(text(finding.as_object().at("fault").as_object(), "name"));
  EXPECT_EQ(names, (std::set<std::string>{"A", "DmesgXidError", "UnreadableFinding"}));

  EXPECT_EQ(hello(credential, "b2").status, 200);
  const net::Response stale = call_as(credential, "POST", "/v1/agent/heartbeat",
                                      fmt::format(R"({{"epoch":{},"boot_id":"b1","stream":"s"}})", first));
  expect_problem(stale, 409);
  EXPECT_EQ(text(body_of(stale), "code"), "stale_session");
  expect_problem(call_as(credential, "POST", "/v1/agent/findings", R"({"findings":5})"), 400);
}

}  // namespace
}  // namespace sickbay::api
