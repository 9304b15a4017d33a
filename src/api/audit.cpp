// The audit log: who did what, with what outcome.
#include "resources/audit.hpp"

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "store/audit.hpp"
#include "store/paging.hpp"

namespace sickbay::api {
namespace {

Result<net::Response> list(Call& call) {
  if (!call.caller->sees_all()) return fail(Errc::forbidden, "the audit log spans all clusters; your role does not");
  SICKBAY_ASSIGN(const store::Page page, call.page());
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    auto paged = store::list_audit(tx, page);
    return call.answer_list<resources::AuditList>(std::move(paged.items), paged.next);
  });
}

}  // namespace

std::vector<Route> audit_routes() {
  return {{.path = "/v1/audit",
           .access = Access::admin,
           .run = list,
           .summary = "The audit log",
           .parameters = {"page_size", "page_token"},
           .answer = schema_of<resources::AuditList>}};
}

}  // namespace sickbay::api
