#include "rules/crash.hpp"

#include <fmt/core.h>

#include "model/fault_names.hpp"
#include "rules/xid_line.hpp"

namespace sickbay::rules {
namespace {
constexpr int kCrashLines = 30;  // the line comes within about 10; other CPUs may log between
}

void begin_crash(const Finding& finding, Context& context) {
  const bool crash = finding.fault.name == fault_names::kKernelOops || finding.fault.name == fault_names::kKernelPanic;
  if (crash && finding.kind == FindingKind::fault) {
    context.crash_lines = kCrashLines;
    context.crash = finding.fault;
  }
}

std::optional<Finding> read_crash_detail(const Record& record, Context& context) {
  if (context.crash_lines == 0) return std::nullopt;
  --context.crash_lines;
  const std::string_view message = record.message;
  if (!message.starts_with("CPU: ")) return std::nullopt;
  const auto cpu = number_after(message, "CPU: "), pid = number_after(message, " PID: ");
  const auto comm_at = message.find(" Comm: ");
  if (!cpu || !pid || comm_at == std::string_view::npos) return std::nullopt;
  std::string_view comm = message.substr(comm_at + 7);
  for (const std::string_view end : {" Not tainted", " Tainted", " Kdump"}) comm = comm.substr(0, comm.find(end));
  context.crash_lines = 0;
  Finding finding;
  finding.kind = FindingKind::note;
  finding.fault = context.crash;
  finding.severity = Severity::info;
  finding.joins = true;
  finding.sentence =
      fmt::format("The kernel crashed in program {} (pid {}) on CPU {}.", comm.substr(0, 64), *pid, *cpu);
  finding.evidence = {{"rule", "kernel-crash-task"},
                      {"class", "kernel_crash_task"},
                      {"cpu", *cpu},
                      {"pid", *pid},
                      {"comm", comm.substr(0, 64)}};
  return finding;
}

}  // namespace sickbay::rules
