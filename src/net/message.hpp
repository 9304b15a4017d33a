// HTTP messages as plain values, so that the rooms above never see Beast: what came in, what goes out, and a request's
// target taken apart. Everything in a Request is as the other side sent it: hostile until parsed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace sickbay::net {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The first field of that name, compared without regard to case; empty optional where there is none.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);

struct Request {
  std::string method;  // "GET"; HEAD arrives as GET
  std::string target;  // "/v1/nodes?page_size=5", undecoded
  Headers headers;
  std::string body;
  std::string peer;  // address of the other side

  std::optional<std::string_view> header(std::string_view name) const { return find_header(headers, name); }
};

// A body that grows while it is sent, such as server-sent events.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // Called on a worker thread, never twice at once. The next bytes; "" where there is nothing new yet (it is asked
  // again after a wake-up, or soon); nothing: the stream is over. Keep each answer small: it is held in memory whole.
  virtual std::optional<std::string> more() = 0;
  // What to send after a long silence, so that a dead reader is noticed; "": nothing.
  virtual std::string keep_alive() const { return {}; }
};

struct Response {
  int status = 200;
  Headers headers;  // Content-Length, Connection and their kind are the server's business
  std::string body;
  std::unique_ptr<BodyStream> stream;  // instead of a body
};

// The words of RFC 9110 for a status, "Not Found" for 404.
std::string_view reason_of(int status);

// A problem document (RFC 9457) of type about:blank, for what goes wrong before anybody above has a say.
Response plain_problem(int status, std::string_view detail);

// A request target, percent-decoded. "/v1/a%2Fb/?x=1&y" is path {"v1", "a/b", ""} and query {{"x", "1"}, {"y", ""}}.
struct Target {
  std::vector<std::string> path;
  std::vector<std::pair<std::string, std::string>> query;
};
// Errc::invalid where it is not an absolute path with an optional query, or decodes to NUL or to invalid UTF-8.
Result<Target> parse_target(std::string_view target);

}  // namespace sickbay::net
