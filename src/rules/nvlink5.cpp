// NVLink 5 (Xid 144 to 150): the decode table applied to a line (nvidia.hpp).
#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "rules/nvidia.hpp"

namespace sickbay::rules {
namespace {

constexpr int kNewMasks = 575;  // the driver branch whose intrinfo word has another layout

bool mask_matches(std::string_view mask, std::uint32_t value) {
  for (std::size_t i = 0; i < mask.size() && i < 32; ++i) {
    if (mask[i] != '-' && (mask[i] == '1') != (((value >> (31 - i)) & 1) != 0)) return false;
  }
  return mask.size() == 32;
}

bool unit_matches(const Nvlink5Row& row, std::string_view unit) {
  for (const std::string_view part : split(unit, '/')) {
    if (std::find(row.units.begin(), row.units.end(), part) != row.units.end()) return true;
  }
  return false;
}

}  // namespace

const Nvlink5Row* Nvidia::decode(std::uint32_t xid, const Nvlink5Line& line, int branch) const {
  if (line.words.empty()) return nullptr;
  const std::uint32_t intrinfo = line.words[0], status = line.words.size() > 1 ? line.words[1] : 0;
  const auto fits = [&](const Nvlink5Row& row) {
    const bool old_mask = (branch == 0 || branch < kNewMasks) && mask_matches(row.before_r575, intrinfo);
    const bool new_mask = (branch == 0 || branch >= kNewMasks) && mask_matches(row.since_r575, intrinfo);
    return row.xid == xid && (old_mask || new_mask) && unit_matches(row, line.unit);
  };
  const auto heavier = [](const Nvlink5Row* a, const Nvlink5Row* b) {
    return a == nullptr || (a->immediate != "RESET_GPU" && b->immediate == "RESET_GPU") ? b : a;
  };
  const Nvlink5Row *exact = nullptr, *partial = nullptr;
  bool differ = false;
  for (const Nvlink5Row& row : nvlink5_) {
    if (!fits(row)) continue;
    if (row.status.empty() || std::find(row.status.begin(), row.status.end(), status) != row.status.end()) {
      differ = differ || (exact && exact->immediate != row.immediate);
      exact = heavier(exact, &row);
    } else if (std::any_of(row.status.begin(), row.status.end(), [&](auto s) { return s != ~0U && (s & status); })) {
      partial = heavier(partial, &row);  // several bits at once: the heaviest counts
    }
  }
  if (differ && branch == 0) return nullptr;
  return exact ? exact : partial;
}

void Nvidia::judge_nvlink5(const XidLine& line, const Context& context, Finding& finding, std::string& advice) const {
  const auto nvlink = parse_nvlink5(line.tail);
  if (!nvlink) return;
  boost::json::object& evidence = finding.evidence;
  evidence["unit"] = nvlink->unit;
  evidence["severity_word"] = nvlink->word;
  if (nvlink->link) evidence["link"] = *nvlink->link;
  if (!nvlink->words.empty()) {
    evidence["intrinfo"] = fmt::format("0x{:08x}", nvlink->words[0]);
    evidence["subcode"] = nvlink->words[0] >> 20 & 0x3f;
  }
  if (nvlink->words.size() > 1) evidence["error_status"] = fmt::format("0x{:08x}", nvlink->words[1]);
  if (context.driver_branch) evidence["driver_branch"] = context.driver_branch;
  const Nvlink5Row* row = decode(line.code, *nvlink, context.driver_branch);
  if (!row) {  // the word in the line is better than nothing
    const bool fatal = nvlink->word == "Fatal";
    finding.severity = fatal ? Severity::critical : Severity::warning;
    finding.action = fatal ? Action::reboot : Action::none;
    evidence["decoded_by"] = "word";
    advice = fatal ? "the driver calls it fatal; the GPU needs a reset" : "the driver calls it non-fatal; watch it";
    return;
  }
  finding.authority = Authority::decode_table;
  evidence["decoded_by"] = "nvlink5-table";
  evidence["immediate_action"] = row->immediate;
  if (!row->investigate.empty()) evidence["investigate"] = row->investigate;
  const bool reset = row->immediate == "RESET_GPU";
  const bool harmless = row->immediate == "IGNORE" && row->investigate == "IGNORE";
  finding.severity = reset ? Severity::critical : harmless ? Severity::info : Severity::warning;
  finding.action = reset ? Action::reboot : Action::none;
  advice = reset                              ? "the GPU needs a reset"
           : row->immediate == "XID_154_EVAL" ? "what to do is in the recovery action (Xid 154) that follows, if any"
           : harmless                         ? "it can be ignored"
                                              : "no immediate action; watch it";
}

}  // namespace sickbay::rules
