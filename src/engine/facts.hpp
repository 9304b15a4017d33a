// Reads what decisions are made from, inside the caller's transaction.
#pragma once

#include "decide/facts.hpp"
#include "engine/options.hpp"
#include "store/tx.hpp"

namespace sickbay::engine {

// A clock that stepped and has been steady for so long is believed again (engine.md 2).
inline constexpr Duration kTrustAgain = minutes{5};

struct Loading {
  const FaultTable& faults;
  const Options& options;
  decide::SafetyState caution;  // what is this replica's; whether only looking is allowed the database says
};

// Nothing when the node does not exist (any more).
std::optional<decide::NodeFacts> load_node_facts(store::Tx& tx, std::string_view node, Time now,
                                                 const Loading& loading);
// Nothing when the node has no open repair.
std::optional<decide::AdmissionFacts> load_admission_facts(store::Tx& tx, const Cluster& cluster, const Node& node,
                                                           Time now, const Loading& loading);
// What a provider last said it can do; nothing when it never has.
std::optional<ProviderCapabilities> load_capabilities(store::Tx& tx, std::string_view cluster,
                                                      std::string_view provider);
std::optional<decide::ClusterFacts> load_cluster_facts(store::Tx& tx, const Cluster& cluster, Time now);

}  // namespace sickbay::engine
