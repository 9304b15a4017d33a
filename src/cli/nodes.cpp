// sickbay nodes: what is healthy, what is not, and why a node is as it is.
#include <fmt/core.h>

#include <ostream>

#include "cli/context.hpp"
#include "resources/node.hpp"

namespace sickbay::cli {
namespace {

struct ListOptions {
  std::string pool;
  bool unhealthy = false;
};
struct NodeOptions {
  std::string name;
};

std::string repair_of(const resources::Node& node) {
  if (node.repair) return short_id(node.repair->id);
  return node.quarantine ? short_id(node.quarantine->repair) : "";
}

Status list_nodes(Context& context, const ListOptions& options) {
  SICKBAY_ASSIGN(json::array items, context.list<resources::NodeList>("/nodes", {{"pool", options.pool}}));
  if (options.unhealthy) {
    json::array unwell;
    for (const json::value& item : items) {
      SICKBAY_ASSIGN(const auto node, read_as<resources::Node>(item));
      if (node.state != resources::NodeState::healthy) unwell.push_back(item);
    }
    items = std::move(unwell);
  }
  return context.show_list<resources::NodeList>(std::move(items), [&](const auto& nodes) {
    Table table({"NODE", "POOL", "STATE", "HOST", "GPUS", "REPAIR", "WHY"});
    for (const resources::Node& node : nodes) {
      table.row({node.name, node.pool, name_of(node.state), node.host, std::to_string(node.shape.gpus), repair_of(node),
                 node.headline});
    }
    auto paper = context.paper();
    table.print(paper);
  });
}

void print_node(Context& context, const resources::NodeDetail& node) {
  FieldList sheet;
  sheet.line("node", node.name);
  sheet.line("state", name_of(node.state));
  sheet.line("pool", node.pool);
  sheet.line("host", node.host);
  sheet.line("GPUs", std::to_string(node.shape.gpus));
  sheet.line("boot", node.boot_id);
  sheet.line("booted", clock_time(node.boot_started_at));
  sheet.line("agent", node.agent ? node.agent->version : "");
  sheet.line("last heartbeat", node.agent ? clock_time(node.agent->last_heartbeat) : "");
  sheet.line("auto repair", yes_or_no(node.auto_repair));
  sheet.line("quarantined", node.quarantine ? node.quarantine->cause : "");
  sheet.line("repair", node.repair ? node.repair->id : "");
  sheet.line("identity conflict", node.identity_conflict.value_or(""));
  sheet.line("id", node.id);
  auto paper = context.paper();
  sheet.print(paper);
  Table schedulers({"SCHEDULER", "READY", "CORDONED", "IDLENESS", "WORK", "STATE"});
  for (const resources::SchedulerLook& seen : node.schedulers) {
    schedulers.row({seen.scheduler, yes_or_no(seen.ready), yes_or_no(seen.cordoned), name_of(seen.idleness),
                    std::to_string(seen.holders.size()),
                    seen.error.empty() ? sentence(ready_state(seen)) : "could not be asked: " + seen.error});
  }
  context.around.out << '\n';
  if (!schedulers.empty()) schedulers.print(paper);
  context.around.out << '\n';
  print_sentences(context, node.why);
}

Status show_node(Context& context, const NodeOptions& options) {
  SICKBAY_ASSIGN(const json::value answer, context.get("/nodes/" + escape(options.name)));
  return context.show<resources::NodeDetail>(answer, [&](const auto& node) { print_node(context, node); });
}

Status why_node(Context& context, const NodeOptions& options) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  return print_why(context, cluster + "/nodes/" + escape(options.name));
}

}  // namespace

void add_nodes(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "nodes", "nodes and how they are");
  add_default_verb<ListOptions>(*noun, context, "list", "all nodes", list_nodes,
                                [](CLI::App& verb, ListOptions& options) {
                                  verb.add_option("--pool", options.pool, "of this pool only");
                                  verb.add_flag("--unhealthy", options.unhealthy, "leave out the healthy ones");
                                });
  const auto add_name = [](CLI::App& verb, NodeOptions& options) {
    verb.add_option("NODE", options.name, "name or id")->required();
  };
  add_verb<NodeOptions>(*noun, context, "show", "one node", show_node, add_name);
  add_verb<NodeOptions>(*noun, context, "why", "why a node is as it is, and what it waits for", why_node, add_name);
}

}  // namespace sickbay::cli
