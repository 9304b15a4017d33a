// sickbay clusters: the clusters of this server, and how they are.
#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

Status list_clusters(Context& context) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value answer, server->get("/v1/compute/clusters"));
  if (context.as_json) {
    context.print_json(answer);
    return {};
  }
  Table table({"NAME", "TYPE", "STATUS", "NODES", "ID"});
  for (const auto& cluster : list_at(answer, "clusters")) {
    table.row({first_text(cluster, {"cluster_name", "name"}), first_text(cluster, {"cluster_type", "type"}),
               text_at(cluster, "status"), std::to_string(list_at(cluster, "gpu_worker_nodes").size()),
               first_text(cluster, {"cluster_id", "id"})});
  }
  auto paper = context.paper();
  table.print(paper);
  return {};
}

}  // namespace

void add_clusters(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "clusters", "the clusters this server looks after");
  const auto list = [&context] { return list_clusters(context); };
  add_verb(*noun, context, "list", "all of them", list);
  set_default(*noun, context, list);
}

}  // namespace sickbay::cli
