// One request on its way through a route: what the route's function gets, and how routes are described. The description
// is data, so that access, unknown parameters, body bounds and the OpenAPI document all come from the same table.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/problem.hpp"
#include "config/server_config.hpp"
#include "engine/commands.hpp"
#include "engine/intake.hpp"
#include "model/json.hpp"
#include "net/server.hpp"
#include "people/people.hpp"
#include "resources/list.hpp"
#include "store/paging.hpp"

namespace sickbay::api {

// What the resources stand on. All of it outlives the Api.
struct Services {
  store::Store& store;
  engine::Commands& commands;
  engine::Intake& intake;
  people::Auth& people;
  const Clock& clock;
  Ids& ids;
  std::function<decide::SafetyState()> caution;  // of this replica's engine
  std::function<net::ServerCounters()> http;     // of this replica's server; may be empty
  std::string version;
  // The clusters whose adapters this server has now; any thread.
  std::function<std::vector<config::ClusterConfig>()> configured;
};

// Whose word a route takes. agent: an agent's credential; join: that or a ticket; the others: people and programs with
// at least that role, in the {cluster} of the path where there is one.
enum class Access { open, join, agent, viewer, technician, operator_, admin };

// One page of a vector that is in memory whole, in the order of `key`, which must be unique.
template <class T, class Key>
store::Paged<T> page_of(std::vector<T> all, const store::Page& page, Key key) {
  std::sort(all.begin(), all.end(), [&](const T& a, const T& b) { return key(a) < key(b); });
  store::Paged<T> paged;
  for (T& item : all) {
    if (!page.token.empty() && key(item) <= page.token) continue;
    if (paged.items.size() == page.size) {
      paged.next = key(paged.items.back());
      break;
    }
    paged.items.push_back(std::move(item));
  }
  return paged;
}

class Api;
class Call;
using Function = Result<net::Response> (*)(Call& call);

// Written with the members' names, in this order; what is left out is as it stands here.
struct Route {
  std::string method = "GET", path = {};  // "/v1/compute/clusters/{cluster}/alerts"
  Access access = Access::viewer;
  Function run = nullptr;
  std::string summary = {};                  // for the OpenAPI document
  std::vector<std::string> parameters = {};  // of the query
  json::object (*body)() = nullptr;          // schemas
  json::object (*answer)() = nullptr;
  int status = 200;  // of the answer where it is done
  // Unknown parameters and members are ignored: in the shapes of Together's API, whose newer SDKs may send more, and in
  // what agents of other versions say. On our own they are errors.
  bool lenient = false;
  std::size_t body_bytes = 64 * 1024;
  bool secret_answer = false;  // not kept for repeats under an idempotency id
  bool audited = false;        // leaves an audit row itself, or changes nothing
};

class Call {
 public:
  Call(const Api& a, Services& s, const Route& r, const net::Request& q, std::map<std::string, std::string> path,
       std::vector<std::pair<std::string, std::string>> query)
      : api(a), services(s), route(r), request(q), path_(std::move(path)), query_(std::move(query)) {}

  const Api& api;
  Services& services;
  const Route& route;
  const net::Request& request;
  std::optional<people::Caller> caller;  // set on all routes but open ones
  std::optional<Cluster> cluster;        // set where the path has {cluster}

  decide::Person person() const { return {caller->principal.name, caller->principal.role}; }
  // A part of the path; "" where the route has none of that name.
  std::string_view part(std::string_view name) const;
  // A parameter of the query; empty optional where it is not given or empty.
  std::optional<std::string> parameter(std::string_view name) const;
  // A comma-joined or repeated parameter as a list.
  std::vector<std::string> list(std::string_view name) const;
  // page_size (1 to 1000, default 100) and page_token.
  Result<store::Page> page() const;
  // An enum by its name; Errc::invalid names the parameter.
  template <class E>
  Result<std::optional<E>> choice(std::string_view name) const {
    const auto text = parameter(name);
    E value{};
    if (!text) return std::nullopt;
    if (!value_of(*text, value)) {
      return fail(Errc::invalid, "'" + *text + "' is not a value of " + std::string(name), std::string(name));
    }
    return value;
  }
  // The body as T; an empty one is {}. Unknown members are errors on our own routes.
  template <class T>
  Result<T> body() const {
    if (request.body.empty()) return T{};
    SICKBAY_ASSIGN(const json::value value, body_value());
    return from_json<T>(value, route.lenient ? Reading::lenient : Reading::strict);
  }
  // The body parsed; no string in it holds NUL.
  Result<json::value> body_value() const;

  // The answer that the route promises: its status, with this value.
  template <class T>
  net::Response answer(const T& value) const {
    return json_response(to_json(value), route.status);
  }
  // A list of resources/list.hpp with these items, and the token of the page after them ("": there is none).
  template <class List>
  net::Response answer_list(std::vector<resources::ItemOf<List>> items, const std::string& next = {}) const {
    List list;
    resources::items_of(list) = std::move(items);
    list.has_next = !next.empty();
    list.next_page_token = next;
    return answer(list);
  }
  // The page that was asked for of a list that is in memory whole, in the order of `key`, which must be unique.
  template <class List, class Key>
  Result<net::Response> answer_page(std::vector<resources::ItemOf<List>> all, Key key) const {
    SICKBAY_ASSIGN(const store::Page asked, page());
    auto paged = page_of(std::move(all), asked, key);
    return answer_list<List>(std::move(paged.items), paged.next);
  }

  // Reads the store: `body` is Result<T>(store::Tx&).
  template <class Body>
  auto read(Body body) const {
    return services.store.read(std::move(body));
  }
  // The node of the path's {node} or {instance}, by id or name, of this cluster.
  Result<Node> node() const;
  Result<Node> find_node(std::string_view id_or_name) const;

 private:
  std::map<std::string, std::string> path_;
  std::vector<std::pair<std::string, std::string>> query_;
};

}  // namespace sickbay::api
