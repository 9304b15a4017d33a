// The circuit breaker: shown, and reset by a person with a reason.
#include "resources/breaker.hpp"

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"

namespace sickbay::api {
namespace {

Result<net::Response> get(Call& call) {
  return call.answer(call.cluster->breaker);
}

Result<net::Response> reset(Call& call) {
  SICKBAY_ASSIGN(const auto body, call.body<resources::BreakerReset>());
  if (trim(body.reason).empty())
    return fail(Errc::invalid, "reason is missing: why automatic repair may go on", "reason");
  SICKBAY_ASSIGN(const Cluster cluster,
                 call.services.commands.reset_breaker(call.cluster->id, call.person(), body.reason));
  return call.answer(cluster.breaker);
}

}  // namespace

std::vector<Route> breaker_routes() {
  const std::string path = "/v1/compute/clusters/{cluster}/breaker";
  return {
      {.path = path, .run = get, .summary = "The circuit breaker: open or not, and why", .answer = schema_of<Breaker>},
      {.method = "POST",
       .path = path + "/reset",
       .access = Access::operator_,
       .run = reset,
       .summary = "Closes it: automatic repair resumes gradually",
       .body = schema_of<resources::BreakerReset>,
       .answer = schema_of<Breaker>},
  };
}

}  // namespace sickbay::api
