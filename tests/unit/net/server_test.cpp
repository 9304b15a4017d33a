// A real server against clients that send too little, too much, too slowly, or nonsense.
#include "net/server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "tests/unit/net/raw_client.hpp"

namespace sickbay::net {
namespace {

Response echo(const Request& request) {
  Response response;
  response.headers = {{"Content-Type", "text/plain"}};
  response.body = request.method + " " + request.target + " " + request.body;
  return response;
}

ServerOptions quick() {
  ServerOptions options;
  options.workers = 2;
  options.header_timeout = options.body_timeout = milliseconds{150};
  options.stop_grace = milliseconds{500};
  return options;
}

std::unique_ptr<Server> serve(ServerOptions options = quick(), Handler handler = echo) {
  auto server = Server::start(std::move(options), std::move(handler));
  EXPECT_TRUE(server) << (server ? "" : server.error().message);
  return std::move(*server);
}

TEST(Server, AnswersAndKeepsTheConnection) {
  const auto server = serve();
  RawClient client(server->port());
  for (int i = 0; i < 3; ++i) {
    client.send(raw_request("POST", "/a?b=c", "hello"));
    const RawAnswer answer = client.answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /a?b=c hello");
  }
  EXPECT_EQ(server->counters().requests, 3u);
  EXPECT_EQ(server->counters().connections, 1u);
}

TEST(Server, PipelinedRequestsAreAnsweredInOrder) {
  const auto server = serve();
  RawClient client(server->port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += raw_request("PUT", fmt::format("/{}", i), "x");
  client.send(all);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.answer().body, fmt::format("PUT /{} x", i));
}

TEST(Server, HeadHasTheLengthButNoBody) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string head = client.read_until("\r\n\r\n");
  EXPECT_NE(head.find("Content-Length: 7"), std::string::npos) << head;
  client.send(raw_request("GET", "/y"));
  EXPECT_EQ(client.answer().body, "GET /y ");
}

TEST(Server, ABodyThatBreaksOffIsAnswered400AndClosed) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nshort");
  client.half_close();
  EXPECT_EQ(client.answer().status, 400);
  EXPECT_TRUE(client.closed());
}

TEST(Server, ABodyThatNeverComesIsAnswered408AndClosed) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nshort");
  EXPECT_EQ(client.answer().status, 408);
  EXPECT_TRUE(client.closed());
}

TEST(Server, AHeaderThatDripsIsAnswered408) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ");
  // Each byte comes in time; only the whole does not.
  while (!client.readable(milliseconds{20})) ASSERT_TRUE(client.send("x"));
  EXPECT_EQ(client.answer().status, 408);
}

TEST(Server, ALongBodyIsRefusedBeforeItIsRead) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n");
  const RawAnswer answer = client.answer();
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.field("Content-Type"), "application/problem+json");
  EXPECT_TRUE(client.closed());
}

TEST(Server, AnEndlessChunkedBodyIsCutOff) {
  auto options = quick();
  options.body_timeout = seconds{10};
  const auto server = serve(options);
  RawClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  for (int i = 0; i < 32 && client.send(chunk); ++i) {
  }
  EXPECT_EQ(client.answer().status, 413);
}

TEST(Server, ARouteMayAllowMoreOrLess) {
  auto options = quick();
  options.body_bytes = [](std::string_view, std::string_view target) { return target == "/big" ? 8u : 2u; };
  const auto server = serve(options);
  RawClient client(server->port());
  client.send(raw_request("POST", "/big", "12345678"));
  EXPECT_EQ(client.answer().status, 200);
  client.send(raw_request("POST", "/small", "123"));
  EXPECT_EQ(client.answer().status, 413);
}

TEST(Server, BodiesTogetherAreBounded) {
  auto options = quick();
  options.bodies_bytes = 10;
  const auto server = serve(options);
  RawClient client(server->port());
  client.send(raw_request("POST", "/", "12345678901"));
  const RawAnswer answer = client.answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.field("Retry-After"), "1");
}

TEST(Server, AHugeHeaderIsAnswered431) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.answer().status, 431);
}

TEST(Server, NonsenseIsAnswered400) {
  for (const std::string& nonsense :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 28), std::string("GET / HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n")}) {
    const auto server = serve();
    RawClient client(server->port());
    client.send(nonsense);
    EXPECT_EQ(client.answer().status, 400) << nonsense;
    EXPECT_TRUE(client.closed());
  }
}

TEST(Server, ExpectContinueIsHeeded) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hi");
  EXPECT_EQ(client.answer().body, "POST / hi");
}

TEST(Server, ConnectionCloseIsHeeded) {
  const auto server = serve();
  RawClient client(server->port());
  client.send(raw_request("GET", "/", "", "Connection: close\r\n"));
  EXPECT_EQ(client.answer().status, 200);
  EXPECT_TRUE(client.closed());
}

TEST(Server, AConnectionTooManyIsTurnedAway) {
  auto options = quick();
  options.connections = 1;
  const auto server = serve(options);
  RawClient first(server->port());
  first.send(raw_request("GET", "/"));
  EXPECT_EQ(first.answer().status, 200);
  RawClient second(server->port());
  EXPECT_EQ(second.answer().status, 503);
}

TEST(Server, WhenTheWorkersAreBusyItSaysSo) {
  auto options = quick();
  options.workers = 1;
  options.queue = 0;
  std::promise<void> entered, leave;
  auto wait = leave.get_future().share();
  std::atomic<bool> first = true;
  const auto server = serve(options, [&, wait](const Request& request) {
    if (first.exchange(false)) entered.set_value(), wait.wait();
    return echo(request);
  });
  RawClient busy(server->port());
  busy.send(raw_request("GET", "/"));
  entered.get_future().wait();
  RawClient other(server->port());
  other.send(raw_request("GET", "/"));
  const RawAnswer answer = other.answer();
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.field("Retry-After"), "1");
  leave.set_value();
  EXPECT_EQ(busy.answer().status, 200);
  other.send(raw_request("GET", "/"));  // the connection is still good
  EXPECT_EQ(other.answer().status, 200);
}

TEST(Server, AHandlerThatThrowsIsAFaultOfOurs) {
  const auto server = serve(quick(), [](const Request&) -> Response { throw std::runtime_error("planted"); });
  RawClient client(server->port());
  client.send(raw_request("GET", "/"));
  const RawAnswer answer = client.answer();
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("planted"), std::string::npos);
}

TEST(Server, AnswersCannotBeSplitByAHeaderValue) {
  const auto server = serve(quick(), [](const Request&) {
    Response response;
    response.headers = {{"X-Echo", "a\r\nSet-Cookie: evil"}};
    return response;
  });
  RawClient client(server->port());
  client.send(raw_request("GET", "/"));
  const RawAnswer answer = client.answer();
  EXPECT_EQ(answer.field("X-Echo"), "a  Set-Cookie: evil");
  EXPECT_EQ(answer.field("Set-Cookie"), "");
}

// Says "n\n" for each number it is given; silent otherwise.
class Numbers final : public BodyStream {
 public:
  explicit Numbers(std::atomic<int>& available) : available_(available) {}
  std::optional<std::string> more() override {
    const int target = available_;
    if (target < 0) return std::nullopt;
    std::string text;
    while (said_ < target) text += fmt::format("{}\n", ++said_);
    return text;
  }
  std::string keep_alive() const override { return ":\n"; }

 private:
  std::atomic<int>& available_;
  int said_ = 0;
};

Handler stream_of(std::atomic<int>& available) {
  return [&](const Request&) {
    Response response;
    response.headers = {{"Content-Type", "text/event-stream"}};
    response.stream = std::make_unique<Numbers>(available);
    return response;
  };
}

TEST(Stream, SaysWhatIsNewWhenWoken) {
  std::atomic<int> available = 2;
  auto options = quick();
  options.stream_poll = hours{1};  // only wake-ups count here
  const auto server = serve(options, stream_of(available));
  RawClient client(server->port());
  client.send(raw_request("GET", "/"));
  EXPECT_NE(client.read_until("1\n2\n"), "");
  available = 3;
  server->wake_streams();
  EXPECT_NE(client.read_until("3\n"), "");
  EXPECT_EQ(server->counters().streams, 1u);
  available = -1;
  server->wake_streams();
  EXPECT_NE(client.read_until("0\r\n\r\n"), "");
  EXPECT_TRUE(client.closed());
}

TEST(Stream, KeepsASilentConnectionAlive) {
  std::atomic<int> available = 0;
  auto options = quick();
  options.stream_poll = milliseconds{10};
  options.stream_keep_alive = milliseconds{30};
  const auto server = serve(options, stream_of(available));
  RawClient client(server->port());
  client.send(raw_request("GET", "/"));
  EXPECT_NE(client.read_until(":\n"), "");
  EXPECT_NE(client.read_until(":\n"), "");
}

TEST(Stream, AReaderThatDoesNotReadIsDropped) {
  auto options = quick();
  options.write_timeout = milliseconds{100};
  std::promise<void> dropped;
  struct Watched final : BodyStream {
    explicit Watched(std::promise<void>& p) : done(p) {}
    ~Watched() override { done.set_value(); }
    std::optional<std::string> more() override { return std::string(100'000, 'x'); }
    std::promise<void>& done;
  };
  const auto server = serve(options, [&](const Request&) {
    Response response;
    response.stream = std::make_unique<Watched>(dropped);
    return response;
  });
  RawClient client(server->port());
  client.send(raw_request("GET", "/"));
  EXPECT_EQ(dropped.get_future().wait_for(seconds{10}), std::future_status::ready);
}

TEST(Stream, OneTooManyIsTurnedAway) {
  std::atomic<int> available = 1;
  auto options = quick();
  options.streams = 1;
  const auto server = serve(options, stream_of(available));
  RawClient first(server->port()), second(server->port());
  first.send(raw_request("GET", "/"));
  EXPECT_NE(first.read_until("1\n"), "");
  second.send(raw_request("GET", "/"));
  EXPECT_EQ(second.answer().status, 429);
}

TEST(Server, StoppingEndsIdleConnectionsAndStreamsAtOnce) {
  std::atomic<int> available = 1;
  auto options = quick();
  options.stop_grace = seconds{60};
  const auto server = serve(options, [&, stream = stream_of(available)](const Request& request) {
    return request.target == "/stream" ? stream(request) : echo(request);
  });
  RawClient idle(server->port()), streaming(server->port());
  idle.send(raw_request("GET", "/"));
  EXPECT_EQ(idle.answer().status, 200);
  streaming.send(raw_request("GET", "/stream"));
  EXPECT_NE(streaming.read_until("1\n"), "");
  auto stopped = std::async(std::launch::async, [&] { server->stop(); });
  EXPECT_TRUE(idle.closed());
  EXPECT_NE(streaming.read_until("0\r\n\r\n"), "");
  EXPECT_TRUE(streaming.closed());
  EXPECT_EQ(stopped.wait_for(seconds{10}), std::future_status::ready);
  EXPECT_FALSE(RawClient(server->port()).connected());
}

TEST(Server, StoppingDoesNotWaitLongForTheSlow) {
  auto options = quick();
  options.header_timeout = hours{1};
  const auto server = serve(options);
  RawClient slow(server->port());
  slow.send("GET / HT");
  RawClient other(server->port());
  other.send(raw_request("GET", "/"));
  EXPECT_EQ(other.answer().status, 200);  // so the slow one is in by now
  auto stopped = std::async(std::launch::async, [&] { server->stop(); });
  EXPECT_EQ(stopped.wait_for(seconds{10}), std::future_status::ready);
}

TEST(Server, WhatCannotBeListenedOnIsNamed) {
  const auto first = serve();
  ServerOptions options;
  options.port = first->port();
  const auto second = Server::start(options, echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::io);
  EXPECT_NE(second.error().message.find(std::to_string(first->port())), std::string::npos);
  options.port = 0;
  options.tls_certificate = "/nonexistent.pem";
  EXPECT_EQ(Server::start(options, echo).error().code, Errc::invalid);
  options.tls_key = "/nonexistent.key";
  EXPECT_EQ(Server::start(options, echo).error().code, Errc::invalid);
}

}  // namespace
}  // namespace sickbay::net
