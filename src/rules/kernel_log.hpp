// What kernel records mean. A KernelLog is a compiled rule pack: immutable, shared by every reader. What must be
// remembered from one record to the next (of one boot) is in a Context, which its reader owns.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/finding.hpp"
#include "rules/pack.hpp"
#include "rules/record.hpp"

namespace sickbay::rules {

// The memory of one boot. Bounded: devices over the bound are not remembered, which can only make a secondary line
// open an alert of its own.
struct Context {
  explicit Context(std::string boot) : boot_id(std::move(boot)) {}

  std::string boot_id;
  bool allow_injection = false;  // records of other facilities than the kernel's count too. For tests and labs only
  int driver_branch = 0;         // major version of the NVIDIA driver, from its banner in the log; 0: not known

  struct Device {
    int last_code = 0;         // the last Xid that was not secondary itself
    std::int64_t last_us = 0;  // and when
    bool last_acts = false;    // it asks for an action
    bool fallen = false;       // said to have fallen off the bus in this boot
  };
  std::map<std::string, Device> devices;  // by normalised PCI address
  std::string announced_gpu;              // of "NVRM: The NVIDIA GPU ...": the lines that follow speak of it
  int announced_lines = 0;                // how many of them may still
  int crash_lines = 0;                    // records in which a crash of the kernel may still be told
  Fault crash;                            // and which fault that is
  std::uint64_t last_victim = 0;          // pid of the last process the OOM killer was said to kill
  std::int64_t last_victim_us = 0;
};

class KernelLog {
 public:
  // Compiles a pack. Errc::invalid names file, line, rule and reason; whatever ran before keeps running.
  static Result<KernelLog> load(Pack pack);
  // The pack Sickbay ships; every build checks it.
  static KernelLog built_in();

  KernelLog(KernelLog&&) noexcept;
  KernelLog& operator=(KernelLog&&) noexcept;
  ~KernelLog();

  // What the record says: mostly nothing. Records of another facility than the kernel's say nothing unless the
  // context allows injection. Thread safe as long as each caller has its own context.
  std::vector<Finding> read(const Record& record, Context& context) const;

  const Pack& pack() const;

 private:
  struct Compiled;
  explicit KernelLog(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace sickbay::rules
