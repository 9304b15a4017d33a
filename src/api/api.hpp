// The API as one function from request to response. It finds the route, finds out who asks, checks what they may, runs
// the route's function and makes its error a problem document. Knows no sockets: net/server.hpp calls it, tests too.
#pragma once

#include <string>
#include <vector>

#include "api/call.hpp"

namespace sickbay::api {

class Api {
 public:
  explicit Api(Services services);

  // Runs on worker threads, several at once; never throws.
  net::Response handle(const net::Request& request);
  // The largest body a request may have: net::ServerOptions::body_bytes.
  std::size_t body_bytes(std::string_view method, std::string_view target) const;

  const std::vector<Route>& routes() const { return routes_; }
  // The OpenAPI 3.1 document of the routes.
  json::object openapi() const;

 private:
  struct Match {
    const Route* route = nullptr;
    std::map<std::string, std::string> path;
    std::string allowed;  // where only the method is wrong: those that are right
  };
  Match find(std::string_view method, const std::vector<std::string>& path) const;
  Result<net::Response> run(Call& call);
  Status admit(Call& call) const;
  Result<net::Response> run_once(Call& call, const std::string& id);
  void note(const Call& call, int status);

  Services services_;
  std::vector<Route> routes_;
};

}  // namespace sickbay::api
