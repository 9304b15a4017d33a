// What all resources have in common: who may, what is malformed, how errors look, and what is repeated.
#include <gtest/gtest.h>

#include <set>

#include "store/audit.hpp"
#include "tests/unit/api/api_fixture.hpp"

namespace sickbay::api {
namespace {

TEST_F(ApiTest, NobodyComesInWithoutAGoodToken) {
  for (const std::string& token :
       {std::string(), std::string("wrong"), std::string(5000, 'x'), std::string("\xff\x00", 2)}) {
    const net::Response response = call_as(token, "GET", "/v1/compute/clusters");
    expect_problem(response, 401);
    EXPECT_EQ(net::find_header(response.headers, "WWW-Authenticate"), "Bearer");
  }
}

TEST_F(ApiTest, AnExpiredTokenIsNoToken) {
  const auto made = people_->create_token({"short", Role::viewer, {}, hours{1}}, people_->authenticate(admin_).value());
  EXPECT_EQ(call_as(made->secret, "GET", "/v1/session").status, 200);
  clock_.advance(hours{2});
  expect_problem(call_as(made->secret, "GET", "/v1/session"), 401);
}

TEST_F(ApiTest, AViewerLooksAndDoesNotTouch) {
  const std::string viewer = token_of(Role::viewer);
  EXPECT_EQ(call_as(viewer, "GET", repair_path).status, 200);
  expect_problem(call_as(viewer, "POST", repair_path + "/approve"), 403);
  expect_problem(call_as(viewer, "PUT", cluster_path + "/policy", R"({"policy":{}})"), 403);
  expect_problem(call_as(viewer, "GET", "/v1/audit"), 403);
  EXPECT_EQ(repair().state, RepairState::PENDING_APPROVAL);
}

TEST_F(ApiTest, AClusterOfOthersIsNotThere) {
  const std::string stranger = token_of(Role::operator_, {"clu-9"});
  expect_problem(call_as(stranger, "GET", cluster_path), 404);
  expect_problem(call_as(stranger, "POST", repair_path + "/approve"), 404);
  const json::object seen = body_of(call_as(stranger, "GET", "/v1/compute/clusters"));
  EXPECT_TRUE(seen.at("clusters").as_array().empty());
}

TEST_F(ApiTest, WhatIsNotThereSaysSo) {
  expect_problem(call("GET", "/v1/nothing"), 404);
  expect_problem(call("GET", cluster_path + "/nodes/none"), 404);
  expect_problem(call("GET", cluster_path + "/alerts/none"), 404);
  expect_problem(call("GET", cluster_path + "/instances/n2/remediations/rep-1"), 404);
  const net::Response wrong_method = call("DELETE", cluster_path + "/policy");
  EXPECT_EQ(wrong_method.status, 405);
  EXPECT_EQ(net::find_header(wrong_method.headers, "Allow"), "GET, PUT");
}

TEST_F(ApiTest, BrokenBodiesAreMalformed) {
  for (const std::string& body :
       {std::string("{"), std::string("[]"), std::string("\"x\""), std::string("{\"reason\":\"a\\u0000b\"}"),
        std::string("{\"reason\":\"\xff\"}"), std::string("{\"reason\":5}"), std::string("{\"reason\":\"a\"} x"),
        std::string(100, '['), std::string("{\"reason\":\"a\0b\"}", 16)}) {
    expect_problem(call("POST", cluster_path + "/breaker/reset", body), 400);
  }
}

TEST_F(ApiTest, UnknownMembersAndParametersAreErrorsOnOurRoutesOnly) {
  const net::Response member = call("POST", cluster_path + "/breaker/reset", R"({"reason":"ok","force":true})");
  expect_problem(member, 400);
  EXPECT_EQ(text(body_of(member), "field"), "force");
  const net::Response parameter = call("GET", cluster_path + "/alerts?stat=firing");
  expect_problem(parameter, 400);
  EXPECT_EQ(text(body_of(parameter), "field"), "stat");
  EXPECT_EQ(call("GET", "/v1/compute/clusters?projectId=1").status, 200);
  EXPECT_EQ(call("POST", repair_path + "/approve", R"({"comment":"yes","newer":1})").status, 200);
}

TEST_F(ApiTest, UnknownEnumValuesAreNamed) {
  for (const char* target : {"/alerts?state=burning", "/alerts?severity=x", "/nodes?state=x", "/hosts?state=x",
                             "/instances/-/remediations?state=X", "/instances/-/remediations?mode=X",
                             "/instances/-/remediations?trigger=X", "/instances/-/remediations?order_by=X"}) {
    expect_problem(call("GET", cluster_path + target), 400);
  }
  const net::Response mode =
      call("POST", cluster_path + "/instances/n2/remediations", R"({"mode":"REMEDIATION_MODE_PRAY"})");
  expect_problem(mode, 400);
  EXPECT_EQ(text(body_of(mode), "field"), "mode");
}

TEST_F(ApiTest, PageSizesAndTokensAreChecked) {
  for (const char* query : {"?page_size=0", "?page_size=x", "?page_size=-1"}) {
    expect_problem(call("GET", cluster_path + "/alerts" + query), 400);
  }
  EXPECT_EQ(call("GET", cluster_path + "/alerts?page_size=99999").status, 200);
  expect_problem(call("GET", cluster_path + "/alerts?page_token=nonsense"), 400);
}

TEST_F(ApiTest, PagesFollowOneAnother) {
  std::vector<std::string> names;
  std::string token;
  for (int pages = 0; pages < 5; ++pages) {
    const json::object page = body_of(call("GET", cluster_path + "/nodes?page_size=2&page_token=" + token));
    for (const auto& node : page.at("nodes").as_array()) names.push_back(text(node.as_object(), "name"));
    token = text(page, "next_page_token");
    EXPECT_EQ(page.at("has_next").as_bool(), !token.empty());
    if (token.empty()) break;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"gpu-n1", "gpu-n2", "gpu-n3"}));
}

TEST_F(ApiTest, AnIdempotencyIdGivesTheFirstAnswerAgain) {
  const net::Headers key{{"Idempotency-Key", "k1"}};
  const net::Response first = call("PUT", cluster_path + "/policy", R"({"policy":{"confirmation":"automatic"}})", key);
  EXPECT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(body_of(first).at("version"), 2);
  EXPECT_EQ(
      body_of(call("PUT", cluster_path + "/policy", R"({"policy":{"confirmation":"automatic"}})", key)).at("version"),
      2);
  expect_problem(call("PUT", cluster_path + "/policy", R"({"policy":{}})", key), 409);
  EXPECT_EQ(body_of(call("GET", cluster_path + "/policy")).at("version"), 2);
  expect_problem(call("POST", "/v1/tokens", R"({"name":"x"})", key), 400);  // its answer is not kept
}

TEST_F(ApiTest, WhatPeopleDidAndWereRefusedIsInTheAuditLog) {
  EXPECT_EQ(call("POST", repair_path + "/approve", R"({"comment":"go"})").status, 200);
  const std::string viewer = token_of(Role::viewer);
  call_as(viewer, "POST", repair_path + "/cancel");
  std::vector<std::string> rows;
  const auto audit =
      store_->read([](store::Tx& tx) -> Result<std::vector<AuditRow>> { return store::unpublished_audit(tx, 100); });
  for (const auto& row : *audit) {
    rows.push_back(row.principal + ": " + row.verb.substr(0, 4) + " " + row.outcome);
  }
  EXPECT_EQ(rows, (std::vector<std::string>{"sickbay: toke done", "admin: POST done", "admin: toke done",
                                            "somebody: POST refused with 403"}));
}

TEST_F(ApiTest, TheOpenApiDocumentHasEveryRoute) {
  const net::Response response = call_as("", "GET", "/openapi.json");
  ASSERT_EQ(response.status, 200);
  const json::object paths = body_of(response).at("paths").as_object();
  std::set<std::string> ids;
  for (const Route& route : api_->routes()) {
    const json::value* path = paths.if_contains(route.path);
    ASSERT_TRUE(path) << route.path;
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(c + 32);
    const json::value* operation = path->as_object().if_contains(method);
    ASSERT_TRUE(operation) << route.method << " " << route.path;
    EXPECT_TRUE(ids.insert(text(operation->as_object(), "operationId")).second) << route.path;
    EXPECT_EQ(operation->as_object().contains("requestBody"), route.body != nullptr);
  }
}

TEST_F(ApiTest, TheOpenApiDocumentSaysTheStatusThatIsAnswered) {
  const json::object document = body_of(call_as("", "GET", "/openapi.json"));
  const auto statuses = [&](const std::string& path, const char* method) {
    return document.at("paths").at(path).at(method).at("responses").as_object();
  };
  EXPECT_TRUE(statuses("/v1/tokens", "post").contains("201"));
  EXPECT_TRUE(statuses("/v1/tokens/{token}", "delete").contains("204"));
  EXPECT_TRUE(statuses("/v1/compute/clusters/{cluster}/tickets", "post").contains("201"));
  EXPECT_TRUE(statuses("/v1/compute/clusters/{cluster}", "delete").contains("200"));
  EXPECT_EQ(call("POST", cluster_path + "/tickets", R"({"node":"gpu-n2"})").status, 201);
}

TEST_F(ApiTest, AliveAndReadyNeedNoToken) {
  EXPECT_EQ(call_as("", "GET", "/healthz").status, 200);
  EXPECT_EQ(call_as("", "GET", "/readyz").status, 200);
  expect_problem(call_as("", "GET", "/metrics"), 401);
  const net::Response metrics = call("GET", "/metrics");
  EXPECT_NE(metrics.body.find("sickbay_nodes{cluster=\"demo\",state=\"healthy\"} 2"), std::string::npos)
      << metrics.body;
}

TEST_F(ApiTest, BodiesAreBoundedByTheirRoute) {
  EXPECT_EQ(api_->body_bytes("POST", "/v1/agent/findings"), 1024u * 1024);
  EXPECT_EQ(api_->body_bytes("POST", repair_path + "/approve"), 64u * 1024);
  EXPECT_EQ(api_->body_bytes("POST", "/v1/nothing"), 64u * 1024);
}

}  // namespace
}  // namespace sickbay::api
