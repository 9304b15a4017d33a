#include "cli/transport.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "cli/settings.hpp"
#include "net/client.hpp"

namespace sickbay::cli {
namespace {

net::ClientOptions client_options(const Settings& settings) {
  net::ClientOptions options;
  options.ca_file = settings.ca_file;
  options.insecure_http = settings.insecure_http;
  options.deadline = seconds{30};
  options.max_answer = 64U << 20;  // a page of a thousand repairs with their evidence
  return options;
}

class HttpTransport final : public Transport {
 public:
  explicit HttpTransport(const Settings& settings) : settings_(settings) {}

  Status connect() {
    SICKBAY_ASSIGN(reader_, net::Client::make(io_, settings_.server, client_options(settings_)));
    return {};
  }

  Result<net::Response> request(const net::Request& request) override {
    std::unique_ptr<net::Client> writer;
    if (request.method != "GET") {
      SICKBAY_ASSIGN(writer, net::Client::make(io_, settings_.server, client_options(settings_)));
    }
    net::Client& client = writer ? *writer : *reader_;
    return run(client.request(request.method, request.target, request.body, settings_.token, request.headers));
  }

  Result<net::Response> stream(const net::Request& request, Duration silence,
                               const std::function<bool(std::string_view)>& on_bytes) override {
    return run(reader_->stream(request.target, settings_.token, request.headers, silence, on_bytes));
  }

 private:
  // Runs one coroutine of the client to its end.
  template <class Awaitable>
  Result<net::Response> run(Awaitable awaitable) {
    Result<net::Answer> answer = fail(Errc::internal, "not sent");
    boost::asio::co_spawn(io_, std::move(awaitable),
                          [&](std::exception_ptr, Result<net::Answer> given) { answer = std::move(given); });
    io_.restart();
    io_.run();
    if (!answer) return tl::unexpected<Error>(answer.error());
    net::Response response;
    response.status = static_cast<int>(answer->status);
    response.body = std::move(answer->body);
    if (!answer->etag.empty()) response.headers.emplace_back("ETag", answer->etag);
    return response;
  }

  Settings settings_;
  boost::asio::io_context io_;
  std::unique_ptr<net::Client> reader_;
};

}  // namespace

Result<std::unique_ptr<Transport>> connect_over_http(const Settings& settings) {
  auto transport = std::make_unique<HttpTransport>(settings);
  SICKBAY_CHECK(transport->connect());
  return transport;
}

}  // namespace sickbay::cli
