// HTTP calls of the server to other systems, by libcurl: blocking, each with a deadline, its answer bounded, never
// repeated and never redirected. What matters to the callers is what is known after a failure: whether the request
// certainly did not reach the other side, or may have.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"

namespace sickbay::clients {

struct HttpRequest {
  std::string method = "GET";
  std::string url;  // http or https
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string bearer;                 // a token; never logged
  Duration timeout = seconds{10};     // of the whole call; not positive: nothing is sent
  std::size_t max_answer = 8U << 20;  // bytes of the answer's body; more is an error
  std::string ca_file;                // authorities to trust; empty: the system's
};

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::string content_type;
};

// Any status is an answer. Errors: Errc::unavailable: nothing reached the other side (no address, no connection, no
// trust, no time left). Errc::unknown_outcome: the request may have reached it, the answer is missing, broken or too
// large. Errc::invalid: the request itself is wrong (its URL).
Result<HttpAnswer> call(const HttpRequest& request);

}  // namespace sickbay::clients
