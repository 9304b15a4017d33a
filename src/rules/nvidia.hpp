// What NVIDIA's kernel lines mean: Xid, SXid, GPUs off the bus. The codes are data (the catalogue, the NVLink 5 table);
// the order of authority is product.md 3.3: exact code 79, then the recovery action of Xid 154, then the NVLink 5
// decode table, then the catalogue, then "unknown: warn and ask".
#pragma once

#include <vector>

#include "rules/kernel_log.hpp"
#include "rules/xid_line.hpp"

namespace sickbay::rules {

class Nvidia {
 public:
  explicit Nvidia(const Pack& pack);

  // Adds what the record says, and remembers in `context` what later records need. True when the record was one of
  // these lines, even if it says nothing.
  bool read(const Record& record, Context& context, std::vector<Finding>& out) const;

  // The row of the NVLink 5 table for a line, or null. `branch` 0: not known; both masks are tried, and when they
  // lead to different actions there is no answer.
  const Nvlink5Row* decode(std::uint32_t xid, const Nvlink5Line& line, int branch) const;

  const XidCode* xid(std::uint32_t code) const;
  const SxidCode* sxid(std::uint32_t code) const;
  const Bucket& bucket(std::string_view name) const;

 private:
  Finding xid_finding(const XidLine& line, const Record& record, Context& context) const;
  void judge_nvlink5(const XidLine& line, const Context& context, Finding& finding, std::string& advice) const;
  void judge_recovery(const XidLine& line, Finding& finding, std::string& advice) const;
  Finding sxid_finding(const SxidLine& line) const;
  bool read_fallen(const Record& record, Context& context, std::vector<Finding>& out) const;

  std::vector<XidCode> xids_;    // sorted by code
  std::vector<SxidCode> sxids_;  // sorted by code
  std::vector<Bucket> buckets_;
  std::vector<Nvlink5Row> nvlink5_;
  Bucket unlisted_;
};

}  // namespace sickbay::rules
