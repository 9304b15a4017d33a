// A terminal, or a pipe, with what a command wrote to it; and the way from the command line straight into the real API.
#pragma once

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "cli/cli.hpp"
#include "cli/environment.hpp"
#include "cli/settings.hpp"

namespace sickbay::cli {

struct Console {
  std::ostringstream out, err;
  std::istringstream in;
  std::map<std::string, std::string> environment;
  bool person = false;  // somebody looks and can answer
  SeededIds ids{1};
  std::function<void(Duration)> pause = [](Duration) {};  // between attempts to follow a stream

  int run(std::vector<std::string> arguments, const Clock& clock, Connect connect = connect_over_http) {
    out.str("");
    err.str("");
    CliEnvironment around{.out = out,
                          .err = err,
                          .in = in,
                          .environment = [this](const std::string& name) -> std::optional<std::string> {
                            const auto found = environment.find(name);
                            return found == environment.end() ? std::nullopt : std::optional(found->second);
                          },
                          .terminal_in = person,
                          .terminal_out = person,
                          .width = 80,
                          .clock = clock,
                          .ids = ids,
                          .pause = pause,
                          .connect = std::move(connect)};
    return cli::run(arguments, around);
  }
};

// The API in this process, without sockets. A stream gives what there is now, and ends.
class InProcess final : public Transport {
 public:
  InProcess(api::Api& api, std::string token) : api_(api), token_(std::move(token)) {}

  Result<net::Response> request(const net::Request& request) override {
    net::Request sent = request;
    sent.headers.emplace_back("Authorization", "Bearer " + token_);
    return api_.handle(sent);
  }
  Result<net::Response> stream(const net::Request& request, Duration,
                               const std::function<bool(std::string_view)>& on_bytes) override {
    SICKBAY_ASSIGN(net::Response response, this->request(request));
    while (response.stream) {
      const auto bytes = response.stream->more();
      if (!bytes || bytes->empty() || !on_bytes(*bytes)) break;
    }
    return response;
  }

 private:
  api::Api& api_;
  std::string token_;
};

}  // namespace sickbay::cli
