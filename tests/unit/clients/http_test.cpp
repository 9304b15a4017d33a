// The server's HTTP client: what is known after each kind of failure.
#include "clients/http.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace sickbay {
namespace {

// A server of one connection that reads a request, answers `answer` and closes (or, without one, waits for the end).
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer, bool close_at_once = false) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, answer = std::move(answer), close_at_once] {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      char buffer[4096];
      ssize_t got = ::read(connection, buffer, sizeof buffer);
      got = ::write(connection, answer.data(), answer.size());
      if (!close_at_once) got = ::read(connection, buffer, sizeof buffer);  // until the other side gives up
      (void)got;
      ::close(connection);
    });
  }
  ~OneAnswer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

clients::HttpRequest post(std::string url, Duration timeout = seconds{10}) {
  clients::HttpRequest request;
  request.method = "POST";
  request.url = std::move(url);
  request.body = "{}";
  request.timeout = timeout;
  return request;
}

TEST(Http, AnAnswerOfAnyStatusIsAnAnswer) {
  const OneAnswer server("HTTP/1.1 409 Conflict\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno");
  const auto answer = clients::call(post(server.url()));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 409);
  EXPECT_EQ(answer->body, "no");
}

TEST(Http, WithoutAConnectionNothingWasSent) {
  std::string url;
  {
    url = OneAnswer("").url();
  }
  const auto answer = clients::call(post(url));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unavailable);
}

TEST(Http, AnAnswerThatNeverComesIsUnknown) {
  const OneAnswer server("");
  const auto answer = clients::call(post(server.url(), milliseconds{200}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unknown_outcome);
}

TEST(Http, AConnectionThatBreaksAfterTheRequestIsUnknownAndNotTriedAgain) {
  const OneAnswer server("", true);  // a second try would find nobody and say unavailable
  const auto answer = clients::call(post(server.url()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unknown_outcome);
}

TEST(Http, ATruncatedBodyIsUnknown) {
  const OneAnswer server("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", true);
  const auto answer = clients::call(post(server.url()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unknown_outcome);
}

TEST(Http, AnEndlessBodyIsCutOff) {
  const OneAnswer server("HTTP/1.1 200 OK\r\n\r\n" + std::string(2U << 20, 'x'), true);
  clients::HttpRequest request = post(server.url());
  request.max_answer = 1U << 20;
  const auto answer = clients::call(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unknown_outcome);
  EXPECT_NE(answer.error().message.find("larger"), std::string::npos);
}

TEST(Http, ARedirectIsNotFollowed) {
  const OneAnswer server(
      "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
  const auto answer = clients::call(post(server.url()));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 307);
}

TEST(Http, OtherSchemesAreRefused) {
  const auto answer = clients::call(post("file:///etc/passwd"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::invalid);
}

TEST(Http, APassedDeadlineSendsNothing) {
  const auto answer = clients::call(post("http://127.0.0.1:1/", Duration{0}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::unavailable);
}

}  // namespace
}  // namespace sickbay
