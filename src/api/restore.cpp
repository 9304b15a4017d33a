// After a restore of the database: whether anything is started or sent, and the confirmation that it may be again.
#include "store/restore.hpp"

#include "api/routes.hpp"
#include "api/schema.hpp"

namespace sickbay::api {
namespace {

struct RestoreView {
  bool observe_only = false;
  std::string why;
  BOOST_DESCRIBE_CLASS(RestoreView, (), (observe_only, why), (), ())
};
struct ConfirmBody {
  std::string reason;
  BOOST_DESCRIBE_CLASS(ConfirmBody, (), (reason), (), ())
};

Result<net::Response> get(Call& call) {
  return call.read([](store::Tx& tx) -> Result<net::Response> {
    const auto why = store::observe_only_because(tx);
    return json_response(to_json(RestoreView{why.has_value(), why.value_or("")}));
  });
}

Result<net::Response> confirm(Call& call) {
  SICKBAY_ASSIGN(const ConfirmBody body, call.body<ConfirmBody>());
  SICKBAY_CHECK(call.services.commands.confirm_restore(call.person(), body.reason));
  return get(call);
}

}  // namespace

std::vector<Route> restore_routes() {
  const std::string path = "/v1/restore";
  return {
      {"GET",
       path,
       Access::viewer,
       get,
       "Whether the engine only looks, and why",
       {},
       false,
       nullptr,
       schema_of<RestoreView>},
      {"POST",
       path + "/confirm",
       Access::admin,
       confirm,
       "Lets the engine act again after the database was restored",
       {},
       false,
       schema_of<ConfirmBody>,
       schema_of<RestoreView>},
  };
}

}  // namespace sickbay::api
