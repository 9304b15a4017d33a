// The policy of a cluster: read with its version as ETag, written only over the version that was read (If-Match).
#include "resources/policy.hpp"

#include <fmt/core.h>

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"
#include "store/paging.hpp"
#include "store/policies.hpp"

namespace sickbay::api {
namespace {

net::Response answer(const Call& call, const PolicyVersion& version) {
  net::Response response = call.answer(version);
  response.headers.emplace_back("ETag", fmt::format("\"{}\"", version.version));
  return response;
}

resources::PolicyCheck check_of(const Policy& policy) {
  const decide::PolicyCheck check = decide::check_policy(policy);
  resources::PolicyCheck checked;
  checked.ok = check.errors.empty();
  for (const Error& error : check.errors) checked.errors.push_back({error.field, error.message});
  checked.notes = check.notes;
  return checked;
}

// The policy must be there: an empty body would quietly put the defaults.
Result<resources::NewPolicy> body_of(Call& call) {
  SICKBAY_ASSIGN(const json::value value, call.body_value());
  if (!value.is_object() || !value.get_object().contains("policy")) {
    return fail(Errc::invalid, "the body must be {\"policy\": {...}, \"comment\": \"why\"}", "policy");
  }
  return from_json<resources::NewPolicy>(value, Reading::strict);
}

// The version in If-Match; empty optional where any will do.
Result<std::optional<std::uint64_t>> expected_version(Call& call) {
  const auto header = call.request.header("If-Match");
  if (!header || trim(*header) == "*") return std::nullopt;
  std::string_view tag = trim(*header);
  if (tag.size() > 2 && tag.front() == '"' && tag.back() == '"') tag = tag.substr(1, tag.size() - 2);
  const auto version = parse_uint(tag);
  if (!version) return fail(Errc::changed, "If-Match is not an ETag of this policy; read it again");
  return version;
}

Result<net::Response> get(Call& call) {
  SICKBAY_ASSIGN(const PolicyVersion version, call.read([&](store::Tx& tx) -> Result<PolicyVersion> {
    return store::current_policy(tx, call.cluster->id);
  }));
  net::Response response = answer(call, version);
  if (call.request.header("If-None-Match") == response.headers.back().second) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

Result<net::Response> put(Call& call) {
  SICKBAY_ASSIGN(const auto expected, expected_version(call));
  SICKBAY_ASSIGN(const resources::NewPolicy body, body_of(call));
  if (const resources::PolicyCheck checked = check_of(body.policy); !checked.ok) {
    const resources::PolicyProblem& first = checked.errors.front();
    return problem({Errc::refused, first.message, "policy." + first.field}, {}, {{"errors", to_json(checked.errors)}});
  }
  SICKBAY_ASSIGN(const PolicyVersion version, call.services.commands.put_policy(call.cluster->id, body.policy,
                                                                                call.person(), body.comment, expected));
  return answer(call, version);
}

Result<net::Response> check(Call& call) {
  SICKBAY_ASSIGN(const resources::NewPolicy body, body_of(call));
  return call.answer(check_of(body.policy));
}

Result<net::Response> versions(Call& call) {
  SICKBAY_ASSIGN(auto all, call.read([&](store::Tx& tx) -> Result<std::vector<PolicyVersion>> {
    return store::list_policies(tx, call.cluster->id);
  }));
  // newest first; the key counts down so that pages do too
  return call.answer_page<resources::PolicyVersionList>(std::move(all), [](const PolicyVersion& version) {
    return fmt::format("{:020}", ~std::uint64_t{0} - version.version);
  });
}

}  // namespace

std::vector<Route> policy_routes() {
  const std::string path = "/v1/compute/clusters/{cluster}/policy";
  constexpr std::size_t kLargest = 256 * 1024;
  return {
      {.method = "POST",
       .path = path + "/check",
       .run = check,
       .summary = "Checks a policy without keeping it",
       .body = schema_of<resources::NewPolicy>,
       .answer = schema_of<resources::PolicyCheck>,
       .body_bytes = kLargest,
       .audited = true},
      {.path = path, .run = get, .summary = "The policy, with its version as ETag", .answer = schema_of<PolicyVersion>},
      {.method = "PUT",
       .path = path,
       .access = Access::admin,
       .run = put,
       .summary = "A new version of the policy; If-Match: the version it is based on",
       .body = schema_of<resources::NewPolicy>,
       .answer = schema_of<PolicyVersion>,
       .body_bytes = kLargest},
      {.path = path + "/versions",
       .run = versions,
       .summary = "All versions, newest first: who changed what",
       .parameters = {"page_size", "page_token"},
       .answer = schema_of<resources::PolicyVersionList>},
  };
}

}  // namespace sickbay::api
