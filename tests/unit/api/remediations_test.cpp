// Repairs over HTTP: Together's shapes to the letter, and what decisions answer.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "store/alerts.hpp"
#include "store/repairs.hpp"
#include "tests/unit/api/api_fixture.hpp"

namespace sickbay::api {
namespace {

TEST_F(ApiTest, ARemediationHasTheGivenShape) {
  const json::object remediation = body_of(call("GET", repair_path));
  EXPECT_EQ(text(remediation, "id"), "rep-1");
  EXPECT_EQ(text(remediation, "cluster_id"), "clu-1");
  EXPECT_EQ(text(remediation, "instance_id"), "n1");
  EXPECT_EQ(text(remediation, "instance_name"), "gpu-n1");
  EXPECT_EQ(text(remediation, "mode"), "REMEDIATION_MODE_REBOOT_VM");
  EXPECT_EQ(text(remediation, "state"), "PENDING_APPROVAL");
  EXPECT_EQ(text(remediation, "trigger"), "REMEDIATION_TRIGGER_AUTOMATED");
  EXPECT_EQ(text(remediation, "passive_health_check_event_id"), "finding-1");
  EXPECT_EQ(text(remediation, "create_time"), format_time(clock_.now()));
  for (const char* absent : {"review_time", "start_time", "end_time"})
    EXPECT_FALSE(remediation.contains(absent)) << absent;
  for (const char* empty : {"reviewed_by", "review_comment", "error_message", "active_health_check_run_id"}) {
    EXPECT_EQ(text(remediation, empty), "") << empty;
  }
  const json::object& alert = remediation.at("linked_alerts").as_array().at(0).as_object();
  EXPECT_EQ(text(alert, "passive_health_check_alert_id"), "alert-1");
  EXPECT_EQ(text(alert, "alert_name"), "DmesgXidError");
  EXPECT_EQ(text(alert, "severity"), "PHC_SEVERITY_CRITICAL");
  EXPECT_EQ(text(alert, "started_at"), format_time(clock_.now()));
  EXPECT_EQ(text(alert, "resolved_at"), "");
  EXPECT_EQ(text(alert, "target_vm"), "gpu-n1");
  EXPECT_EQ(text(alert, "instance_id"), "n1");
  EXPECT_EQ(text(alert, "node_remediation_intent_id"), "rep-1");
  for (const auto& annotation : alert.at("annotations").as_object()) EXPECT_TRUE(annotation.value().is_string());
  const json::object& annotation = alert.at("annotation").as_object();
  EXPECT_EQ(text(annotation, "title"), "DmesgXidError/119");
  EXPECT_EQ(text(annotation, "summary_line"), "GPU 0000:05:00.0: GSP RPC timeout (Xid 119)");
  const json::object& xid = annotation.at("xid").as_object().at("events").as_array().at(0).as_object();
  EXPECT_EQ(text(xid, "xid_code"), "119");
  EXPECT_EQ(text(xid, "mnemonic"), "GSP_RPC_TIMEOUT");
  EXPECT_EQ(xid.at("count"), 3);
}

TEST_F(ApiTest, ListsFilterByCommaJoinedValues) {
  const auto count = [&](std::string_view instance, std::string_view query) {
    const json::object list =
        body_of(call("GET", fmt::format("{}/instances/{}/remediations{}", cluster_path, instance, query)));
    EXPECT_FALSE(list.at("has_next").as_bool());
    EXPECT_EQ(text(list, "next_page_token"), "");
    return list.at("remediations").as_array().size();
  };
  EXPECT_EQ(count("-", ""), 1u);
  EXPECT_EQ(count("n1", ""), 1u);
  EXPECT_EQ(count("gpu-n1", ""), 1u);
  EXPECT_EQ(count("n2", ""), 0u);
  EXPECT_EQ(count("-", "?state=PENDING,PENDING_APPROVAL"), 1u);
  EXPECT_EQ(count("-", "?state=PENDING%2CRUNNING"), 0u);
  EXPECT_EQ(
      count("-", "?mode=REMEDIATION_MODE_VM_ONLY,REMEDIATION_MODE_REBOOT_VM&trigger=REMEDIATION_TRIGGER_AUTOMATED"),
      1u);
  EXPECT_EQ(count("-", "?trigger=REMEDIATION_TRIGGER_MANUAL"), 0u);
  EXPECT_EQ(count("-", "?order_by=create_time%20asc&unknown=1"), 1u);
}

TEST_F(ApiTest, ApprovingTwiceByTheSamePersonIsFine) {
  const json::object approved = body_of(call("POST", repair_path + "/approve", R"({"comment":"go"})"));
  EXPECT_EQ(text(approved, "state"), "PENDING");
  EXPECT_EQ(text(approved, "reviewed_by"), "admin");
  EXPECT_EQ(text(approved, "review_comment"), "go");
  EXPECT_EQ(call("POST", repair_path + "/approve", R"({"comment":"go"})").status, 200);
  const net::Response other = call_as(token_of(Role::operator_), "POST", repair_path + "/reject");
  expect_problem(other, 409);
  EXPECT_EQ(net::find_header(other.headers, "x-should-retry"), "false");
}

TEST_F(ApiTest, ARecommendationRaisedJustNowIsShownBeforeItIsApproved) {
  write([&](store::Tx& tx) {
    Repair raised = *store::get_repair(tx, "rep-1");
    raised.recommended = raised.action = Action::migrate;
    raised.created_at = clock_.now() - minutes{10};
    raised.recommended_at = clock_.now() - seconds{20};
    raised.revision = 2;
    store::put_repair(tx, raised);
  });
  const net::Response late = call("POST", repair_path + "/approve");
  expect_problem(late, 409);
  EXPECT_EQ(net::find_header(late.headers, "x-should-retry"), "false");
  const json::object problem = body_of(late);
  EXPECT_EQ(text(problem, "code"), "recommendation_raised");
  EXPECT_EQ(text(problem.at("remediation").as_object(), "mode"), "REMEDIATION_MODE_HOST_AWARE");
  expect_problem(call("POST", repair_path + "/approve", R"({"revision":1})"), 409);
  EXPECT_EQ(repair().state, RepairState::PENDING_APPROVAL);
  EXPECT_EQ(call("POST", repair_path + "/approve", R"({"revision":2})").status, 200);
}

TEST_F(ApiTest, AnotherActionNeedsACommentAndIsNotAPowerCycle) {
  expect_problem(call("POST", repair_path + "/approve", R"({"mode":"REMEDIATION_MODE_VM_ONLY"})"), 422);
  expect_problem(
      call("POST", repair_path + "/approve", R"({"mode":"REMEDIATION_MODE_HOST_POWER_CYCLE","comment":"x"})"), 422);
  const json::object approved =
      body_of(call("POST", repair_path + "/approve", R"({"mode":"REMEDIATION_MODE_VM_ONLY","comment":"disk too"})"));
  EXPECT_EQ(text(approved, "mode"), "REMEDIATION_MODE_VM_ONLY");
}

TEST_F(ApiTest, RejectedIsCancelled) {
  const json::object rejected = body_of(call("POST", repair_path + "/reject", R"({"comment":"known"})"));
  EXPECT_EQ(text(rejected, "reviewed_by"), "admin");
  expect_problem(call("POST", repair_path + "/approve"), 409);
}

TEST_F(ApiTest, ARemediationIdMakesOneRepairAndNotTwoKinds) {
  write([&](store::Tx& tx) {
    Alert alert = *store::get_alert(tx, "alert-1");
    alert.id = "alert-2";
    alert.node = "n2";
    alert.host = "host-n2";
    store::put_alert(tx, alert);
  });
  const std::string path = cluster_path + "/instances/gpu-n2/remediations?remediation_id=mine";
  const std::string body = R"({"mode":"REMEDIATION_MODE_REBOOT_VM","reason":"flaky"})";
  const net::Response first = call("POST", path, body);
  ASSERT_EQ(first.status, 200) << first.body;
  const json::object made = body_of(first);
  EXPECT_EQ(text(made, "state"), "PENDING");
  EXPECT_EQ(text(made, "trigger"), "REMEDIATION_TRIGGER_MANUAL");
  EXPECT_EQ(text(body_of(call("POST", path, body)), "id"), text(made, "id"));
  expect_problem(call("POST", path, R"({"mode":"REMEDIATION_MODE_VM_ONLY","reason":"flaky"})"), 409);
  expect_problem(call("POST", cluster_path + "/instances/n2/remediations", body), 409);  // one open repair per node
}

TEST_F(ApiTest, ARequestWithoutEvidenceIsRefusedWithWhatIsMissing) {
  const net::Response refused =
      call("POST", cluster_path + "/instances/n3/remediations", R"({"mode":"REMEDIATION_MODE_REBOOT_VM"})");
  expect_problem(refused, 422);
  EXPECT_NE(text(body_of(refused), "detail").find("evidence"), std::string::npos);
}

TEST_F(ApiTest, ADryRunShowsAndMakesNothing) {
  const net::Response preview = call("POST", cluster_path + "/instances/n3/remediations?dry_run=true",
                                     R"({"mode":"REMEDIATION_MODE_REBOOT_VM","reason":"x","override_evidence":true})");
  EXPECT_EQ(preview.status, 200) << preview.body;
  EXPECT_TRUE(body_of(call("GET", cluster_path + "/instances/n3/remediations")).at("remediations").as_array().empty());
}

TEST_F(ApiTest, WhyIsInSentences) {
  EXPECT_FALSE(body_of(call("GET", repair_path + "/why")).at("why").as_array().empty());
  EXPECT_FALSE(body_of(call("GET", cluster_path + "/nodes/gpu-n1/why")).at("why").as_array().empty());
}

}  // namespace
}  // namespace sickbay::api
