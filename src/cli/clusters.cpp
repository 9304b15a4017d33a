// sickbay clusters: the clusters of this server, and how they are.
#include "cli/context.hpp"
#include "resources/cluster.hpp"

namespace sickbay::cli {
namespace {

std::string names_of(const std::vector<resources::UnreachableAdapter>& unreachable) {
  std::string names;
  for (const resources::UnreachableAdapter& lost : unreachable) names += (names.empty() ? "" : ", ") + lost.adapter;
  return names;
}

Status list_clusters(Context& context) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value answer, server->get("/v1/compute/clusters"));
  return context.show<resources::ClusterList>(answer, [&](const resources::ClusterList& list) {
    Table table({"NAME", "TYPE", "STATUS", "NODES", "UNREACHABLE", "ID"});
    for (const resources::Cluster& cluster : list.clusters) {
      table.row({cluster.cluster_name, cluster.cluster_type, cluster.status,
                 std::to_string(cluster.gpu_worker_nodes.size()), names_of(cluster.unreachable), cluster.cluster_id});
    }
    auto paper = context.paper();
    table.print(paper);
  });
}

}  // namespace

void add_clusters(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "clusters", "the clusters this server looks after");
  add_default_verb(*noun, context, "list", "all of them", list_clusters);
}

}  // namespace sickbay::cli
