// sickbay nodes: what is healthy, what is not, and why a node is as it is.
#include <fmt/core.h>

#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

struct ListOptions {
  std::string pool;
  bool unhealthy = false;
};

Status list_nodes(Context& context, const ListOptions& options) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(json::array nodes, server->list(cluster + "/nodes", {{"pool", options.pool}}, "nodes", 0));
  Table table({"NODE", "POOL", "STATE", "HOST", "GPUS", "REPAIR", "WHY"});
  json::array shown;
  for (auto& node : nodes) {
    const std::string state = text_at(node, "state");
    if (options.unhealthy && state == "healthy") continue;
    table.row({text_at(node, "name"), text_at(node, "pool"), state, text_at(node, "host"), text_at(node, "shape.gpus"),
               short_id(first_text(node, {"repair.id", "quarantine.repair"})), text_at(node, "headline")});
    shown.push_back(std::move(node));
  }
  if (context.as_json) {
    context.print_json(json::object{{"nodes", std::move(shown)}});
    return {};
  }
  auto paper = context.paper();
  table.print(paper);
  return {};
}

Status show_node(Context& context, const std::string& name) {
  SICKBAY_ASSIGN(const json::value node, context.node(name));
  if (context.as_json) {
    context.print_json(node);
    return {};
  }
  Sheet sheet;
  sheet.line("node", text_at(node, "name"));
  sheet.line("state", text_at(node, "state"));
  sheet.line("pool", text_at(node, "pool"));
  sheet.line("host", text_at(node, "host"));
  sheet.line("GPUs", text_at(node, "shape.gpus"));
  sheet.line("boot", text_at(node, "boot_id"));
  sheet.line("booted", clock_time(text_at(node, "boot_started_at")));
  sheet.line("agent", text_at(node, "agent.version"));
  sheet.line("last heartbeat", clock_time(text_at(node, "agent.last_heartbeat")));
  sheet.line("auto repair", text_at(node, "auto_repair"));
  sheet.line("quarantined", text_at(node, "quarantine.cause"));
  sheet.line("repair", text_at(node, "repair.id"));
  sheet.line("identity conflict", text_at(node, "identity_conflict"));
  sheet.line("id", text_at(node, "id"));
  auto paper = context.paper();
  sheet.print(paper);
  Table schedulers({"SCHEDULER", "READY", "CORDONED", "IDLENESS", "WORK"});
  for (const auto& seen : list_at(node, "schedulers")) {
    schedulers.row({text_at(seen, "scheduler"), text_at(seen, "ready"), text_at(seen, "cordoned"),
                    text_at(seen, "idleness"), std::to_string(list_at(seen, "work").size())});
  }
  context.around.out << '\n';
  if (!schedulers.empty()) schedulers.print(paper);
  context.around.out << '\n';
  print_sentences(context, node);
  return {};
}

Status why_node(Context& context, const std::string& name) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value why, server->get(fmt::format("{}/nodes/{}/why", cluster, escape(name))));
  if (context.as_json) {
    context.print_json(why);
    return {};
  }
  print_sentences(context, why);
  return {};
}

}  // namespace

void add_nodes(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "nodes", "nodes and how they are");
  // CLI11 writes into these while it parses, the verb reads them later: they live as long as the parsed command.
  const auto options = std::make_shared<ListOptions>();
  const auto name = std::make_shared<std::string>();
  const auto list = [&context, options] { return list_nodes(context, *options); };
  for (CLI::App* to : {noun, add_verb(*noun, context, "list", "all nodes", list)}) {
    to->add_option("--pool", options->pool, "of this pool only");
    to->add_flag("--unhealthy", options->unhealthy, "leave out the healthy ones");
  }
  set_default(*noun, context, list);
  add_verb(*noun, context, "show", "one node", [&context, name] { return show_node(context, *name); })
      ->add_option("NODE", *name, "name or id")
      ->required();
  add_verb(*noun, context, "why", "why a node is as it is, and what it waits for",
           [&context, name] { return why_node(context, *name); })
      ->add_option("NODE", *name, "name or id")
      ->required();
}

}  // namespace sickbay::cli
