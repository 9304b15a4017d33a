// Open alerts, which more than one noun shows.
#pragma once

#include "cli/context.hpp"
#include "resources/alert.hpp"

namespace sickbay::cli {

// Firing ones first, then pending, each newest first; `query` may narrow them. At most `limit` (0: all). As the server
// said them: items of a resources::AlertList.
Result<json::array> open_alerts(Context& context, const Query& query, std::size_t limit);

}  // namespace sickbay::cli
