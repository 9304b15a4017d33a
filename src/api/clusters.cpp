// Clusters: Together's routes. Creating one adopts it; machines are neither built nor destroyed here.
#include <fmt/core.h>

#include <set>

#include "api/cluster_view.hpp"
#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"

namespace sickbay::api {
namespace {

struct CreateBody {
  std::string cluster_name, cluster_type = "KUBERNETES";
  std::optional<std::uint64_t> num_gpus;
  BOOST_DESCRIBE_CLASS(CreateBody, (), (cluster_name, cluster_type, num_gpus), (), ())
};
struct UpdateBody {
  std::optional<std::string> cluster_type;
  std::optional<std::uint64_t> num_gpus;
  BOOST_DESCRIBE_CLASS(UpdateBody, (), (cluster_type, num_gpus), (), ())
};
struct ClusterList {
  std::vector<ClusterView> clusters;
  BOOST_DESCRIBE_CLASS(ClusterList, (), (clusters), (), ())
};
struct Deleted {
  std::string cluster_id;
  BOOST_DESCRIBE_CLASS(Deleted, (), (cluster_id), (), ())
};

Result<net::Response> answer(Call& call, const Cluster& cluster) {
  SICKBAY_ASSIGN(const ClusterView view,
                 call.read([&](store::Tx& tx) -> Result<ClusterView> { return read_cluster_view(tx, cluster); }));
  return json_response(to_json(view));
}

Result<net::Response> list(Call& call) {
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    json::array clusters;
    for (const Cluster& cluster : store::list_clusters(tx)) {
      if (call.caller->sees(cluster.id)) clusters.push_back(to_json(read_cluster_view(tx, cluster)));
    }
    return json_response(json::object{{"clusters", std::move(clusters)}});
  });
}

Result<net::Response> get(Call& call) {
  return answer(call, *call.cluster);
}

Result<net::Response> create(Call& call) {
  SICKBAY_ASSIGN(const CreateBody body, call.body<CreateBody>());
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
  const auto& known = call.services.configured;
  const auto found = std::find_if(known.begin(), known.end(), [&](const ClusterConfig& c) { return c.name == name; });
  if (found == known.end()) {
    return fail(Errc::refused,
                fmt::format("no adapters reach a cluster '{}'; name it in the server's configuration", name),
                "cluster_name");
  }
  Cluster cluster;
  cluster.id = cluster_id_of(name);
  cluster.name = name;
  cluster.type = found->type;
  SICKBAY_ASSIGN(cluster, call.services.commands.adopt(cluster, call.person()));
  return answer(call, cluster);
}

Result<net::Response> update(Call& call) {
  SICKBAY_ASSIGN(const UpdateBody body, call.body<UpdateBody>());
  if (body.cluster_type && *body.cluster_type != call.cluster->type) {
    return fail(Errc::refused, "a cluster's type does not change; adopt it anew", "cluster_type");
  }
  SICKBAY_ASSIGN(const ClusterView view,
                 call.read([&](store::Tx& tx) -> Result<ClusterView> { return read_cluster_view(tx, *call.cluster); }));
  if (body.num_gpus && *body.num_gpus != view.num_gpus) {
    return fail(Errc::refused, "no provider here can add or take away machines", "num_gpus");
  }
  return json_response(to_json(view));
}

// Forgets it. The machines stay as they are.
Result<net::Response> forget(Call& call) {
  SICKBAY_CHECK(call.services.commands.forget(call.cluster->id, call.person()));
  return json_response(to_json(Deleted{call.cluster->id}));
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
    json::array names;
    for (const std::string& type : types) names.push_back(json::string(type));
    json::object region = {{"name", kRegion}, {"driver_versions", json::array{}}, {"supported_instance_types", names}};
    return json_response(json::object{{"regions", json::array{std::move(region)}}});
  });
}

}  // namespace

std::vector<Route> cluster_routes() {
  const std::string all = "/v1/compute/clusters", one = all + "/{cluster}";
  constexpr auto kOne = schema_of<ClusterView>;
  return {
      {"GET", all, Access::viewer, list, "The clusters you may see", {}, true, nullptr, schema_of<ClusterList>},
      {"POST", all, Access::admin, create, "Adopts a cluster that exists", {}, true, schema_of<CreateBody>, kOne},
      {"GET", one, Access::viewer, get, "One cluster with its nodes", {}, true, nullptr, kOne},
      {"PUT",
       one,
       Access::admin,
       update,
       "Changes a cluster, where a provider can",
       {},
       true,
       schema_of<UpdateBody>,
       kOne},
      {"DELETE",
       one,
       Access::admin,
       forget,
       "Forgets a cluster; its machines stay as they are",
       {},
       true,
       nullptr,
       schema_of<Deleted>},
      {"GET", "/v1/compute/regions", Access::viewer, regions, "Where nodes can be, and of what kind", {}, true},
  };
}

}  // namespace sickbay::api
