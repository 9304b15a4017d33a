// The OOM killer says each kill in several records, in words that changed with the kernel: "oom-kill:...task=X,pid=N",
// "Out of memory: Killed process N (X)", "Killed process N (X)". One kill is one finding.
#pragma once

#include "rules/kernel_log.hpp"

namespace sickbay::rules {

// For a finding of class oom_kill: false when its victim was just reported. True for every other finding.
bool settle_memory_kill(const Record& record, Context& context, const Finding& finding);

}  // namespace sickbay::rules
