// Gathering a cluster's view.
#include "api/cluster_view.hpp"

#include <array>
#include <map>

#include "api/adapter_view.hpp"
#include "api/node_view.hpp"
#include "api/remediation_view.hpp"
#include "store/events.hpp"
#include "store/repairs.hpp"

namespace sickbay::api {
namespace {

constexpr std::size_t kNewestRepairs = 1000, kNewestEvents = 100;

// PCI ids of the PCI ID Repository (pci-ids.ucw.cz): GH100 SXM5, GH100 H200 SXM, GB100 B200, AD102GL L40.
struct Gpu {
  std::string_view pci, name;
};
constexpr std::array kGpus = {Gpu{"10de:2330", "H100_SXM"}, Gpu{"10de:2335", "H200_SXM"}, Gpu{"10de:2901", "B200_SXM"},
                              Gpu{"10de:26b5", "L40_PCIE"}};

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

resources::GpuWorkerNode worker_of(const resources::Node& node, const std::string& cluster_type) {
  resources::GpuWorkerNode worker;
  worker.host_name = node.name;
  worker.node_id = node.id;
  worker.instance_id = node.id;
  worker.num_gpus = node.shape.gpus;
  worker.status = name_of(node.state);
  worker.auto_remediation_enabled = node.auto_repair;
  if (node.boot_started_at) worker.phase_transitions.push_back({"NODE_PHASE_" + node.phase, *node.boot_started_at});
  if (cluster_type == "SLURM") worker.slurm_worker_hostname = node.name;
  return worker;
}

}  // namespace

std::string gpu_type_of(const Shape& shape) {
  const auto x = shape.name.find('x');
  const std::string kind = x == std::string::npos ? shape.name : shape.name.substr(x + 1);
  for (const Gpu& gpu : kGpus) {
    if (gpu.pci == kind) return std::string(gpu.name);
  }
  return kind;
}

resources::Cluster read_cluster_view(store::Tx& tx, const Cluster& cluster, const Services& services) {
  resources::Cluster view;
  view.cluster_id = cluster.id;
  view.cluster_name = cluster.name;
  view.cluster_type = cluster.type;
  view.status = cluster.status;
  view.region = kRegion;
  view.created_at = cluster.created_at;
  if (cluster.created_at)
    view.phase_transitions.push_back({"CLUSTER_PHASE_" + upper(cluster.status), *cluster.created_at});

  view.unreachable = unreachable_adapters(tx, cluster, services);
  store::RepairFilter filter;
  filter.cluster = cluster.id;
  std::map<std::string, Repair> latest;
  for (Repair& repair : store::list_repairs(tx, filter, {kNewestRepairs, {}}).items) {
    latest.try_emplace(repair.node, std::move(repair));  // newest first
  }
  for (const resources::Node& node : node_views(tx, cluster.id)) {
    resources::GpuWorkerNode worker = worker_of(node, cluster.type);
    if (const auto repair = latest.find(node.id); repair != latest.end()) {
      worker.latest_remediation = read_remediation(tx, repair->second);
    }
    view.num_gpus += worker.num_gpus;
    if (view.gpu_type.empty()) view.gpu_type = gpu_type_of(node.shape);
    view.gpu_worker_nodes.push_back(std::move(worker));
  }
  store::EventFilter events;
  events.cluster = cluster.id;
  for (const Event& event : store::list_events(tx, events, {kNewestEvents, {}}).items) {
    if (!event.node.empty())
      view.node_lifecycle_events.push_back({event.message, event.node, name_of(event.kind), event.at});
  }
  return view;
}

}  // namespace sickbay::api
