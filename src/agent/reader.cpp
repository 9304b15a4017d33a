#include "agent/reader.hpp"

#include <fmt/core.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "rules/record.hpp"

namespace sickbay::agent {

Reader::Reader(const rules::KernelLog& log, const Identity& identity, bool allow_injected)
    : log_(log), context_(identity.boot_id) {
  context_.allow_injection = allow_injected;
}

std::vector<Finding> Reader::read(const RawRecord& raw, Duration since_boot) {
  ++records_;
  auto record = raw.kmsg ? rules::parse_kmsg(raw.text) : rules::parse_line(raw.text);
  if (!record) {
    if (malformed_++ == 0)
      log::warn("a record of the kernel log is malformed and left out: {}", record.error().message);
    return {};
  }
  if (!raw.kmsg && record->sequence == 0) record->sequence = raw.line;
  if (record->since_boot_us == 0) record->since_boot_us = since_boot.count();
  if (raw.kmsg) {
    const std::uint64_t sequence = record->sequence;
    if (sequence_ && sequence <= *sequence_) {
      log_.read(*record, context_);
      return {};
    }
    if (sequence_ && sequence > *sequence_ + 1) lost_ += sequence - *sequence_ - 1;
    sequence_ = sequence;
  }
  std::vector<Finding> findings = log_.read(*record, context_);
  if (!raw.kmsg) {
    std::size_t ordinal = 0;
    for (Finding& finding : findings) {
      finding.id = sha256_hex(fmt::format("{}|{}|{}|{}", context_.boot_id, raw.file, raw.line, ordinal++));
    }
  }
  return findings;
}

std::string own_finding_id(std::string_view boot_id, const Finding& finding) {
  return sha256_hex(fmt::format("{}|{}|{}|{}|{}|{}", boot_id, finding.detector, name_of(finding.kind),
                                finding.fault.text(), finding.device, finding.since_boot_us));
}

}  // namespace sickbay::agent
