// A cluster in the shape of Together's API. What an operator's own site does not have (add-ons, capacity pools,
// billing) is there with honest empty values.
#pragma once

#include <boost/describe/class.hpp>

#include "resources/adapter.hpp"
#include "resources/remediation.hpp"

namespace sickbay::resources {

struct PhaseTransition {
  std::string phase;
  Time transition_time{};
  BOOST_DESCRIBE_CLASS(PhaseTransition, (), (phase, transition_time), (), ())
};
struct GpuWorkerNode {
  std::string host_name, node_id, instance_id;
  std::uint64_t memory_gib = 0, num_cpu_cores = 0, num_gpus = 0;
  std::vector<std::string> networks;
  std::vector<PhaseTransition> phase_transitions;
  std::string status;
  bool auto_remediation_enabled = true;
  std::optional<Remediation> latest_remediation;
  std::optional<std::string> slurm_worker_hostname;
  BOOST_DESCRIBE_CLASS(GpuWorkerNode, (),
                       (host_name, node_id, instance_id, memory_gib, num_cpu_cores, num_gpus, networks,
                        phase_transitions, status, auto_remediation_enabled, latest_remediation, slurm_worker_hostname),
                       (), ())
};
struct NodeLifecycleEvent {
  std::string message, node_id, reason;
  Time timestamp{};
  BOOST_DESCRIBE_CLASS(NodeLifecycleEvent, (), (message, node_id, reason, timestamp), (), ())
};
struct Cluster {
  std::string cluster_id, cluster_name, cluster_type, status;
  std::string gpu_type, region, billing_type = "ON_DEMAND";
  std::uint64_t num_gpus = 0, num_cpu_workers = 0, num_reserved_gpus = 0, num_capacity_pool_gpus = 0;
  std::uint64_t allocated_preemptible_gpus = 0, desired_preemptible_gpus = 0;
  std::string cuda_version, nvidia_driver_version, os_image, project_id;
  std::string kube_config;  // the caller's own; empty where none is set up, never the admin's
  bool control_plane_ready = true;
  std::optional<Time> created_at;
  std::vector<GpuWorkerNode> gpu_worker_nodes, deleted_gpu_worker_nodes;
  std::vector<json::object> control_plane_nodes, add_ons, volumes;
  std::vector<PhaseTransition> phase_transitions;
  std::vector<NodeLifecycleEvent> node_lifecycle_events;
  std::vector<UnreachableAdapter> unreachable;  // ours: what cannot be seen now
  BOOST_DESCRIBE_CLASS(Cluster, (),
                       (cluster_id, cluster_name, cluster_type, status, gpu_type, region, billing_type, num_gpus,
                        num_cpu_workers, num_reserved_gpus, num_capacity_pool_gpus, allocated_preemptible_gpus,
                        desired_preemptible_gpus, cuda_version, nvidia_driver_version, os_image, project_id,
                        kube_config, control_plane_ready, created_at, gpu_worker_nodes, deleted_gpu_worker_nodes,
                        control_plane_nodes, add_ons, volumes, phase_transitions, node_lifecycle_events, unreachable),
                       (), ())
};
struct ClusterList {  // not paged, as given
  std::vector<Cluster> clusters;
  BOOST_DESCRIBE_CLASS(ClusterList, (), (clusters), (), ())
};

struct NewCluster {
  std::string cluster_name, cluster_type = "KUBERNETES";
  std::optional<std::uint64_t> num_gpus;
  BOOST_DESCRIBE_CLASS(NewCluster, (), (cluster_name, cluster_type, num_gpus), (), ())
};
struct ClusterChange {
  std::optional<std::string> cluster_type;
  std::optional<std::uint64_t> num_gpus;
  BOOST_DESCRIBE_CLASS(ClusterChange, (), (cluster_type, num_gpus), (), ())
};
struct ForgottenCluster {
  std::string cluster_id;
  BOOST_DESCRIBE_CLASS(ForgottenCluster, (), (cluster_id), (), ())
};

struct Region {
  std::string name;
  std::vector<std::string> driver_versions, supported_instance_types;
  BOOST_DESCRIBE_CLASS(Region, (), (name, driver_versions, supported_instance_types), (), ())
};
struct RegionList {
  std::vector<Region> regions;
  BOOST_DESCRIBE_CLASS(RegionList, (), (regions), (), ())
};
struct VolumeList {
  std::vector<json::object> volumes;
  BOOST_DESCRIBE_CLASS(VolumeList, (), (volumes), (), ())
};

}  // namespace sickbay::resources
