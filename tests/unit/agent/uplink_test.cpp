// The talk with a server that is right, wrong, rude, slow, gone and back.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "net/client.hpp"
#include "tests/unit/agent/rig.hpp"

namespace sickbay::agent {
namespace {

TEST(Uplink, AFindingIsDeliveredOnceAndForgotten) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  ASSERT_EQ(good.findings.size(), 1U);
  EXPECT_EQ(good.findings[0].fault.text(), "DmesgXidError/119");
  EXPECT_EQ(good.findings[0].device, "0000:3b:00.0");
  EXPECT_EQ(good.findings[0].boot_id, "boot-1");
  EXPECT_EQ(good.hellos.at(0).node, "gpu-1");
  EXPECT_EQ(good.hellos.at(0).machine_id, "machine-1");
  EXPECT_EQ(server.requests.at(0).bearer, "ticket-1");
  EXPECT_EQ(server.accepted(), 1U) << "one connection carries everything";
}

TEST(Uplink, ATicketBecomesACredentialThatIsKeptForTheOwnerAlone) {
  Rig rig;
  GoodServer good;
  good.credential = "secret-1";
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(server.requests.back().bearer, "secret-1");
  const auto rights = std::filesystem::status(rig.scratch / "state/credential").permissions();
  EXPECT_EQ(rights, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  rig.agent->stop();
  good.credential.clear();
  rig.start(server.url());  // the same ticket is still given, but it is spent
  ASSERT_TRUE(run_until(rig.io, [&] { return good.hellos.size() == 2; }));
  EXPECT_EQ(server.requests.back().bearer, "secret-1");
}

TEST(Uplink, AnUnknownTicketFallsBackToTheCredential) {
  Rig rig;
  GoodServer good;
  rig.scratch.write("state/credential", "secret-1\n");
  FakeServer server(rig.io, [&](const FakeServer::Request& request) {
    return request.bearer == "secret-1" ? good(request) : http(401, R"({"title":"Unauthorized"})");
  });
  rig.start(server.url());
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(server.requests.at(0).bearer, "ticket-1");
  EXPECT_EQ(server.requests.at(1).bearer, "secret-1");
}

TEST(Uplink, WithAWrongCredentialItWaitsSaysSoAndLosesNothing) {
  Rig rig;
  GoodServer good;
  bool known = false;
  FakeServer server(rig.io, [&](const FakeServer::Request& request) {
    return known ? good(request) : http(401, R"({"detail":"this ticket has expired"})");
  });
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(run_until(rig.io, [&] { return !rig.agent->standing().problem.empty(); }));
  EXPECT_NE(rig.agent->standing().problem.find("this ticket has expired"), std::string::npos);
  EXPECT_FALSE(rig.agent->standing().connected);
  known = true;
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(good.findings.size(), 1U);
}

TEST(Uplink, AStaleSessionSaysHelloAgain) {
  Rig rig;
  GoodServer good;
  bool stale = true;
  FakeServer server(rig.io, [&](const FakeServer::Request& request) {
    if (request.target == "/v1/agent/findings" && std::exchange(stale, false)) {
      return http(409, R"({"title":"Conflict","code":"stale_session","detail":"a later session is there"})");
    }
    return good(request);
  });
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(good.hellos.size(), 2U);
  EXPECT_EQ(rig.agent->standing().epoch, 2U);
  EXPECT_EQ(good.findings.size(), 1U);
}

TEST(Uplink, AnotherConflictDoesNotEndTheSession) {
  Rig rig;
  GoodServer good;
  int conflicts = 1;
  FakeServer server(rig.io, [&](const FakeServer::Request& request) {
    if (request.target == "/v1/agent/findings" && conflicts-- > 0) return http(409, R"({"code":"other"})");
    return good(request);
  });
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(good.hellos.size(), 1U);
}

TEST(Uplink, WhateverTheServerAnswersNothingIsLost) {
  const std::vector<std::string> rude = {
      http(500, "oops"),
      http(503, "{}", "Retry-After: 0\r\n"),
      http(429, "{}"),
      http(404, "{}"),
      http(200, "not json"),
      http(200, "{}"),  // acknowledges nothing
      http(200, R"({"acked":0})"),
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"acked\":1}",  // shorter than it says, then silence
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",       // longer than we take
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "\x16\x03\x01 garbage\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA: " + std::string(100U << 10, 'h') + "\r\n\r\n",
      "",  // closes
  };
  for (const std::string& answer : rude) {
    Rig rig;
    GoodServer good;
    bool first = true;
    std::unique_ptr<FakeServer> server;
    server = std::make_unique<FakeServer>(rig.io, [&](const FakeServer::Request& request) {
      if (request.target != "/v1/agent/findings" || !std::exchange(first, false)) return good(request);
      // What is cut off is followed by a close: the deadline of a silent server has a test of its own.
      if (answer.find("Content-Length: 100\r\n") != std::string::npos) {
        asio::post(rig.io, [&] { server->drop_connections(); });
      }
      return answer;
    });
    rig.start(server->url());
    rig.say(xid(119));
    ASSERT_TRUE(rig.delivered()) << answer.substr(0, 100);
    ASSERT_EQ(good.findings.size(), 1U) << answer.substr(0, 100);
  }
}

TEST(Uplink, AnEndlessAnswerIsCutOff) {
  Rig rig;
  GoodServer good;
  bool first = true;
  FakeServer server(rig.io, [&](const FakeServer::Request& request) {
    if (request.target == "/v1/agent/findings" && std::exchange(first, false)) {
      return std::string("HTTP/1.1 200 OK\r\n\r\n\r\n\r\nendless");
    }
    return good(request);
  });
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(good.findings.size(), 1U);
}

TEST(Uplink, ASilentServerIsLeftAtTheDeadline) {
  asio::io_context io(1);
  asio::ip::tcp::acceptor silent(io, {asio::ip::make_address("127.0.0.1"), 0});
  net::ClientOptions options;
  options.deadline = milliseconds{50};
  auto client = net::Client::make(io, fmt::format("http://127.0.0.1:{}", silent.local_endpoint().port()), options);
  ASSERT_TRUE(client);
  std::optional<Result<net::Answer>> answer;
  asio::co_spawn(
      io, [&]() -> asio::awaitable<void> { answer = co_await (*client)->request("POST", "/", "{}", ""); },
      asio::detached);
  ASSERT_TRUE(run_until(io, [&] { return answer.has_value(); }));
  ASSERT_FALSE(*answer);
  EXPECT_EQ((*answer).error().code, Errc::timeout);
}

TEST(Uplink, AServerThatIsDownAndComesBackGetsEverything) {
  Rig rig;
  GoodServer good;
  unsigned short port = 0;
  {
    FakeServer reserve(rig.io, std::ref(good));
    port = reserve.port();
  }
  rig.start(fmt::format("http://127.0.0.1:{}", port));
  for (int i = 0; i < 20; ++i) rig.say(xid(119, fmt::format("0000:{:02x}:00", i + 1)));
  ASSERT_TRUE(run_until(rig.io, [&] { return !rig.agent->standing().problem.empty(); }));
  EXPECT_EQ(rig.agent->standing().pending, 20U);
  FakeServer server(rig.io, std::ref(good), port);
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(good.findings.size(), 20U);
}

TEST(Uplink, AConnectionThatWasClosedWhileIdleIsNoFailure) {
  Rig rig;
  GoodServer good;
  FakeServer server(rig.io, std::ref(good));
  rig.start(server.url());
  rig.say(xid(119));
  ASSERT_TRUE(rig.delivered());
  server.drop_connections();
  rig.say(xid(95));
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(good.findings.size(), 2U);
  EXPECT_EQ(good.hellos.size(), 1U);
  EXPECT_TRUE(rig.agent->standing().problem.empty());
}

TEST(Uplink, AFindingTheServerRefusesForEverDoesNotBlockTheOthers) {
  Rig rig;
  GoodServer good;
  unsigned short port = 0;
  {
    FakeServer reserve(rig.io, std::ref(good));
    port = reserve.port();
  }
  rig.start(fmt::format("http://127.0.0.1:{}", port));
  for (int i = 0; i < 40; ++i) rig.say(xid(119, fmt::format("0000:{:02x}:00", i + 1)));
  FakeServer server(
      rig.io,
      [&](const FakeServer::Request& request) {
        return request.body.find("0000:07:00.0") != std::string::npos && request.target == "/v1/agent/findings"
                   ? http(422, R"({"detail":"no"})")
                   : good(request);
      },
      port);
  ASSERT_TRUE(rig.delivered());
  EXPECT_EQ(good.findings.size(), 39U);
  EXPECT_EQ(rig.agent->standing().dropped, 1U);
}

TEST(Uplink, PlainHttpToAnotherMachineIsRefused) {
  asio::io_context io;
  const auto client = net::Client::make(io, "http://192.0.2.1:8080", {});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::refused);
  net::ClientOptions insecure;
  insecure.insecure_http = true;
  EXPECT_TRUE(net::Client::make(io, "http://192.0.2.1:8080", insecure));
  EXPECT_TRUE(net::Client::make(io, "http://[::1]:8080", {}));
}

}  // namespace
}  // namespace sickbay::agent
