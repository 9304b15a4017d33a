// Clusters: Together's routes. Creating one adopts it; machines are neither built nor destroyed here.
#include "store/clusters.hpp"

#include <fmt/core.h>

#include <set>

#include "api/cluster_view.hpp"
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"
#include "store/nodes.hpp"

namespace sickbay::api {
namespace {

Result<net::Response> answer(Call& call, const Cluster& cluster) {
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    return call.answer(read_cluster_view(tx, cluster, call.services));
  });
}

Result<net::Response> list(Call& call) {
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    resources::ClusterList list;
    for (const Cluster& cluster : store::list_clusters(tx)) {
      if (call.caller->sees(cluster.id)) list.clusters.push_back(read_cluster_view(tx, cluster, call.services));
    }
    return call.answer(list);
  });
}

Result<net::Response> get(Call& call) {
  return answer(call, *call.cluster);
}

Result<net::Response> create(Call& call) {
  SICKBAY_ASSIGN(const auto body, call.body<resources::NewCluster>());
  if (!call.caller->sees_all()) return fail(Errc::forbidden, "clusters are adopted by an admin of all clusters");
  const std::string name(trim(body.cluster_name));
  if (name.empty() || name.size() > 100)
    return fail(Errc::invalid, "cluster_name must be 1 to 100 characters", "cluster_name");
  if (body.cluster_type != "KUBERNETES" && body.cluster_type != "SLURM") {
    return fail(Errc::invalid, "cluster_type must be KUBERNETES or SLURM", "cluster_type");
  }
  if (body.num_gpus.value_or(0) > 0) {
    return fail(Errc::refused,
                "no provider here can build machines; to adopt a cluster that exists, ask with num_gpus 0", "num_gpus");
  }
  const auto known = call.services.configured ? call.services.configured() : std::vector<config::ClusterConfig>{};
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& c) { return c.name == name; });
  if (found == known.end()) {
    return fail(Errc::refused,
                fmt::format("no adapters reach a cluster '{}'; name it in the server's configuration", name),
                "cluster_name");
  }
  Cluster cluster;
  cluster.id = config::cluster_id_of(name);
  cluster.name = name;
  cluster.type = found->type;
  SICKBAY_ASSIGN(cluster, call.services.commands.adopt(cluster, call.person()));
  return answer(call, cluster);
}

Result<net::Response> update(Call& call) {
  SICKBAY_ASSIGN(const auto body, call.body<resources::ClusterChange>());
  if (body.cluster_type && *body.cluster_type != call.cluster->type) {
    return fail(Errc::refused, "a cluster's type does not change; adopt it anew", "cluster_type");
  }
  SICKBAY_ASSIGN(const auto view, call.read([&](store::Tx& tx) -> Result<resources::Cluster> {
    return read_cluster_view(tx, *call.cluster, call.services);
  }));
  if (body.num_gpus && *body.num_gpus != view.num_gpus) {
    return fail(Errc::refused, "no provider here can add or take away machines", "num_gpus");
  }
  return call.answer(view);
}

// Forgets it. The machines stay as they are.
Result<net::Response> forget(Call& call) {
  SICKBAY_CHECK(call.services.commands.forget(call.cluster->id, call.person()));
  return call.answer(resources::ForgottenCluster{call.cluster->id});
}

Result<net::Response> regions(Call& call) {
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    std::set<std::string> types;
    for (const Cluster& cluster : store::list_clusters(tx)) {
      if (!call.caller->sees(cluster.id)) continue;
      for (const Node& node : store::list_nodes(tx, cluster.id)) {
        if (!node.shape.name.empty()) types.insert(gpu_type_of(node.shape));
      }
    }
    return call.answer(resources::RegionList{{{std::string(kRegion), {}, {types.begin(), types.end()}}}});
  });
}

}  // namespace

std::vector<Route> cluster_routes() {
  const std::string all = "/v1/compute/clusters", one = all + "/{cluster}";
  constexpr auto kOne = schema_of<resources::Cluster>;
  return {
      {.path = all,
       .run = list,
       .summary = "The clusters you may see",
       .answer = schema_of<resources::ClusterList>,
       .lenient = true},
      {.method = "POST",
       .path = all,
       .access = Access::admin,
       .run = create,
       .summary = "Adopts a cluster that exists",
       .body = schema_of<resources::NewCluster>,
       .answer = kOne,
       .lenient = true},
      {.path = one,
       .run = get,
       .summary = "One cluster with its nodes, and which of its adapters do not answer",
       .answer = kOne,
       .lenient = true},
      {.method = "PUT",
       .path = one,
       .access = Access::admin,
       .run = update,
       .summary = "Changes a cluster, where a provider can",
       .body = schema_of<resources::ClusterChange>,
       .answer = kOne,
       .lenient = true},
      {.method = "DELETE",
       .path = one,
       .access = Access::admin,
       .run = forget,
       .summary = "Forgets a cluster; its machines stay as they are",
       .answer = schema_of<resources::ForgottenCluster>,
       .lenient = true},
      {.path = "/v1/compute/regions",
       .run = regions,
       .summary = "Where nodes can be, and of what kind",
       .answer = schema_of<resources::RegionList>,
       .lenient = true},
  };
}

}  // namespace sickbay::api
