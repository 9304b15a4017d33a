// The API behind a real server: the event stream with its resumption, and rude bytes.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "net/server.hpp"
#include "store/events.hpp"
#include "tests/unit/api/api_fixture.hpp"
#include "tests/unit/net/raw_client.hpp"

namespace sickbay::api {
namespace {

class ServedTest : public ApiTest {
 protected:
  ServedTest() {
    net::ServerOptions options;
    options.workers = 2;
    options.stream_poll = milliseconds{20};
    options.body_timeout = milliseconds{200};
    options.body_bytes = [&](std::string_view method, std::string_view target) {
      return api_->body_bytes(method, target);
    };
    server_ = std::move(net::Server::start(options, [&](const net::Request& r) { return api_->handle(r); }).value());
  }
  ~ServedTest() override { server_->stop(); }

  std::string authorization() const { return "Authorization: Bearer " + admin_ + "\r\n"; }
  void publish(int count) {
    write([&](store::Tx& tx) {
      std::vector<std::string> ids;
      for (int i = 0; i < count; ++i) {
        Event event;
        event.id = fmt::format("event-{}", ++said_);
        event.at = clock_.now();
        event.cluster = "clu-1";
        event.node = said_ % 2 == 0 ? "n2" : "n1";
        event.kind = EventKind::cluster;
        event.message = fmt::format("number {}", said_);
        store::add_event(tx, event);
        ids.push_back(event.id);
      }
      store::publish_events(tx, ids);
    });
  }

  std::unique_ptr<net::Server> server_;
  int said_ = 0;
};

TEST_F(ServedTest, TheStreamTellsWhatHappensFromNowOn) {
  publish(2);
  net::RawClient client(server_->port());
  client.send(net::raw_request("GET", cluster_path + "/stream", "", authorization()));
  EXPECT_NE(client.read_until("newer than 2\n\n").find("text/event-stream"), std::string::npos);
  publish(1);
  const std::string event = client.read_until("number 3");
  EXPECT_NE(event.find("id: 3\nevent: cluster\ndata: {"), std::string::npos) << event;
}

TEST_F(ServedTest, AStreamIsTakenUpWhereItBrokeOff) {
  publish(5);
  net::RawClient client(server_->port());
  client.send(net::raw_request("GET", cluster_path + "/stream", "", authorization() + "Last-Event-ID: 2\r\n"));
  const std::string missed = client.read_until("number 5");
  EXPECT_EQ(missed.find("number 2"), std::string::npos);
  for (const char* number : {"number 3", "number 4"}) EXPECT_NE(missed.find(number), std::string::npos);
}

TEST_F(ServedTest, AStreamOfOneNodeTellsOfThatNodeOnly) {
  publish(5);
  net::RawClient client(server_->port());
  client.send(net::raw_request("GET", cluster_path + "/stream?node=gpu-n2&last_event_id=0", "", authorization()));
  const std::string events = client.read_until("number 4");
  EXPECT_EQ(events.find("number 3"), std::string::npos);
  EXPECT_NE(events.find("number 2"), std::string::npos);
}

TEST_F(ServedTest, ABadResumptionIsMalformed) {
  net::RawClient client(server_->port());
  client.send(net::raw_request("GET", cluster_path + "/stream", "", authorization() + "Last-Event-ID: soon\r\n"));
  EXPECT_EQ(client.answer().status, 400);
}

TEST_F(ServedTest, AStreamEndsWithItsToken) {
  const std::string viewer = token_of(Role::viewer);
  net::RawClient client(server_->port());
  client.send(net::raw_request("GET", cluster_path + "/stream", "", "Authorization: Bearer " + viewer + "\r\n"));
  ASSERT_NE(client.read_until("newer than"), "");
  const auto by = people_->authenticate(admin_).value();
  const auto tokens = people_->list_tokens();
  for (const auto& view : *tokens) {
    if (view.token.hash != sha256_hex(viewer)) continue;
    EXPECT_TRUE(people_->revoke_token(view.token.id, by));
  }
  publish(1);
  ASSERT_NE(client.read_until("number 1"), "");  // it is not looked at before every event
  clock_.advance(minutes{1});
  EXPECT_TRUE(client.closed());
}

TEST_F(ServedTest, RudeBodiesAreAnsweredAndHarmNobody) {
  net::RawClient endless(server_->port());
  endless.send("POST " + repair_path + "/approve HTTP/1.1\r\nHost: a\r\n" + authorization() +
               "Content-Length: 50\r\n\r\n{");
  net::RawClient large(server_->port());
  large.send(net::raw_request("POST", repair_path + "/approve", std::string(70'000, ' '), authorization()));
  EXPECT_EQ(large.answer().status, 413);
  EXPECT_EQ(endless.answer().status, 408);
  net::RawClient nowhere(server_->port());
  nowhere.send(net::raw_request("POST", "/v1/nothing", "x", authorization()));
  EXPECT_EQ(nowhere.answer().status, 404);
  net::RawClient good(server_->port());
  good.send(net::raw_request("GET", repair_path, "", authorization()));
  EXPECT_EQ(good.answer().status, 200);
}

}  // namespace
}  // namespace sickbay::api
