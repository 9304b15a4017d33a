// What schedulers say of nodes: the last look of each.
#pragma once

#include <vector>

#include "model/node.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

std::vector<Observation> observations_of(Tx& tx, std::string_view node);
void put_observation(Tx& tx, const Observation& observation);

}  // namespace sickbay::store
