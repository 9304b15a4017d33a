// The OpenAPI document, made from the table of routes: it cannot say anything the server does not do.
#include "api/api.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"
#include "resources/problem.hpp"

namespace sickbay::api {
namespace {

// "GET /v1/audit" -> "get_audit": stable names for generated clients.
std::string operation_id(const Route& route) {
  std::string id = to_lower(route.method);
  for (const std::string_view piece : split(route.path, '/')) {
    if (piece.empty() || piece == "v1") continue;
    id += '_';
    for (const char c : piece) {
      if (c != '{' && c != '}') id += c == '.' ? '_' : c;
    }
  }
  return id;
}

json::array parameters_of(const Route& route) {
  json::array all;
  for (const std::string_view piece : split(route.path, '/')) {
    if (!piece.starts_with('{')) continue;
    all.push_back({{"name", piece.substr(1, piece.size() - 2)},
                   {"in", "path"},
                   {"required", true},
                   {"schema", {{"type", "string"}}}});
  }
  for (const std::string& name : route.parameters) {
    all.push_back(
        {{"name", name}, {"in", "query"}, {"schema", {{"type", name == "page_size" ? "integer" : "string"}}}});
  }
  return all;
}

json::object content(json::object schema) {
  return {{"content", {{"application/json", {{"schema", std::move(schema)}}}}}};
}

json::object operation_of(const Route& route) {
  json::object answer = route.answer ? content(route.answer()) : json::object{};
  answer["description"] = "Done";
  json::object operation;
  operation["operationId"] = operation_id(route);
  operation["summary"] = route.summary;
  operation["parameters"] = parameters_of(route);
  if (route.body) operation["requestBody"] = content(route.body());
  operation["responses"] = {{std::to_string(route.status), std::move(answer)},
                            {"default", {{"$ref", "#/components/responses/Problem"}}}};
  if (route.access == Access::open) operation["security"] = json::array{};
  if (route.access > Access::agent)
    operation["x-role"] = route.access == Access::viewer       ? "viewer"
                          : route.access == Access::technician ? "technician"
                          : route.access == Access::operator_  ? "operator"
                                                               : "admin";
  return operation;
}

json::object problem_components() {
  json::object response = {{"description", "What was wrong, where, and what to do (RFC 9457)"},
                           {"content", {{"application/problem+json", {{"schema", schema_of<resources::Problem>()}}}}}};
  return {{"responses", {{"Problem", std::move(response)}}},
          {"securitySchemes", {{"bearer", {{"type", "http"}, {"scheme", "bearer"}}}}}};
}

}  // namespace

json::object Api::openapi() const {
  json::object paths;
  for (const Route& route : routes_) {
    json::value& path = paths[route.path];
    if (!path.is_object()) path.emplace_object();
    path.get_object()[to_lower(route.method)] = operation_of(route);
  }
  json::object bearer;
  bearer["bearer"] = json::array{};
  json::object document;
  document["openapi"] = "3.1.0";
  document["info"] = {{"title", "Sickbay"}, {"version", services_.version}};
  document["security"] = json::array{std::move(bearer)};
  document["paths"] = std::move(paths);
  document["components"] = problem_components();
  return document;
}

}  // namespace sickbay::api
