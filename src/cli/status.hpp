// What the cluster at a glance and the live view both say first: what of it cannot be seen now.
#pragma once

#include "cli/context.hpp"
#include "resources/summary.hpp"

namespace sickbay::cli {

// A sentence on a line for each adapter that does not answer.
void print_unseen(Context& context, const resources::Summary& summary);

}  // namespace sickbay::cli
