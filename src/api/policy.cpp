// The policy of a cluster: read with its version as ETag, written only over the version that was read (If-Match).
#include <fmt/core.h>

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"

namespace sickbay::api {
namespace {

struct PolicyBody {
  Policy policy;
  std::string comment;
  BOOST_DESCRIBE_CLASS(PolicyBody, (), (policy, comment), (), ())
};
struct Problem {
  std::string field, message;
  BOOST_DESCRIBE_CLASS(Problem, (), (field, message), (), ())
};
struct Checked {
  bool ok = false;
  std::vector<Problem> errors;
  std::vector<std::string> notes;
  BOOST_DESCRIBE_CLASS(Checked, (), (ok, errors, notes), (), ())
};

net::Response answer(const PolicyVersion& version) {
  net::Response response = json_response(to_json(version));
  response.headers.emplace_back("ETag", fmt::format("\"{}\"", version.version));
  return response;
}

Checked check_of(const Policy& policy) {
  const decide::PolicyCheck check = decide::check_policy(policy);
  Checked checked;
  checked.ok = check.errors.empty();
  for (const Error& error : check.errors) checked.errors.push_back({error.field, error.message});
  checked.notes = check.notes;
  return checked;
}

// The policy must be there: an empty body would quietly put the defaults.
Result<PolicyBody> body_of(Call& call) {
  SICKBAY_ASSIGN(const json::value value, call.body_value());
  if (!value.is_object() || !value.get_object().contains("policy")) {
    return fail(Errc::invalid, "the body must be {\"policy\": {...}, \"comment\": \"why\"}", "policy");
  }
  return from_json<PolicyBody>(value, Reading::strict);
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
  net::Response response = answer(version);
  if (call.request.header("If-None-Match") == response.headers.back().second) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

Result<net::Response> put(Call& call) {
  SICKBAY_ASSIGN(const auto expected, expected_version(call));
  SICKBAY_ASSIGN(const PolicyBody body, body_of(call));
  if (const Checked checked = check_of(body.policy); !checked.ok) {
    const Problem& first = checked.errors.front();
    return problem({Errc::refused, first.message, "policy." + first.field}, {}, {{"errors", to_array(checked.errors)}});
  }
  SICKBAY_ASSIGN(const PolicyVersion version, call.services.commands.put_policy(call.cluster->id, body.policy,
                                                                                call.person(), body.comment, expected));
  return answer(version);
}

Result<net::Response> check(Call& call) {
  SICKBAY_ASSIGN(const PolicyBody body, body_of(call));
  return json_response(to_json(check_of(body.policy)));
}

Result<net::Response> versions(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  SICKBAY_ASSIGN(auto all, call.read([&](store::Tx& tx) -> Result<std::vector<PolicyVersion>> {
    return store::list_policies(tx, call.cluster->id);
  }));
  // newest first; the key counts down so that pages do too
  auto paged = page_of(std::move(all), page, [](const PolicyVersion& version) {
    return fmt::format("{:020}", ~std::uint64_t{0} - version.version);
  });
  return json_response(list_of("versions", to_array(paged.items), paged.next));
}

}  // namespace

std::vector<Route> policy_routes() {
  const std::string path = "/v1/compute/clusters/{cluster}/policy";
  constexpr std::size_t kLargest = 256 * 1024;
  Route check_route{
      "POST", path + "/check",       Access::viewer,     check,   "Checks a policy without keeping it", {},
      false,  schema_of<PolicyBody>, schema_of<Checked>, kLargest};
  check_route.audited = true;
  return {
      check_route,
      {"GET",
       path,
       Access::viewer,
       get,
       "The policy, with its version as ETag",
       {},
       false,
       nullptr,
       schema_of<PolicyVersion>},
      {"PUT",
       path,
       Access::admin,
       put,
       "A new version of the policy; If-Match: the version it is based on",
       {},
       false,
       schema_of<PolicyBody>,
       schema_of<PolicyVersion>,
       kLargest},
      {"GET",
       path + "/versions",
       Access::viewer,
       versions,
       "All versions, newest first: who changed what",
       {"page_size", "page_token"},
       false},
  };
}

}  // namespace sickbay::api
