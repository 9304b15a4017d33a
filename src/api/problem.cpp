// Errors as problem documents.
#include "api/problem.hpp"

#include <fmt/core.h>

#include <boost/json/serialize.hpp>

#include "base/text.hpp"

namespace sickbay::api {
namespace {

struct Kind {
  Errc code;
  int status;
  std::string_view name, title;
};

// Of api.md's manners: 400 malformed, 401, 403, 404, 409 the state does not allow it, 412 changed meanwhile, 422
// well-formed but refused, 503 with what is down.
constexpr Kind kKinds[] = {
    {Errc::invalid, 400, "invalid", "The request is malformed"},
    {Errc::not_found, 404, "not_found", "There is no such thing"},
    {Errc::conflict, 409, "conflict", "The state does not allow it"},
    {Errc::changed, 412, "changed", "It was changed meanwhile"},
    {Errc::refused, 422, "refused", "A rule forbids it"},
    {Errc::unauthenticated, 401, "unauthenticated", "No valid credential"},
    {Errc::forbidden, 403, "forbidden", "Not allowed"},
    {Errc::too_large, 413, "too_large", "Too large"},
    {Errc::unavailable, 503, "unavailable", "Something it needs is down"},
    {Errc::timeout, 503, "timeout", "It took too long"},
    {Errc::unknown_outcome, 503, "unknown_outcome", "Whether it happened is not known"},
    {Errc::io, 500, "io", "A file or device of the server failed"},
    {Errc::internal, 500, "internal", "A fault of the server"},
};

const Kind& kind_of(Errc code) {
  for (const Kind& kind : kKinds) {
    if (kind.code == code) return kind;
  }
  return kKinds[std::size(kKinds) - 1];
}

}  // namespace

int status_of(Errc code) {
  return kind_of(code).status;
}

net::Response problem(const Error& error, std::string_view code, const json::object& more) {
  const Kind& kind = kind_of(error.code);
  const int status = kind.status;
  const std::string name(code.empty() ? kind.name : code);
  json::object body;
  body["type"] = "urn:sickbay:problem:" + name;
  body["title"] = kind.title;
  body["status"] = status;
  body["detail"] = to_utf8(error.message);
  body["code"] = name;
  if (!error.field.empty()) body["field"] = to_utf8(error.field);
  for (const auto& member : more) body[member.key()] = member.value();
  net::Response response = json_response(body, status);
  response.headers[0].second = "application/problem+json";
  // The SDKs retry 409 on their own; here it would only fail again.
  if (status == 409) response.headers.emplace_back("x-should-retry", "false");
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
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
