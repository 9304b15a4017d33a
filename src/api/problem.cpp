#include "api/problem.hpp"

namespace sickbay::api {

net::Response problem(const Error& error, std::string_view code, const json::object& more) {
  const resources::Problem document = resources::problem_of(error, code);
  json::object body = to_json(document).as_object();
  for (const auto& member : more) body[member.key()] = member.value();
  net::Response response = json_response(body, document.status);
  response.headers[0].second = "application/problem+json";
  // The SDKs retry 409 on their own; here it would only fail again.
  if (document.status == 409) response.headers.emplace_back("x-should-retry", "false");
  if (document.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (document.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

net::Response json_response(const json::value& value, int status) {
  net::Response response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}};
  response.body = json::serialize(value);
  return response;
}

}  // namespace sickbay::api
