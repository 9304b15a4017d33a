// A kernel crash is told in many records. The one that names the CPU and the program comes some lines after the first
// and looks the same in harmless traces, so it counts only while a crash is being told.
#pragma once

#include <optional>

#include "rules/kernel_log.hpp"

namespace sickbay::rules {

// Remembers that `finding` began a crash (oops, BUG, panic), if it did.
void begin_crash(const Finding& finding, Context& context);

// A note on who crashed, for the record "CPU: 0 PID: 1899 Comm: bash ..." of a crash that is being told.
std::optional<Finding> read_crash_detail(const Record& record, Context& context);

}  // namespace sickbay::rules
