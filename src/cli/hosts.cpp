// sickbay hosts: the machines under the nodes, the spares, and those that were given up.
#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

Status list_hosts(Context& context, const std::string& state) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(json::array hosts, server->list(cluster + "/hosts", {{"state", state}}, "hosts", 0));
  if (context.as_json) {
    context.print_json(json::object{{"hosts", std::move(hosts)}});
    return {};
  }
  Table table({"HOST", "STATE", "NODE", "SHAPE", "CHECKED", "WHY"});
  for (const auto& host : hosts) {
    table.row({text_at(host, "id"), text_at(host, "state"), first_text(host, {"node_name", "node"}),
               text_at(host, "shape.name"), age(text_at(host, "checked_at"), context.now()),
               text_at(host, "vacated_because")});
  }
  auto paper = context.paper();
  table.print(paper);
  return {};
}

}  // namespace

void add_hosts(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "hosts", "the machines under the nodes, and the spares");
  const auto state = std::make_shared<std::string>();  // lives as long as the parsed command
  const auto list = [&context, state] { return list_hosts(context, *state); };
  for (CLI::App* to : {noun, add_verb(*noun, context, "list", "all hosts", list)}) {
    to->add_option("--state", *state, "in-use, spare, vacated, inspecting, ticket");
  }
  set_default(*noun, context, list);
}

}  // namespace sickbay::cli
