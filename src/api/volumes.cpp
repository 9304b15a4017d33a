// Shared volumes are not Sickbay's: an honest empty list, so that the SDKs have something to read.
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "resources/cluster.hpp"

namespace sickbay::api {
namespace {

Result<net::Response> list(Call& call) {
  return call.answer(resources::VolumeList{});
}
Result<net::Response> create(Call&) {
  return fail(Errc::refused, "Sickbay makes no volumes; make them where your storage lives");
}

}  // namespace

std::vector<Route> volume_routes() {
  const std::string path = "/v1/compute/clusters/storage/volumes";
  return {
      {.path = path,
       .run = list,
       .summary = "Always empty: volumes are not managed here",
       .answer = schema_of<resources::VolumeList>,
       .lenient = true},
      {.method = "POST",
       .path = path,
       .access = Access::admin,
       .run = create,
       .summary = "Always refused",
       .lenient = true},
  };
}

}  // namespace sickbay::api
