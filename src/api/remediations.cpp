// Repairs, which the public API calls remediations: Together's routes, and ours beside them. The rules (who may decide
// what, when) are decide's; this file only says them in HTTP.
#include <fmt/core.h>

#include "api/remediation_view.hpp"
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"
#include "resources/why.hpp"
#include "store/answered.hpp"
#include "store/paging.hpp"
#include "store/repairs.hpp"

namespace sickbay::api {
namespace {

constexpr std::size_t kLongestComment = 4000;

Result<std::optional<Action>> optional_mode(const std::string& mode) {
  if (mode.empty()) return std::nullopt;
  const auto action = resources::action_named(mode);
  if (!action) {
    return fail(Errc::invalid,
                fmt::format("'{}' is not a mode; modes are {}", truncate_utf8(mode, 60), resources::mode_names()),
                "mode");
  }
  return action;
}

Status short_enough(const std::string& text, std::string_view field) {
  if (text.size() <= kLongestComment) return {};
  return fail(Errc::invalid, fmt::format("{} is longer than {} bytes", field, kLongestComment), std::string(field));
}

Result<net::Response> answer(Call& call, const Repair& repair) {
  SICKBAY_ASSIGN(const auto shown, call.read([&](store::Tx& tx) -> Result<resources::Remediation> {
    return read_remediation(tx, repair);
  }));
  net::Response response = call.answer(shown);
  response.headers.emplace_back("ETag", fmt::format("\"{}\"", repair.revision));
  return response;
}

// The repair of the path; instance "-" stands for any of the cluster's.
Result<Repair> repair_of(Call& call) {
  const std::string_view id = call.part("remediation"), instance = call.part("instance");
  SICKBAY_ASSIGN(auto repair,
                 call.read([&](store::Tx& tx) -> Result<std::optional<Repair>> { return store::get_repair(tx, id); }));
  const bool here = repair && repair->cluster == call.cluster->id &&
                    (instance == "-" || instance == repair->node || instance == repair->node_name);
  if (!here) return fail(Errc::not_found, fmt::format("there is no remediation {} of the instance {}", id, instance));
  return *repair;
}

Result<net::Response> list(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  store::RepairFilter filter;
  filter.cluster = call.cluster->id;
  if (call.part("instance") != "-") {
    SICKBAY_ASSIGN(const Node node, call.node());
    filter.node = node.id;
  }
  for (const std::string& mode : call.list("mode")) {
    SICKBAY_ASSIGN(const auto action, optional_mode(mode));
    filter.actions.push_back(*action);
  }
  for (const std::string& name : call.list("state")) {
    RepairState state{};
    if (!value_of(name, state)) return fail(Errc::invalid, fmt::format("'{}' is not a state", name), "state");
    filter.states.push_back(state);
  }
  for (const std::string& name : call.list("trigger")) {
    const auto trigger = resources::trigger_named(name);
    if (!trigger) return fail(Errc::invalid, fmt::format("'{}' is not a trigger", name), "trigger");
    filter.triggers.push_back(*trigger);
  }
  const std::string order = call.parameter("order_by").value_or("create_time desc");
  if (order != "create_time" && order != "create_time asc" && order != "create_time desc") {
    return fail(Errc::invalid, "order_by must be 'create_time asc' or 'create_time desc'", "order_by");
  }
  filter.oldest_first = order != "create_time desc";
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    auto paged = store::list_repairs(tx, filter, page);
    std::vector<resources::Remediation> shown;
    for (const Repair& repair : paged.items) shown.push_back(read_remediation(tx, repair));
    return call.answer_list<resources::RemediationList>(std::move(shown), paged.next);
  });
}

Result<net::Response> get(Call& call) {
  SICKBAY_ASSIGN(const Repair repair, repair_of(call));
  return answer(call, repair);
}

// Remembers what an idempotency id was used for; Errc::conflict when it was for something else.
Status same_as_before(Call& call, const std::string& id) {
  if (id.empty()) return {};
  if (id.size() > 128) return fail(Errc::invalid, "remediation_id is longer than 128 characters", "remediation_id");
  const std::string scope = "remediation " + call.cluster->id;
  const std::string hash = sha256_hex(fmt::format("{}\n{}", call.part("instance"), call.request.body));
  SICKBAY_ASSIGN(const Time now, call.services.store.now());
  return call.services.store.write([&](store::Tx& tx) -> Status {
    const auto before = store::get_answered(tx, scope, id);
    if (before && before->body_hash != hash) {
      return fail(Errc::conflict, fmt::format("the remediation_id {} was used for another request", id),
                  "remediation_id");
    }
    if (!before) store::put_answered(tx, scope, id, {hash, ""}, now);
    return {};
  });
}

Result<net::Response> create(Call& call) {
  SICKBAY_ASSIGN(const auto body, call.body<resources::NewRemediation>());
  SICKBAY_ASSIGN(const auto action, optional_mode(body.mode));
  if (!action) return fail(Errc::invalid, "mode is missing: what shall be done", "mode");
  SICKBAY_CHECK(short_enough(body.reason, "reason"));
  SICKBAY_ASSIGN(const Node node, call.node());
  const std::string id = call.parameter("remediation_id").value_or("");
  const decide::Request request{*action, id, body.reason, body.override_evidence};
  if (call.parameter("dry_run") == "true") {
    SICKBAY_ASSIGN(const Repair repair, call.services.commands.preview(node.id, call.person(), request));
    return answer(call, repair);
  }
  SICKBAY_CHECK(same_as_before(call, id));
  SICKBAY_ASSIGN(const Repair repair, call.services.commands.create(node.id, call.person(), request));
  return answer(call, repair);
}

// An approval that came too late, or was meant for another recommendation, shows the repair as it stands now.
Result<net::Response> approve(Call& call) {
  SICKBAY_ASSIGN(const Repair repair, repair_of(call));
  SICKBAY_ASSIGN(const auto body, call.body<resources::Approval>());
  SICKBAY_CHECK(short_enough(body.comment, "comment"));
  decide::Approval approval;
  SICKBAY_ASSIGN(approval.action, optional_mode(body.mode));
  approval.revision = body.revision;
  approval.comment = body.comment;
  const auto approved = call.services.commands.approve(repair.id, call.person(), approval);
  if (approved) return answer(call, *approved);
  if (approved.error().code != Errc::changed && approved.error().code != Errc::conflict) {
    return tl::unexpected<Error>(approved.error());
  }
  SICKBAY_ASSIGN(const Repair now, repair_of(call));
  SICKBAY_ASSIGN(const auto shown,
                 call.read([&](store::Tx& tx) -> Result<resources::Remediation> { return read_remediation(tx, now); }));
  const bool raised = now.state == RepairState::PENDING_APPROVAL;
  const Error error{Errc::conflict, approved.error().message, approved.error().field};
  return problem(error, raised ? "recommendation_raised" : "", {{"remediation", to_json(shown)}});
}

Result<net::Response> reject(Call& call) {
  SICKBAY_ASSIGN(const Repair repair, repair_of(call));
  SICKBAY_ASSIGN(const auto body, call.body<resources::Rejection>());
  SICKBAY_CHECK(short_enough(body.comment, "comment"));
  SICKBAY_ASSIGN(const Repair rejected, call.services.commands.reject(repair.id, call.person(), body.comment));
  return answer(call, rejected);
}

// The given call is for a repair that has not begun. Ours, at_safe_point, is a wish for one that has: honoured before
// its action is sent, or not at all.
Result<net::Response> cancel(Call& call) {
  SICKBAY_ASSIGN(const Repair repair, repair_of(call));
  const bool begun = repair.state > RepairState::PENDING && !is_final(repair.state);
  if (begun && call.parameter("at_safe_point") != "true" && repair.cancel_requested_by != call.person().name) {
    return fail(Errc::conflict, "the repair is " + name_of(repair.state) +
                                    " and cannot be cancelled at once; at_safe_point=true has it undone before its "
                                    "action is sent, if it is not too late");
  }
  SICKBAY_ASSIGN(const Repair cancelled, call.services.commands.cancel(repair.id, call.person()));
  return answer(call, cancelled);
}

Result<net::Response> force_drain(Call& call) {
  SICKBAY_ASSIGN(const Repair repair, repair_of(call));
  SICKBAY_ASSIGN(const Repair forced, call.services.commands.force_drain(repair.id, call.person()));
  return answer(call, forced);
}

Result<net::Response> retry(Call& call) {
  SICKBAY_ASSIGN(const Repair repair, repair_of(call));
  SICKBAY_ASSIGN(const auto body, call.body<resources::Retry>());
  SICKBAY_CHECK(short_enough(body.comment, "comment"));
  SICKBAY_ASSIGN(const auto action, optional_mode(body.mode));
  SICKBAY_ASSIGN(const Repair again, call.services.commands.retry(repair.id, call.person(), action, body.comment));
  return answer(call, again);
}

Result<net::Response> release(Call& call) {
  SICKBAY_ASSIGN(const Repair repair, repair_of(call));
  SICKBAY_ASSIGN(const auto body, call.body<resources::Release>());
  SICKBAY_CHECK(short_enough(body.reason, "reason"));
  SICKBAY_CHECK(call.services.commands.release(repair.id, call.person(), body.reason));
  SICKBAY_ASSIGN(const Repair now, repair_of(call));
  return answer(call, now);
}

Result<net::Response> why(Call& call) {
  SICKBAY_ASSIGN(const Repair repair, repair_of(call));
  SICKBAY_ASSIGN(auto sentences, call.services.commands.why_repair(repair.id));
  return call.answer(resources::Why{std::move(sentences)});
}

}  // namespace

std::vector<Route> remediation_routes() {
  const std::string all = "/v1/compute/clusters/{cluster}/instances/{instance}/remediations";
  const std::string one = all + "/{remediation}";
  constexpr auto kOne = schema_of<resources::Remediation>;
  // What an operator does to one repair: a verb below its path, answered with the repair as it is then.
  const auto act = [&](Route route) {
    route.method = "POST";
    route.path = one + route.path;
    route.access = Access::operator_;
    route.answer = kOne;
    return route;
  };
  return {
      {.path = all,
       .run = list,
       .summary = "The repairs of a node; instance '-' for those of the whole cluster",
       .parameters = {"mode", "state", "trigger", "order_by", "page_size", "page_token"},
       .answer = schema_of<resources::RemediationList>,
       .lenient = true},
      {.method = "POST",
       .path = all,
       .access = Access::operator_,
       .run = create,
       .summary = "Asks for a repair; remediation_id makes a repeated request one repair",
       .parameters = {"remediation_id", "dry_run"},
       .body = schema_of<resources::NewRemediation>,
       .answer = kOne,
       .lenient = true},
      {.path = one, .run = get, .summary = "One repair", .answer = kOne, .lenient = true},
      {.path = one + "/why",
       .run = why,
       .summary = "Why it is as it is, and what it waits for",
       .answer = schema_of<resources::Why>},
      act({.path = "/approve",
           .run = approve,
           .summary = "Approves a recommendation, if wanted with another action",
           .body = schema_of<resources::Approval>,
           .lenient = true}),
      act({.path = "/reject",
           .run = reject,
           .summary = "Rejects a recommendation",
           .body = schema_of<resources::Rejection>,
           .lenient = true}),
      act({.path = "/cancel",
           .run = cancel,
           .summary =
               "Cancels a repair that has not begun; at_safe_point=true: one that has, before its action is sent",
           .parameters = {"at_safe_point"},
           .lenient = true}),
      act({.path = "/retry",
           .run = retry,
           .summary = "A new repair that inherits the quarantine of a failed one",
           .body = schema_of<resources::Retry>,
           .status = 201}),
      act({.path = "/release",
           .run = release,
           .summary = "Returns the node of a failed repair to service as it is",
           .body = schema_of<resources::Release>}),
      act({.path = "/force_drain", .run = force_drain, .summary = "Drains without asking disruption budgets"}),
  };
}

}  // namespace sickbay::api
