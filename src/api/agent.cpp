// What agents say. Nothing an agent sends may stop its stream: a finding this server cannot read (of a newer agent, or
// of a broken one) is kept as a note with what it said, and the rest of the batch goes on.
#include <fmt/core.h>

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace sickbay::api {
namespace {

constexpr std::size_t kMostFindings = 1000;
constexpr std::size_t kLongestRaw = 4000;

// PostgreSQL's text holds no NUL; it becomes \x00 as everywhere else.
void escape_nul(json::string& text) {
  for (std::size_t at = 0; (at = text.find('\0', at)) != json::string::npos;) text.replace(at, 1, "\\x00");
}
void escape_nul(json::value& value) {
  if (value.is_string()) escape_nul(value.get_string());
  if (value.is_array()) {
    for (json::value& element : value.get_array()) escape_nul(element);
  }
  if (!value.is_object()) return;
  json::object clean;
  for (auto& member : value.get_object()) {
    json::string key(member.key());
    escape_nul(key);
    escape_nul(member.value());
    clean.insert_or_assign(std::string_view(key), std::move(member.value()));
  }
  value = std::move(clean);
}

Result<json::value> body_of(Call& call) {
  SICKBAY_ASSIGN(json::value value, parse_json(call.request.body));
  escape_nul(value);
  return value;
}

Finding unreadable(const json::value& raw, const std::string& why) {
  Finding note;
  const json::value* id = raw.is_object() ? raw.get_object().if_contains("id") : nullptr;
  const std::string text = json::serialize(raw);
  note.id = id && id->is_string() && !id->get_string().empty() ? std::string(id->get_string()) : sha256_hex(text);
  note.kind = FindingKind::note;
  note.detector = "server";
  note.fault.name = "UnreadableFinding";
  note.severity = Severity::info;
  note.sentence = truncate_utf8("The server could not read a finding of this node's agent: " + why, 1000);
  note.evidence = {{"raw", truncate_utf8(text, kLongestRaw)}};
  return note;
}

// Takes out of the set of active faults what this server cannot read: it never was an alert here.
void drop_unreadable(json::value& message) {
  json::value* active = message.is_object() ? message.get_object().if_contains("active") : nullptr;
  if (!active || !active->is_array()) return;
  json::array readable;
  for (json::value& element : active->get_array()) {
    if (const auto fault = from_json<ActiveFault>(element)) {
      readable.push_back(std::move(element));
    } else {
      log::warn("an agent names an active fault that cannot be read: {}", fault.error().message);
    }
  }
  *active = std::move(readable);
}

Result<net::Response> hello(Call& call) {
  SICKBAY_ASSIGN(json::value value, body_of(call));
  drop_unreadable(value);
  SICKBAY_ASSIGN(const wire::Hello said, from_json<wire::Hello>(value));
  SICKBAY_ASSIGN(const wire::HelloReply reply, call.services.intake.hello(said, call.caller->token));
  return call.answer(reply);
}

// An older session's words: the agent says hello again.
net::Response stale(const Error& error) {
  return problem({Errc::conflict, error.message, {}}, "stale_session");
}

Result<net::Response> findings(Call& call) {
  SICKBAY_ASSIGN(json::value value, body_of(call));
  if (!value.is_object()) return fail(Errc::invalid, "the body must be a batch of findings");
  json::array raw;
  if (json::value* found = value.get_object().if_contains("findings")) {
    if (!found->is_array()) return fail(Errc::invalid, "findings must be a list", "findings");
    raw = std::move(found->get_array());
    value.get_object().erase("findings");
  }
  if (raw.size() > kMostFindings) {
    return fail(Errc::too_large, fmt::format("a batch has at most {} findings", kMostFindings), "findings");
  }
  SICKBAY_ASSIGN(wire::Batch batch, from_json<wire::Batch>(value));
  for (const json::value& element : raw) {
    auto finding = from_json<Finding>(element);
    batch.findings.push_back(finding ? std::move(*finding) : unreadable(element, finding.error().message));
  }
  const auto reply = call.services.intake.findings(call.caller->token.node, batch);
  if (!reply && reply.error().code == Errc::changed) return stale(reply.error());
  if (!reply) return tl::unexpected<Error>(reply.error());
  return call.answer(*reply);
}

Result<net::Response> heartbeat(Call& call) {
  SICKBAY_ASSIGN(json::value value, body_of(call));
  drop_unreadable(value);
  SICKBAY_ASSIGN(const wire::Heartbeat said, from_json<wire::Heartbeat>(value));
  const auto reply = call.services.intake.heartbeat(call.caller->token.node, said);
  if (!reply && reply.error().code == Errc::changed) return stale(reply.error());
  if (!reply) return tl::unexpected<Error>(reply.error());
  return call.answer(*reply);
}

}  // namespace

std::vector<Route> agent_routes() {
  constexpr std::size_t kLargest = 1024 * 1024;
  return {
      {.method = "POST",
       .path = "/v1/agent/hello",
       .access = Access::join,
       .run = hello,
       .summary = "An agent's start: opens a session",
       .body = schema_of<wire::Hello>,
       .answer = schema_of<wire::HelloReply>,
       .lenient = true,
       .body_bytes = kLargest},
      {.method = "POST",
       .path = "/v1/agent/findings",
       .access = Access::agent,
       .run = findings,
       .summary = "Findings, durable once acknowledged",
       .body = schema_of<wire::Batch>,
       .answer = schema_of<wire::BatchReply>,
       .lenient = true,
       .body_bytes = kLargest},
      {.method = "POST",
       .path = "/v1/agent/heartbeat",
       .access = Access::agent,
       .run = heartbeat,
       .summary = "An agent's sign of life",
       .body = schema_of<wire::Heartbeat>,
       .answer = schema_of<wire::HeartbeatReply>,
       .lenient = true,
       .body_bytes = kLargest},
  };
}

}  // namespace sickbay::api
