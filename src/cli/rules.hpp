// The noun `sickbay rules`: what the log rules are, what they mean, and a test of them on labelled lines. Works
// offline.
#pragma once

#include <ostream>
#include <span>
#include <string>

namespace sickbay::cli {

// `args` are the words after `rules`:
//   list | explain CODE|NAME|LINE | test FILE.tsv | check DIRECTORY   [--json] [--rules DIRECTORY] [--only]
// --rules puts an operator's rule files over the shipped ones; --only takes them alone.
// Returns the exit code: 0 done, 1 failed or rows wrong, 2 wrong use.
int rules_command(std::span<const std::string> args, std::ostream& out, std::ostream& err);

}  // namespace sickbay::cli
