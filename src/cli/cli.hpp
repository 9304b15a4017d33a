// The command line: everything the console can do, in words a person types.
#pragma once

#include <span>
#include <string>

#include "cli/environment.hpp"

namespace sickbay::cli {

// Runs `sickbay ARGUMENTS...`. Returns 0 done, 1 failed, 2 wrong use.
int run(std::span<const std::string> arguments, CliEnvironment& around);

}  // namespace sickbay::cli
