// What admission and the cluster's own turn share of the circuit breaker. Internal to decide/.
#pragma once

#include "decide/turn.hpp"

namespace sickbay::decide {

// max(3, percent of the largest node count of the last day).
double breaker_limit(const Cluster& cluster, std::uint32_t nodes, double percent);
// Why the unhealthy nodes open it now; empty if they do not.
std::string trips_because(const Cluster& cluster, const BreakerPolicy& policy, std::uint32_t nodes,
                          const std::vector<Time>& turned_unhealthy, Time now);
Event open_breaker(Cluster& cluster, std::string why, Time now, Ids& ids);

}  // namespace sickbay::decide
