#include "resources/problem.hpp"

#include "base/text.hpp"

namespace sickbay::resources {
namespace {

struct Kind {
  Errc code;
  int status;
  std::string_view name, title;
};

// 400 malformed, 401, 403, 404, 409 the state does not allow it, 412 changed meanwhile, 422 well-formed but refused,
// 503 with what is down.
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

Problem problem_of(const Error& error, std::string_view code) {
  const Kind& kind = kind_of(error.code);
  Problem problem;
  problem.code = code.empty() ? kind.name : code;
  problem.type = "urn:sickbay:problem:" + problem.code;
  problem.title = kind.title;
  problem.status = kind.status;
  problem.detail = to_utf8(error.message);
  if (!error.field.empty()) problem.field = to_utf8(error.field);
  return problem;
}

int status_of(Errc code) {
  return kind_of(code).status;
}

Errc errc_of(int status) {
  if (status >= 500 || status == 429) return Errc::unavailable;
  for (const Kind& kind : kKinds) {
    if (kind.status == status) return kind.code;
  }
  return Errc::internal;
}

}  // namespace sickbay::resources
