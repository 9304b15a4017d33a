// Getting join tickets.
#include "simworld/tickets.hpp"

#include <fmt/core.h>

#include <boost/asio/co_spawn.hpp>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/text.hpp"
#include "model/json.hpp"
#include "net/client.hpp"

namespace sickbay::simworld {

Result<std::string> ServerTickets::get(const std::string& node) {
  std::string token;
  std::ifstream(token_file_) >> token;
  if (token.empty()) return fail(Errc::unavailable, fmt::format("{} holds no token yet", token_file_));
  boost::asio::io_context io;
  SICKBAY_ASSIGN(const auto client, net::Client::make(io, server_, {}));
  std::optional<Result<net::Answer>> answer;
  boost::asio::co_spawn(io,
                        client->request("POST", fmt::format("/v1/compute/clusters/{}/tickets", cluster_),
                                        json::serialize(json::object{{"node", node}}), token),
                        [&](std::exception_ptr thrown, Result<net::Answer> got) {
                          if (!thrown) answer = std::move(got);
                        });
  io.run();
  if (!answer) return fail(Errc::internal, "the call for a ticket broke off");
  if (!*answer) return tl::unexpected((*answer).error());
  if ((*answer)->status != 200 && (*answer)->status != 201) {
    return fail(Errc::refused, fmt::format("the server gives no ticket for {}: {} {}", node, (*answer)->status,
                                           (*answer)->body.substr(0, 300)));
  }
  SICKBAY_ASSIGN(const json::value body, parse_json((*answer)->body));
  const json::value* ticket = body.is_object() ? body.get_object().if_contains("ticket") : nullptr;
  if (!ticket || !ticket->is_string()) return fail(Errc::invalid, "the server's answer holds no ticket");
  return std::string(ticket->get_string());
}

Result<std::string> FileTickets::get(const std::string& node) {
  std::ifstream in(file_);
  std::string line, rest, found;
  while (std::getline(in, line)) {
    const auto parts = split(line, ' ');
    if (found.empty() && parts.size() == 2 && parts[0] == node) {
      found = parts[1];
    } else {
      rest += line + "\n";
    }
  }
  if (found.empty()) return fail(Errc::not_found, fmt::format("{} holds no ticket for {}", file_, node));
  std::ofstream(file_, std::ios::trunc) << rest;
  return found;
}

}  // namespace sickbay::simworld
