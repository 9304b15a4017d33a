// After a restore of the database: whether anything is started or sent, and the confirmation that it may be again.
#include "store/restore.hpp"

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "resources/restore.hpp"

namespace sickbay::api {
namespace {

Result<net::Response> get(Call& call) {
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    const auto why = store::observe_only_because(tx);
    return call.answer(resources::Restore{why.has_value(), why.value_or("")});
  });
}

Result<net::Response> confirm(Call& call) {
  SICKBAY_ASSIGN(const auto body, call.body<resources::RestoreConfirmation>());
  SICKBAY_CHECK(call.services.commands.confirm_restore(call.person(), body.reason));
  return get(call);
}

}  // namespace

std::vector<Route> restore_routes() {
  const std::string path = "/v1/restore";
  return {
      {.path = path,
       .run = get,
       .summary = "Whether the engine only looks, and why",
       .answer = schema_of<resources::Restore>},
      {.method = "POST",
       .path = path + "/confirm",
       .access = Access::admin,
       .run = confirm,
       .summary = "Lets the engine act again after the database was restored",
       .body = schema_of<resources::RestoreConfirmation>,
       .answer = schema_of<resources::Restore>},
  };
}

}  // namespace sickbay::api
