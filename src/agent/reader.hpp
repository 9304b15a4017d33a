// From raw records to findings: parses, asks the rules, and watches the sequence for gaps. What was already read
// before a restart is read again for what the rules remember (driver version, last Xid) and says nothing anew.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/identity.hpp"
#include "agent/source.hpp"
#include "rules/kernel_log.hpp"

namespace sickbay::agent {

class Reader {
 public:
  // `log` outlives the reader.
  Reader(const rules::KernelLog& log, const Identity& identity, bool allow_injected);
  // `sequence`: of the last record of this boot whose findings are durable. Before the first read().
  void resume(std::optional<std::uint64_t> sequence) { sequence_ = sequence; }

  // The findings of one record. `since_boot` stands in where the record has no time of its own.
  std::vector<Finding> read(const RawRecord& raw, Duration since_boot);
  // Records that were overwritten before they were read, since the last call.
  std::uint64_t take_lost() { return std::exchange(lost_, 0); }

  std::optional<std::uint64_t> sequence() const { return sequence_; }  // of the last record read
  std::uint64_t records() const { return records_; }
  std::uint64_t malformed() const { return malformed_; }

 private:
  const rules::KernelLog& log_;
  rules::Context context_;
  std::optional<std::uint64_t> sequence_;
  std::uint64_t lost_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t malformed_ = 0;
};

// The id of a finding that no kernel record stands behind: the same for the same boot, fault, device and moment.
std::string own_finding_id(std::string_view boot_id, const Finding& finding);

}  // namespace sickbay::agent
