// The verbs of `sickbay repairs` that change something. Each says first what it will do to which node; on a terminal it
// asks, and with --dry-run it stops there.
#include <fmt/core.h>

#include <ostream>

#include "base/text.hpp"
#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

struct ActOptions {
  std::string id, node, action, comment, reason, request_id;
  bool dry_run = false, override_evidence = false;
};

const auto kActions = CLI::IsMember({"reboot", "reprovision", "migrate", "remove", "power-cycle"});

void print_result(Context& context, const json::value& repair) {
  if (context.as_json) return context.print_json(repair);
  auto paper = context.paper();
  const std::string state = text_at(repair, "state");
  context.around.out << fmt::format("{}  {}  {}  {}\n", short_id(text_at(repair, "id")),
                                    printable(first_text(repair, {"instance_name", "instance_id"})),
                                    action_of(text_at(repair, "mode")), paper.paint(state, colour_of(state)));
}

// Fetches the repair, says what is about to happen, and asks. `sentence` is made of node name and action.
struct Prepared {
  std::string path;
  json::value repair;
};
Result<Prepared> prepare(
    Context& context, const ActOptions& options,
    const std::function<std::string(const std::string& node, const std::string& action)>& sentence) {
  SICKBAY_ASSIGN(std::string path, context.repair_path(options.id));
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(json::value repair, server->get(path));
  const std::string node = printable(first_text(repair, {"instance_name", "instance_id"}));
  const std::string what = sentence(node, action_of(text_at(repair, "mode")));
  if (options.dry_run) {
    context.around.out << "would " << what << "\n" << "nothing was done (--dry-run)\n";
    if (const auto reason = text_at(repair, "reason"); !reason.empty()) {
      context.around.out << "recommended because: " << printable(reason) << '\n';
    }
  } else {
    SICKBAY_CHECK(context.confirm(what + "?"));
  }
  return Prepared{std::move(path), std::move(repair)};
}

Status post(Context& context, const std::string& target, json::object body) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value repair, server->send("POST", target, body));
  print_result(context, repair);
  return {};
}

Status approve(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [&](const auto& node, const auto& action) {
                   const std::string& runs = options.action.empty() ? action : options.action;
                   return fmt::format("approve: {} {}, which {}", runs, node, what_happens(runs));
                 }));
  if (options.dry_run) return {};
  json::object body;
  if (!options.comment.empty()) body["comment"] = options.comment;
  if (!options.action.empty()) body["mode"] = mode_of(options.action);
  // The server then refuses if the recommendation was raised after we looked.
  if (const auto seen = text_at(prepared.repair, "sickbay.revision"); !seen.empty())
    body["revision"] = std::stoull(seen);
  return post(context, prepared.path + "/approve", std::move(body));
}

Status reject(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [](const auto& node, const auto& action) {
                   return fmt::format("reject the recommendation to {} {}", action, node);
                 }));
  if (options.dry_run) return {};
  json::object body;
  if (!options.comment.empty()) body["comment"] = options.comment;
  return post(context, prepared.path + "/reject", std::move(body));
}

Status cancel(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [](const auto& node, const auto& action) {
                   return fmt::format("cancel the {} of {}", action, node);
                 }));
  if (options.dry_run) return {};
  return post(context, prepared.path + "/cancel?at_safe_point=true", {});
}

Status retry(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [&](const auto& node, const auto& action) {
                   const std::string& runs = options.action.empty() ? action : options.action;
                   return fmt::format("repair {} again by {}, which {}", node, runs, what_happens(runs));
                 }));
  if (options.dry_run) return {};
  json::object body;
  if (!options.action.empty()) body["mode"] = mode_of(options.action);
  if (!options.comment.empty()) body["comment"] = options.comment;
  return post(context, prepared.path + "/retry", std::move(body));
}

Status release(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [](const auto& node, const auto&) {
                   return fmt::format("give {} back to its schedulers as it is, unrepaired", node);
                 }));
  if (options.dry_run) return {};
  return post(context, prepared.path + "/release", {{"reason", options.reason}});
}

Status force_drain(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [](const auto& node, const auto&) {
                   return fmt::format("END THE JOBS that still run on {}, and go on with its repair", node);
                 }));
  if (options.dry_run) return {};
  return post(context, prepared.path + "/force_drain", {});
}

Status create(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const json::value node, context.node(options.node));
  const std::string name = printable(first_text(node, {"name", "instance_name"}));
  const std::string what = fmt::format("{} {}, which {}", options.action, name, what_happens(options.action));
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  json::object body{{"mode", mode_of(options.action)}};
  if (!options.reason.empty()) body["reason"] = options.reason;
  if (options.override_evidence) body["override_evidence"] = true;
  const std::string path = fmt::format("{}/instances/{}/remediations", cluster, escape(text_at(node, "id")));
  if (options.dry_run) {
    SICKBAY_ASSIGN(const json::value preview, server->send("POST", path + "?dry_run=true", body));
    if (context.as_json) {
      context.print_json(preview);
      return {};
    }
    context.around.out << "would " << what << '\n';
    for (const auto& reason : list_at(preview, "sickbay.reasons")) {
      if (reason.is_string()) context.around.out << "  " << printable(reason.get_string()) << '\n';
    }
    context.around.out << "nothing was done (--dry-run)\n";
    return {};
  }
  SICKBAY_CHECK(context.confirm(what + "?"));
  // One id for the request, so that sending it again makes no second repair.
  const std::string id = options.request_id.empty() ? context.around.ids.next("cli") : options.request_id;
  return post(context, with_query(path, {{"remediation_id", id}}), std::move(body));
}

}  // namespace

void add_repair_acts(CLI::App& repairs, Context& context) {
  const auto options = std::make_shared<ActOptions>();  // lives as long as the parsed command
  const auto verb = [&](const std::string& name, const std::string& what, Status (*run)(Context&, const ActOptions&)) {
    CLI::App* added =
        add_verb(repairs, context, name, what, [&context, options, run] { return run(context, *options); });
    added->add_flag("-n,--dry-run", options->dry_run, "say what would happen, and do nothing");
    if (name != "create") added->add_option("REPAIR", options->id, "id, or the beginning of one")->required();
    return added;
  };
  CLI::App* added = verb("approve", "let a recommended repair run", approve);
  added->add_option("--action", options->action, "another action than the recommended one; needs --comment")
      ->check(CLI::IsMember({"reboot", "reprovision", "migrate", "remove"}));
  added->add_option("--comment", options->comment, "kept with the repair");
  verb("reject", "do not repair; it is not recommended again until its alerts clear", reject)
      ->add_option("--comment", options->comment, "kept with the repair");
  verb("cancel", "stop a repair, at the next safe point if it has begun", cancel);
  added = verb("retry", "repair a node again whose repair failed", retry);
  added->add_option("--action", options->action, "another action than the last one")->check(kActions);
  added->add_option("--comment", options->comment, "kept with the repair");
  verb("release", "give the node of a failed repair back as it is", release)
      ->add_option("--reason", options->reason, "why it is fit for work; kept")
      ->required();
  verb("force-drain", "end the jobs that a drain waits for", force_drain);
  added = verb("create", "repair a node on your own account", create);
  added->add_option("NODE", options->node, "name or id")->required();
  added->add_option("ACTION", options->action, "reboot, reprovision, migrate, remove, power-cycle")
      ->required()
      ->check(kActions);
  added->add_option("--reason", options->reason, "why; kept with the repair");
  added->add_flag("--override-evidence", options->override_evidence,
                  "although no health check fails on the node: for admins, with --reason");
  added->add_option("--request-id", options->request_id, "the same id again makes no second repair");
}

}  // namespace sickbay::cli
