// How a cluster becomes the shape of Together's API.
#pragma once

#include <string>
#include <string_view>

#include "api/call.hpp"
#include "resources/cluster.hpp"
#include "store/tx.hpp"

namespace sickbay::api {

// The name of a GPU by the SDK's list where it is on it, else the shape's own: "8x10de:2330" is H100_SXM.
std::string gpu_type_of(const Shape& shape);
resources::Cluster read_cluster_view(store::Tx& tx, const Cluster& cluster, const Services& services);

constexpr std::string_view kRegion = "local";  // the site this server runs at

}  // namespace sickbay::api
