// The verbs of `sickbay repairs` that change something. Each says first what it will do to which node; on a terminal it
// asks, and with --dry-run it stops there.
#include <fmt/core.h>

#include <ostream>

#include "base/text.hpp"
#include "cli/context.hpp"
#include "cli/repairs.hpp"

namespace sickbay::cli {
namespace {

struct ActOptions {
  std::string id, node, action, comment, reason, request_id;
  bool dry_run = false, override_evidence = false;
};

const auto kActions = CLI::IsMember({"reboot", "reprovision", "migrate", "remove", "power-cycle"});

// The action that an option names, which CLI11 has checked; `otherwise` where it is not given.
Action action_of(const std::string& option, Action otherwise) {
  Action action = otherwise;
  value_of(option, action);
  return action;
}
// The same as the API's mode; "" leaves it to the server.
std::string mode_of(const std::string& option) {
  return option.empty() ? "" : name_of(resources::mode_of(action_of(option, Action::none)));
}

void print_result(Context& context, const resources::Remediation& repair) {
  auto paper = context.paper();
  const std::string state = name_of(repair.state);
  context.around.out << fmt::format("{}  {}  {}  {}\n", short_id(repair.id), printable(node_of(repair)),
                                    name_of(resources::action_of(repair.mode)), paper.paint(state, colour_of(state)));
}

// Fetches the repair, says what is about to happen, and asks. `sentence` is made of node name and action.
struct Prepared {
  std::string path;
  resources::Remediation repair;
};
Result<Prepared> prepare(Context& context, const ActOptions& options,
                         const std::function<std::string(const std::string& node, Action action)>& sentence) {
  SICKBAY_ASSIGN(std::string path, context.repair_path(options.id));
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(auto repair, server->get_as<resources::Remediation>(path));
  const std::string what = sentence(printable(node_of(repair)), resources::action_of(repair.mode));
  if (options.dry_run) {
    context.around.out << "would " << what << "\n" << "nothing was done (--dry-run)\n";
    if (!repair.reason.empty()) context.around.out << "recommended because: " << printable(repair.reason) << '\n';
  } else {
    SICKBAY_CHECK(context.confirm(what + "?"));
  }
  return Prepared{std::move(path), std::move(repair)};
}

// Sends it and prints the repair as it is then.
Status post(Context& context, const std::string& target, const json::value& body) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value answer, server->send("POST", target, body));
  return context.show<resources::Remediation>(answer, [&](const auto& repair) { print_result(context, repair); });
}

Status approve(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [&](const auto& node, Action action) {
                   const Action runs = action_of(options.action, action);
                   return fmt::format("approve: {} {}, which {}", name_of(runs), node, what_happens(runs));
                 }));
  if (options.dry_run) return {};
  resources::Approval body;
  body.comment = options.comment;
  body.mode = mode_of(options.action);
  body.revision = prepared.repair.sickbay.revision;  // refused if the recommendation was raised after we looked
  return post(context, prepared.path + "/approve", to_json(body));
}

Status reject(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [](const auto& node, Action action) {
                   return fmt::format("reject the recommendation to {} {}", name_of(action), node);
                 }));
  if (options.dry_run) return {};
  return post(context, prepared.path + "/reject", to_json(resources::Rejection{options.comment}));
}

Status cancel(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [](const auto& node, Action action) {
                   return fmt::format("cancel the {} of {}", name_of(action), node);
                 }));
  if (options.dry_run) return {};
  return post(context, prepared.path + "/cancel?at_safe_point=true", nullptr);
}

Status retry(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [&](const auto& node, Action action) {
                   const Action runs = action_of(options.action, action);
                   return fmt::format("repair {} again by {}, which {}", node, name_of(runs), what_happens(runs));
                 }));
  if (options.dry_run) return {};
  return post(context, prepared.path + "/retry", to_json(resources::Retry{options.comment, mode_of(options.action)}));
}

Status release(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [](const auto& node, Action) {
                   return fmt::format("give {} back to its schedulers as it is, unrepaired", node);
                 }));
  if (options.dry_run) return {};
  return post(context, prepared.path + "/release", to_json(resources::Release{options.reason}));
}

Status force_drain(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const Prepared prepared, prepare(context, options, [](const auto& node, Action) {
                   return fmt::format("END THE JOBS that still run on {}, and go on with its repair", node);
                 }));
  if (options.dry_run) return {};
  return post(context, prepared.path + "/force_drain", nullptr);
}

void print_preview(Context& context, const resources::Remediation& preview, const std::string& what) {
  context.around.out << "would " << what << '\n';
  for (const std::string& reason : preview.sickbay.reasons) context.around.out << "  " << printable(reason) << '\n';
  context.around.out << "nothing was done (--dry-run)\n";
}

Status create(Context& context, const ActOptions& options) {
  SICKBAY_ASSIGN(const auto node, context.node(options.node));
  const std::string what = fmt::format("{} {}, which {}", options.action, printable(node.name),
                                       what_happens(action_of(options.action, Action::none)));
  const auto body =
      to_json(resources::NewRemediation{mode_of(options.action), options.reason, options.override_evidence});
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  const std::string path = fmt::format("{}/instances/{}/remediations", cluster, escape(node.id));
  if (options.dry_run) {
    SICKBAY_ASSIGN(Server * server, context.server());
    SICKBAY_ASSIGN(const json::value answer, server->send("POST", path + "?dry_run=true", body));
    return context.show<resources::Remediation>(answer,
                                                [&](const auto& preview) { print_preview(context, preview, what); });
  }
  SICKBAY_CHECK(context.confirm(what + "?"));
  // One id for the request, so that sending it again makes no second repair.
  const std::string id = options.request_id.empty() ? context.around.ids.next("cli") : options.request_id;
  return post(context, with_query(path, {{"remediation_id", id}}), body);
}

void add_dry_run(CLI::App& verb, ActOptions& options) {
  verb.add_flag("-n,--dry-run", options.dry_run, "say what would happen, and do nothing");
}
void add_repair(CLI::App& verb, ActOptions& options) {
  add_dry_run(verb, options);
  verb.add_option("REPAIR", options.id, "id, or the beginning of one")->required();
}
void add_comment(CLI::App& verb, ActOptions& options) {
  verb.add_option("--comment", options.comment, "kept with the repair");
}

void add_create(CLI::App& verb, ActOptions& options) {
  add_dry_run(verb, options);
  verb.add_option("NODE", options.node, "name or id")->required();
  verb.add_option("ACTION", options.action, "reboot, reprovision, migrate, remove, power-cycle")
      ->required()
      ->check(kActions);
  verb.add_option("--reason", options.reason, "why; kept with the repair");
  verb.add_flag("--override-evidence", options.override_evidence,
                "although no health check fails on the node: for admins, with --reason");
  verb.add_option("--request-id", options.request_id, "the same id again makes no second repair");
}

}  // namespace

void add_repair_acts(CLI::App& repairs, Context& context) {
  const auto verb = [&](const char* name, const char* what, Status (*run)(Context&, const ActOptions&), auto add) {
    add_verb<ActOptions>(repairs, context, name, what, run, add);
  };
  verb("approve", "let a recommended repair run", approve, [](CLI::App& to, ActOptions& options) {
    add_repair(to, options);
    to.add_option("--action", options.action, "another action than the recommended one; needs --comment")
        ->check(CLI::IsMember({"reboot", "reprovision", "migrate", "remove"}));
    add_comment(to, options);
  });
  verb("reject", "do not repair; it is not recommended again until its alerts clear", reject,
       [](CLI::App& to, ActOptions& options) {
         add_repair(to, options);
         add_comment(to, options);
       });
  verb("cancel", "stop a repair, at the next safe point if it has begun", cancel, add_repair);
  verb("retry", "repair a node again whose repair failed", retry, [](CLI::App& to, ActOptions& options) {
    add_repair(to, options);
    to.add_option("--action", options.action, "another action than the last one")->check(kActions);
    add_comment(to, options);
  });
  verb("release", "give the node of a failed repair back as it is", release, [](CLI::App& to, ActOptions& options) {
    add_repair(to, options);
    to.add_option("--reason", options.reason, "why it is fit for work; kept")->required();
  });
  verb("force-drain", "end the jobs that a drain waits for", force_drain, add_repair);
  verb("create", "repair a node on your own account", create, add_create);
}

}  // namespace sickbay::cli
