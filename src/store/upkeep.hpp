// The installation, and how long history is kept.
#pragma once

#include <string>

#include "store/tx.hpp"

namespace sickbay::store {

std::string installation_id(Tx& tx);  // made at the first start, in every mark we leave in the world

// Deletes what is older than its keeping time (product.md 3.4: 400 days), a bounded number of rows; says how many.
std::size_t prune(Tx& tx, Time older_than, std::size_t limit);

}  // namespace sickbay::store
