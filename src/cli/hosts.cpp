// sickbay hosts: the machines under the nodes, the spares, and those that were given up.
#include "cli/context.hpp"
#include "resources/host.hpp"

namespace sickbay::cli {
namespace {

struct ListOptions {
  std::string state;
};

Status list_hosts(Context& context, const ListOptions& options) {
  SICKBAY_ASSIGN(json::array items, context.list<resources::HostList>("/hosts", {{"state", options.state}}));
  return context.show_list<resources::HostList>(std::move(items), [&](const auto& hosts) {
    Table table({"HOST", "STATE", "NODE", "SHAPE", "CHECKED", "WHY"});
    for (const resources::Host& host : hosts) {
      table.row({host.id, name_of(host.state), host.node_name.empty() ? host.node : host.node_name, host.shape.name,
                 age(host.checked_at, context.now()), host.vacated_because});
    }
    auto paper = context.paper();
    table.print(paper);
  });
}

}  // namespace

void add_hosts(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "hosts", "the machines under the nodes, and the spares");
  add_default_verb<ListOptions>(
      *noun, context, "list", "all hosts", list_hosts, [](CLI::App& verb, ListOptions& options) {
        verb.add_option("--state", options.state, "in-use, spare, vacated, inspecting, ticket");
      });
}

}  // namespace sickbay::cli
