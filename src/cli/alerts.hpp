// Open alerts, which more than one noun shows.
#pragma once

#include "cli/context.hpp"

namespace sickbay::cli {

// Firing ones first, then pending, each newest first; `query` may narrow them. At most `limit` (0: all).
Result<json::array> open_alerts(Context& context, const Query& query, std::size_t limit);

// "DmesgXidError/119".
std::string fault_of(const json::value& alert);

}  // namespace sickbay::cli
