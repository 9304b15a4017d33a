// The audit log: who did what, with what outcome.
#include "api/routes.hpp"
#include "api/schema.hpp"

namespace sickbay::api {
namespace {

struct AuditList {
  std::vector<store::AuditRow> audit;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(AuditList, (), (audit, has_next, next_page_token), (), ())
};

Result<net::Response> list(Call& call) {
  if (!call.caller->sees_all()) return fail(Errc::forbidden, "the audit log spans all clusters; your role does not");
  SICKBAY_ASSIGN(const store::Page page, call.page());
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    auto paged = store::list_audit(tx, page);
    return json_response(list_of("audit", to_array(paged.items), paged.next));
  });
}

}  // namespace

std::vector<Route> audit_routes() {
  return {{"GET",
           "/v1/audit",
           Access::admin,
           list,
           "The audit log",
           {"page_size", "page_token"},
           false,
           nullptr,
           schema_of<AuditList>}};
}

}  // namespace sickbay::api
