// Routing, access, strictness and repeats: what every resource has in common.
#include "api/api.hpp"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/routes.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "store/answered.hpp"
#include "store/clusters.hpp"

namespace sickbay::api {
namespace {

constexpr std::size_t kLongestIdempotencyId = 200;

bool is_variable(std::string_view piece) {
  return piece.starts_with('{');
}

// Whether `path` is the route's, and the parts that fill its variables.
bool matches(std::string_view pattern, const std::vector<std::string>& path,
             std::map<std::string, std::string>& parts) {
  const auto pieces = split(pattern.substr(1), '/');
  if (pieces.size() != path.size()) return false;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (!is_variable(pieces[i])) {
      if (pieces[i] != path[i]) return false;
    } else if (path[i].empty()) {
      return false;
    } else {
      parts[std::string(pieces[i].substr(1, pieces[i].size() - 2))] = path[i];
    }
  }
  return true;
}

Role least_role(Access access) {
  switch (access) {
    case Access::technician:
      return Role::technician;
    case Access::operator_:
      return Role::operator_;
    case Access::admin:
      return Role::admin;
    default:
      return Role::viewer;
  }
}

std::string_view bearer(const net::Request& request) {
  const std::string_view value = request.header("Authorization").value_or("");
  constexpr std::string_view kBearer = "bearer ";
  if (value.size() <= kBearer.size() || to_lower(value.substr(0, kBearer.size())) != kBearer) return {};
  return trim(value.substr(kBearer.size()));
}

Status known_parameters(const Route& route, const net::Target& target) {
  if (route.lenient) return {};
  for (const auto& [name, value] : target.query) {
    if (std::find(route.parameters.begin(), route.parameters.end(), name) != route.parameters.end()) continue;
    const std::string known = route.parameters.empty() ? "none" : fmt::format("{}", fmt::join(route.parameters, ", "));
    return fail(Errc::invalid, fmt::format("there is no parameter '{}' here; known: {}", name, known), name);
  }
  return {};
}

}  // namespace

Api::Api(Services services) : services_(std::move(services)) {
  for (auto* resource : {cluster_routes, remediation_routes, volume_routes, node_routes, alert_routes, event_routes,
                         host_routes, policy_routes, breaker_routes, restore_routes, summary_routes, audit_routes,
                         token_routes, agent_routes, root_routes}) {
    for (Route& route : resource()) routes_.push_back(std::move(route));
  }
}

Api::Match Api::find(std::string_view method, const std::vector<std::string>& path) const {
  Match match;
  std::size_t fewest = ~std::size_t{0};  // a literal piece is closer than a variable
  for (const Route& route : routes_) {
    std::map<std::string, std::string> parts;
    if (!matches(route.path, path, parts)) continue;
    if (route.method != method) {
      match.allowed += (match.allowed.empty() ? "" : ", ") + route.method;
    } else if (parts.size() < fewest) {
      fewest = parts.size();
      match.route = &route;
      match.path = std::move(parts);
    }
  }
  return match;
}

std::size_t Api::body_bytes(std::string_view method, std::string_view target) const {
  const auto parsed = net::parse_target(target);
  const Match match = parsed ? find(method, parsed->path) : Match{};
  return match.route ? match.route->body_bytes : Route{}.body_bytes;
}

net::Response Api::handle(const net::Request& request) {
  const auto target = net::parse_target(request.target);
  if (!target) return problem(target.error());
  Match match = find(request.method, target->path);
  if (!match.route && !match.allowed.empty()) {
    net::Response response = net::plain_problem(405, fmt::format("this resource knows {}", match.allowed));
    response.headers.emplace_back("Allow", match.allowed);
    return response;
  }
  if (!match.route) {
    return problem(
        {Errc::not_found,
         fmt::format("there is no resource {}; /openapi.json lists what there is", truncate_utf8(request.target, 200)),
         {}});
  }
  Call call(*this, services_, *match.route, request, std::move(match.path), target->query);
  try {
    Status ready = admit(call);
    if (ready) ready = known_parameters(*match.route, *target);
    auto result = ready ? run(call) : Result<net::Response>(tl::unexpected<Error>(ready.error()));
    net::Response response = result ? std::move(*result) : problem(result.error());
    note(call, response.status);
    return response;
  } catch (const std::exception& error) {
    log::error("{} {} failed by an internal error: {}", request.method, request.target, error.what());
    return problem({Errc::internal, "internal error; the server's log says more", {}});
  }
}

// Finds the caller and the cluster, and whether the one may in the other.
Status Api::admit(Call& call) const {
  const Access access = call.route.access;
  if (access == Access::open) return {};
  const std::string_view secret = bearer(call.request);
  if (secret.empty()) {
    return fail(Errc::unauthenticated, "send a token as 'Authorization: Bearer TOKEN'");
  }
  SICKBAY_ASSIGN(call.caller, services_.people.authenticate(secret));
  const Token& token = call.caller->token;
  if (access == Access::agent || access == Access::join) {
    if (token.purpose == TokenPurpose::agent || (access == Access::join && token.purpose == TokenPurpose::ticket))
      return {};
    return fail(Errc::forbidden, "only agents speak here, with a credential or a join ticket of their node");
  }
  SICKBAY_CHECK(people::Auth::allow(*call.caller, least_role(access), ""));
  const std::string_view wanted = call.part("cluster");
  if (wanted.empty()) return {};
  SICKBAY_ASSIGN(call.cluster, call.read([&](store::Tx& tx) -> Result<std::optional<Cluster>> {
    if (auto cluster = store::get_cluster(tx, wanted)) return cluster;
    for (Cluster& cluster : store::list_clusters(tx)) {
      if (cluster.name == wanted) return std::optional(std::move(cluster));
    }
    return std::nullopt;
  }));
  // One that is not theirs looks like one that is not there.
  if (!call.cluster || !call.caller->sees(call.cluster->id)) {
    return fail(Errc::not_found,
                fmt::format("there is no cluster {} that '{}' may see", wanted, call.caller->principal.name));
  }
  return {};
}

Result<net::Response> Api::run(Call& call) {
  const auto id = call.request.header("Idempotency-Key");
  if (!id || call.route.method == "GET" || !call.caller || call.caller->principal.kind == PrincipalKind::agent) {
    return call.route.run(call);
  }
  if (call.route.secret_answer) {
    return fail(Errc::invalid, "this takes no Idempotency-Key: its answer holds a secret, which is not kept");
  }
  if (id->empty() || id->size() > kLongestIdempotencyId || !is_utf8(*id)) {
    return fail(Errc::invalid, "an Idempotency-Key has 1 to 200 characters");
  }
  return run_once(call, std::string(*id));
}

// The first answer to an idempotency id is kept and given again to the same request; another request with it is
// refused.
Result<net::Response> Api::run_once(Call& call, const std::string& id) {
  const std::string scope = fmt::format("{} {}", call.caller->principal.id, call.route.path);
  const std::string hash = sha256_hex(call.request.method + " " + call.request.target + "\n" + call.request.body);
  SICKBAY_ASSIGN(const auto before, call.read([&](store::Tx& tx) -> Result<std::optional<store::Answered>> {
    return store::get_answered(tx, scope, id);
  }));
  if (before && before->body_hash != hash) {
    return fail(Errc::conflict, fmt::format("the Idempotency-Key {} was used for another request", id));
  }
  if (before) {
    SICKBAY_ASSIGN(const json::value kept, parse_json(before->answer));
    return json_response(kept.at("body"), static_cast<int>(kept.at("status").to_number<std::int64_t>()));
  }
  SICKBAY_ASSIGN(net::Response response, call.route.run(call));
  SICKBAY_ASSIGN(const json::value body,
                 response.body.empty() ? Result<json::value>(nullptr) : parse_json(response.body));
  const store::Answered answered{hash, json::serialize(json::object{{"status", response.status}, {"body", body}})};
  SICKBAY_ASSIGN(const Time now, services_.store.now());
  const Status kept = services_.store.write([&](store::Tx& tx) -> Status {
    store::put_answered(tx, scope, id, answered, now);
    return {};
  });
  if (!kept) log::warn("the answer to an idempotency id was not kept: {}", kept.error().message);
  return response;
}

// Whatever anybody changed, or was refused, is written down.
void Api::note(const Call& call, int status) {
  if (call.route.method == "GET" || !call.caller || call.caller->principal.kind == PrincipalKind::agent) return;
  const bool done = status < 400;
  if (status == 429 || status >= 500 || (done && (call.route.audited || call.parameter("dry_run")))) return;
  const Status noted = services_.people.note(*call.caller, call.route.method + " " + call.route.path,
                                             truncate_utf8(call.request.target, 300),
                                             done ? "done" : fmt::format("refused with {}", status));
  if (!noted) log::warn("an audit row was not written: {}", noted.error().message);
}

}  // namespace sickbay::api
