// The command line over real HTTP, against a scripted server: how it asks, what it makes of answers that our own server
// would not give, and wrong use. What it shows of real answers is in commands_test.cpp.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>

#include "cli/format.hpp"
#include "cli/server.hpp"
#include "cli/table.hpp"
#include "net/server.hpp"
#include "resources/remediation.hpp"
#include "tests/unit/cli/console.hpp"

namespace sickbay::cli {
namespace {

constexpr std::string_view kRepair =
    R"({"id":"rep-0123456789abcdef01234567","instance_name":"gpu-003","instance_id":"n1",
  "mode":"REMEDIATION_MODE_REBOOT_VM","state":"PENDING_APPROVAL","reason":"DmesgXidError/119 on GPU 0000:18:00.0",
  "create_time":"2027-01-15T07:59:00Z","newer_than_us":1,
  "sickbay":{"revision":3,"step":"ask","waits_for":["an approver"]}})";

// A server that answers what it was told to and remembers what it was asked.
class Scripted : public testing::Test {
 protected:
  struct Asked {
    std::string method, target, body, authorization;
  };

  void SetUp() override {
    auto started = net::Server::start({}, [this](net::Request request) { return answer(request); });
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
    answers["GET /v1/compute/clusters"] = R"({"clusters":[{"cluster_id":"c1","cluster_name":"demo"}]})";
  }

  net::Response answer(const net::Request& request) {
    const std::lock_guard lock(mutex_);
    asked.push_back(
        {request.method, request.target, request.body, std::string(request.header("Authorization").value_or(""))});
    const std::string path = request.method + " " + request.target.substr(0, request.target.find('?'));
    net::Response response;
    const auto found = answers.find(request.method + " " + request.target);
    const auto whole = found == answers.end() ? answers.find(path) : found;
    if (whole == answers.end()) {
      response.status = 404;
      response.body = R"({"title":"Not Found","status":404,"detail":"there is nothing at )" + path + R"("})";
      return response;
    }
    response.body = whole->second;
    if (const auto status = statuses.find(path); status != statuses.end()) response.status = status->second;
    return response;
  }

  int run(std::vector<std::string> arguments) {
    console_.environment.try_emplace("SICKBAY_SERVER", "http://127.0.0.1:" + std::to_string(server_->port()));
    console_.environment.try_emplace("SICKBAY_TOKEN", "secret");
    return console_.run(std::move(arguments), clock_);
  }

  std::map<std::string, std::string> answers;
  std::map<std::string, int> statuses;
  std::vector<Asked> asked;
  Console console_;
  std::ostringstream &out = console_.out, &err = console_.err;
  std::map<std::string, std::string>& environment = console_.environment;
  ManualClock clock_;
  std::mutex mutex_;
  std::unique_ptr<net::Server> server_;

  static constexpr const char* kAll = "/v1/compute/clusters/c1/instances/-/remediations";
};

TEST_F(Scripted, JsonIsOneDocumentWithEverythingTheServerSaid) {
  answers[std::string("GET ") + kAll] = R"({"remediations":[)" + std::string(kRepair) + R"(],"has_next":false})";
  EXPECT_EQ(run({"repairs", "list", "--json"}), 0) << err.str();
  const auto value = parse_json(out.str());
  ASSERT_TRUE(value) << out.str();
  EXPECT_EQ(value->at("remediations").at(0), *parse_json(kRepair));
}

TEST_F(Scripted, AListIsReadToItsLastPage) {
  const std::string path = std::string("GET ") + kAll;
  answers[path + "?page_size=50"] = R"({"remediations":[)" + std::string(kRepair) + R"(],"next_page_token":"more"})";
  answers[path + "?page_size=49&page_token=more"] = R"({"remediations":[)" + std::string(kRepair) + "]}";
  EXPECT_EQ(run({"repairs", "--json"}), 0) << err.str();
  EXPECT_EQ(parse_json(out.str())->at("remediations").as_array().size(), 2U);
}

TEST_F(Scripted, ApproveSaysWhichRevisionItSaw) {
  answers[std::string("GET ") + kAll] = R"({"remediations":[)" + std::string(kRepair) + "]}";
  answers[std::string("GET ") + kAll + "/rep-0123456789abcdef01234567"] = kRepair;
  answers[std::string("POST ") + kAll + "/rep-0123456789abcdef01234567/approve"] = kRepair;
  EXPECT_EQ(run({"repairs", "approve", "0123", "--action", "migrate", "--comment", "third time"}), 0) << err.str();
  ASSERT_EQ(asked.back().method, "POST");
  const auto body = from_json_text<resources::Approval>(asked.back().body, Reading::strict);
  ASSERT_TRUE(body) << asked.back().body;
  EXPECT_EQ(body->revision, 3U);
  EXPECT_EQ(body->mode, "REMEDIATION_MODE_HOST_AWARE");
  EXPECT_EQ(body->comment, "third time");
  EXPECT_EQ(asked.back().authorization, "Bearer secret");
}

TEST_F(Scripted, AnAbbreviationThatFitsTwoRepairsIsRefusedWithBoth) {
  std::string other(kRepair);
  other.replace(other.find("01234567\""), 8, "0123456f");
  answers[std::string("GET ") + kAll] = R"({"remediations":[)" + std::string(kRepair) + "," + other + "]}";
  EXPECT_EQ(run({"repairs", "why", "rep-0"}), 1);
  EXPECT_NE(err.str().find("rep-0123456789abcdef01234567"), std::string::npos) << err.str();
  EXPECT_NE(err.str().find("rep-0123456789abcdef0123456f"), std::string::npos) << err.str();
}

TEST_F(Scripted, TheProblemDocumentsOwnWordsAreShown) {
  answers["GET /v1/compute/clusters/c1/breaker"] = R"({"open":true,"why":"a storm"})";
  answers["POST /v1/compute/clusters/c1/breaker/reset"] =
      R"({"title":"Conflict","detail":"the breaker is closed already"})";
  statuses["POST /v1/compute/clusters/c1/breaker/reset"] = 409;
  EXPECT_EQ(run({"breaker", "reset", "--reason", "x"}), 1);
  EXPECT_EQ(err.str(), "sickbay: the breaker is closed already\n");
  EXPECT_EQ(run({"breaker"}), 0);
  EXPECT_NE(out.str().find("OPEN"), std::string::npos);
}

TEST_F(Scripted, AnAnswerThatDoesNotReadIsSaidWithTheMemberAndPrintedAllTheSameForPrograms) {
  answers["GET /v1/compute/clusters/c1/breaker"] = R"({"open":"perhaps"})";
  EXPECT_EQ(run({"breaker"}), 1);
  EXPECT_NE(err.str().find("open"), std::string::npos) << err.str();
  EXPECT_NE(err.str().find("version"), std::string::npos) << err.str();
  EXPECT_EQ(run({"breaker", "--json"}), 0) << err.str();
  EXPECT_EQ(out.str(), "{\"open\":\"perhaps\"}\n");
}

TEST_F(Scripted, APolicyOfANewerServerIsNotPrintedWithoutWhatItHasMore) {
  answers["GET /v1/compute/clusters/c1/policy"] = R"({"version":2,"policy":{"newer_than_us":true}})";
  EXPECT_EQ(run({"policy"}), 1);
  EXPECT_NE(err.str().find("policy.newer_than_us"), std::string::npos) << err.str();
}

TEST_F(Scripted, WrongUseIsNotFailure) {
  EXPECT_EQ(run({"repairs", "approve"}), 2);
  EXPECT_EQ(run({"repairs", "create", "gpu-1", "explode"}), 2);
  EXPECT_EQ(run({"nonsense"}), 2);
  EXPECT_EQ(run({}), 2);
  EXPECT_EQ(run({"--help"}), 0);
  EXPECT_TRUE(asked.empty());
}

TEST_F(Scripted, WithoutAServerItSaysHowToNameOne) {
  environment["SICKBAY_SERVER"] = "";
  EXPECT_EQ(run({"nodes"}), 1);
  EXPECT_NE(err.str().find("SICKBAY_SERVER"), std::string::npos) << err.str();
}

TEST_F(Scripted, TheConfigurationFileIsReadAndItsFaultsNamed) {
  const std::string home = testing::TempDir() + "cli-home";
  ASSERT_EQ(std::system(("mkdir -p " + home + "/sickbay").c_str()), 0);
  environment["XDG_CONFIG_HOME"] = home;
  std::ofstream(home + "/sickbay/config.json") << R"({"server": "http://127.0.0.1:1", "sever": 1})";
  EXPECT_EQ(run({"nodes"}), 1);
  EXPECT_NE(err.str().find("config.json: 'sever'"), std::string::npos) << err.str();
}

TEST_F(Scripted, APolicyFileIsCheckedBeforeItIsSent) {
  const std::string path = testing::TempDir() + "policy.yaml";
  std::ofstream(path) << "confirmation: automatic\nwait:\n  at_mostt: 1h\n";
  EXPECT_EQ(run({"policy", "put", path}), 1);
  EXPECT_NE(err.str().find("wait.at_mostt"), std::string::npos) << err.str();
  EXPECT_TRUE(asked.empty());
}

TEST_F(Scripted, CreateSendsTheSameIdWhenAskedToAgain) {
  answers["GET /v1/compute/clusters/c1/nodes/gpu-003"] = R"({"id":"n1","name":"gpu-003"})";
  answers["POST /v1/compute/clusters/c1/instances/n1/remediations"] = kRepair;
  EXPECT_EQ(run({"repairs", "create", "gpu-003", "reboot", "--reason", "odd", "--request-id", "r7"}), 0) << err.str();
  EXPECT_NE(asked.back().target.find("remediation_id=r7"), std::string::npos) << asked.back().target;
}

TEST_F(Scripted, EvidenceCannotPlayTricksWithTheTerminal) {
  answers["GET /v1/compute/clusters/c1/nodes/n1/why"] = "{\"why\":[\"red \\u001b[31malert\\u0007\"]}";
  EXPECT_EQ(run({"nodes", "why", "n1"}), 0) << err.str();
  EXPECT_EQ(out.str(), "red [31malert\n");
}

TEST(Events, AreReadFromBytesHoweverTheyAreCut) {
  const std::string text =
      "retry: 2000\n: hello\n\nid: 7\nevent: repair-state\ndata: {\"a\":\ndata: 1}\n\nid: 8\r\ndata: x\r\n\r\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EventReader reader;
    std::vector<StreamEvent> all;
    for (std::size_t at = 0; at < text.size(); at += size) {
      for (auto& event : reader.feed(std::string_view(text).substr(at, size))) all.push_back(event);
    }
    ASSERT_EQ(all.size(), 2U) << size;
    EXPECT_EQ(all[0].id, "7");
    EXPECT_EQ(all[0].data, "{\"a\":\n1}");
    EXPECT_EQ(all[1].data, "x");
  }
}

TEST(Words, LengthsAreForPeople) {
  EXPECT_EQ(length(Duration{69865573}), "1m 10s");
  EXPECT_EQ(length(hours{2}), "2h 0m");
  EXPECT_EQ(length(std::nullopt), "");
}

TEST(Words, AgesAreShort) {
  const Time now = *parse_time("2026-05-01T12:00:00Z");
  EXPECT_EQ(age(now - seconds{59}, now), "59s");
  EXPECT_EQ(age(now - hours{1}, now), "60m");
  EXPECT_EQ(age(now - hours{24}, now), "24h");
  EXPECT_EQ(age(now - hours{24 * 30}, now), "30d");
  EXPECT_EQ(age(std::nullopt, now), "-");
}

TEST(Escape, ANameCannotLeaveItsPlaceInThePath) {
  EXPECT_EQ(escape("../x?y#z%"), "..%2Fx%3Fy%23z%25");
}

}  // namespace
}  // namespace sickbay::cli
