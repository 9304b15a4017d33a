// The resources: one file each, one function that lists its routes.
#pragma once

#include <vector>

#include "api/call.hpp"

namespace sickbay::api {

std::vector<Route> agent_routes();
std::vector<Route> alert_routes();
std::vector<Route> audit_routes();
std::vector<Route> breaker_routes();
std::vector<Route> cluster_routes();
std::vector<Route> event_routes();
std::vector<Route> host_routes();
std::vector<Route> node_routes();
std::vector<Route> policy_routes();
std::vector<Route> remediation_routes();
std::vector<Route> restore_routes();
std::vector<Route> root_routes();
std::vector<Route> summary_routes();
std::vector<Route> token_routes();
std::vector<Route> volume_routes();

}  // namespace sickbay::api
