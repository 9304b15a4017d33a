// The client against Sickbay's own server over TLS: it checks who answers, and comes back with a resumed session.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "net/client.hpp"
#include "net/server.hpp"
#include "tests/unit/agent/fake_server.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace sickbay::agent {
namespace {

struct Tls : testing::Test {
  void SetUp() override {
    const std::string make = fmt::format(
        "cd {} && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test "
        "-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem >/dev/null 2>&1",
        scratch.path());
    ASSERT_EQ(std::system(make.c_str()), 0) << "openssl is needed to make a certificate";
    net::ServerOptions options;
    options.tls_certificate = scratch / "cert.pem";
    options.tls_key = scratch / "key.pem";
    auto started = net::Server::start(options, [](const net::Request& request) {
      net::Response response;
      response.body = request.body;
      return response;
    });
    ASSERT_TRUE(started) << started.error().message;
    server = std::move(*started);
  }
  std::unique_ptr<net::Client> client(const std::string& host, const std::string& ca) {
    net::ClientOptions options;
    options.ca_file = ca;
    auto made = net::Client::make(io, fmt::format("https://{}:{}", host, server->port()), options);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  Result<net::Answer> post(net::Client& through, const std::string& body) {
    std::optional<Result<net::Answer>> answer;
    asio::co_spawn(
        io, [&]() -> asio::awaitable<void> { answer = co_await through.request("POST", "/echo", body, "token"); },
        asio::detached);
    EXPECT_TRUE(run_until(io, [&] { return answer.has_value(); }));
    return *answer;
  }
  Scratch scratch;
  asio::io_context io{1};
  std::unique_ptr<net::Server> server;
};

TEST_F(Tls, OneConnectionCarriesManyRequestsAndTheNextOneResumes) {
  const auto one = client("127.0.0.1", scratch / "cert.pem");
  for (int i = 0; i < 5; ++i) {
    const auto answer = post(*one, fmt::format("body {}", i));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, fmt::format("body {}", i));
  }
  EXPECT_EQ(one->connections(), 1U);
  one->close();
  ASSERT_TRUE(post(*one, "again"));
  EXPECT_EQ(one->connections(), 2U);
  EXPECT_EQ(one->resumptions(), 1U) << "a fleet that comes back must not cost a full handshake each";
}

TEST_F(Tls, AServerWithAnotherAuthorityIsRefused) {
  const auto one = client("127.0.0.1", "");  // the system's authorities do not know it
  const auto answer = post(*one, "secret");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::refused) << answer.error().message;
  EXPECT_NE(answer.error().message.find("CA file"), std::string::npos);
}

TEST_F(Tls, AServerOfAnotherNameIsRefused) {
  const auto one = client("localhost", scratch / "cert.pem");  // the certificate is for 127.0.0.1
  const auto answer = post(*one, "secret");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::refused) << answer.error().message;
}

TEST_F(Tls, AFileThatIsNoCertificateIsNamed) {
  scratch.write("not.pem", "hello");
  net::ClientOptions options;
  options.ca_file = scratch / "not.pem";
  const auto made = net::Client::make(io, "https://127.0.0.1:1", options);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("not.pem"), std::string::npos);
}

TEST(ServerUrl, ItIsReadAsPeopleWriteIt) {
  const auto url = net::parse_server_url("https://sickbay.example:8443/base/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "sickbay.example");
  EXPECT_EQ(url->port, "8443");
  EXPECT_EQ(url->path, "/base");
  EXPECT_FALSE(url->loopback);
  EXPECT_EQ(net::parse_server_url("https://a")->port, "443");
  EXPECT_EQ(net::parse_server_url("http://[::1]:80")->host, "::1");
  EXPECT_TRUE(net::parse_server_url("http://localhost")->loopback);
  for (const char* text : {"", "a", "ftp://a", "http://", "http://a:0", "http://a:70000", "http://u:p@a", "http://[::1",
                           "http://a b", "http://a/?q", "https://a:x"}) {
    EXPECT_FALSE(net::parse_server_url(text)) << text;
  }
}

}  // namespace
}  // namespace sickbay::agent
