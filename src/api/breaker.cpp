// The circuit breaker: shown, and reset by a person with a reason.
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"

namespace sickbay::api {
namespace {

struct ResetBody {
  std::string reason;
  BOOST_DESCRIBE_CLASS(ResetBody, (), (reason), (), ())
};

Result<net::Response> get(Call& call) {
  return json_response(to_json(call.cluster->breaker));
}

Result<net::Response> reset(Call& call) {
  SICKBAY_ASSIGN(const ResetBody body, call.body<ResetBody>());
  if (trim(body.reason).empty())
    return fail(Errc::invalid, "reason is missing: why automatic repair may go on", "reason");
  SICKBAY_ASSIGN(const Cluster cluster,
                 call.services.commands.reset_breaker(call.cluster->id, call.person(), body.reason));
  return json_response(to_json(cluster.breaker));
}

}  // namespace

std::vector<Route> breaker_routes() {
  const std::string path = "/v1/compute/clusters/{cluster}/breaker";
  return {
      {"GET",
       path,
       Access::viewer,
       get,
       "The circuit breaker: open or not, and why",
       {},
       false,
       nullptr,
       schema_of<Breaker>},
      {"POST",
       path + "/reset",
       Access::operator_,
       reset,
       "Closes it: automatic repair resumes gradually",
       {},
       false,
       schema_of<ResetBody>,
       schema_of<Breaker>},
  };
}

}  // namespace sickbay::api
