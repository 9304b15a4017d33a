// How requests reach the server: over HTTP, or in a test straight into the API. Messages are net's plain values; the
// answers come whatever their status.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/time.hpp"
#include "net/message.hpp"

namespace sickbay::cli {

struct Settings;

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Result<net::Response> request(const net::Request& request) = 0;
  // Hands the pieces of a body that grows to `on_bytes` until it returns false, the server ends the stream, or nothing
  // came for `silence` (Errc::timeout). The answer has no body where the status is 200.
  virtual Result<net::Response> stream(const net::Request& request, Duration silence,
                                       const std::function<bool(std::string_view)>& on_bytes) = 0;
};

using Connect = std::function<Result<std::unique_ptr<Transport>>(const Settings&)>;

// Each change goes over a connection of its own, so that it is never sent twice by a retry below us.
Result<std::unique_ptr<Transport>> connect_over_http(const Settings& settings);

}  // namespace sickbay::cli
