// Shared volumes are not Sickbay's: an honest empty list, so that the SDKs have something to read.
#include "api/routes.hpp"

namespace sickbay::api {
namespace {

Result<net::Response> list(Call&) {
  return json_response(json::object{{"volumes", json::array{}}});
}
Result<net::Response> create(Call&) {
  return fail(Errc::refused, "Sickbay makes no volumes; make them where your storage lives");
}

}  // namespace

std::vector<Route> volume_routes() {
  const std::string path = "/v1/compute/clusters/storage/volumes";
  return {{"GET", path, Access::viewer, list, "Always empty: volumes are not managed here", {}, true},
          {"POST", path, Access::admin, create, "Always refused", {}, true}};
}

}  // namespace sickbay::api
