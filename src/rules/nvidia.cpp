#include "rules/nvidia.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.hpp"
#include "model/fault_names.hpp"

namespace sickbay::rules {
namespace {

constexpr std::int64_t kJoinUs = 60'000'000;  // secondary codes join within 60 s (detectors' common window)
constexpr std::size_t kMaxDevices = 512;
constexpr int kAnnouncedLines = 6;  // the fallen-off message spans 3 lines; others may come between
constexpr std::uint32_t kFallenOff = 79, kPreempted = 45, kRecoveryChanged = 154;

Context::Device* device_memory(Context& context, const std::string& device) {
  if (const auto at = context.devices.find(device); at != context.devices.end()) return &at->second;
  if (context.devices.size() >= kMaxDevices) return nullptr;
  return &context.devices[device];
}

// The first PCI address with a function in the text, normalised; empty where there is none.
std::string find_pci(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find_first_of(" \n,;)", at), text.size());
    std::string_view word = text.substr(at, end - at);
    while (!word.empty() && (word.back() == ':' || word.back() == '.')) word.remove_suffix(1);
    if (word.starts_with('(')) word.remove_prefix(1);
    if (word.find(':') != std::string_view::npos && word.size() >= 5) {
      if (std::string pci = normalize_pci(word); !pci.empty()) return pci;
    }
    at = end + 1;
  }
  return {};
}

// "550" from "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.144.03  Mon Dec ...".
int banner_branch(std::string_view line) {
  const auto at = line.find("NVIDIA UNIX");
  if (!line.starts_with("NVRM: ") || at == std::string_view::npos) return 0;
  for (const std::string_view word : split(line.substr(at), ' ')) {
    const auto dot = word.find('.');
    const auto major = parse_uint(word.substr(0, dot));
    if (dot != std::string_view::npos && major && *major >= 100 && *major < 2000) return static_cast<int>(*major);
  }
  return 0;
}

void set_text(boost::json::object& evidence, std::string_view key, std::string_view value) {
  if (!value.empty()) evidence[key] = value;
}

Finding xid_like(std::string_view name, std::uint32_t code, const std::string& device) {
  Finding finding;
  finding.fault = {std::string(name), std::to_string(code)};
  finding.device = device;
  return finding;
}

void add_places(std::string_view tail, boost::json::object& evidence) {
  if (const auto gpc = number_after(tail, "(GPC ")) evidence["gpc"] = *gpc;
  if (const auto tpc = number_after(tail, ", TPC ")) evidence["tpc"] = *tpc;
  if (const auto sm = number_after(tail, ", SM ")) evidence["sm"] = *sm;
  if (const auto link = number_after(tail, "on link ")) evidence["link"] = *link;
}

}  // namespace

Nvidia::Nvidia(const Pack& pack)
    : xids_(pack.xids), sxids_(pack.sxids), buckets_(pack.buckets), nvlink5_(pack.nvlink5) {
  const auto by_code = [](const auto& a, const auto& b) { return a.code < b.code; };
  std::sort(xids_.begin(), xids_.end(), by_code);
  std::sort(sxids_.begin(), sxids_.end(), by_code);
  unlisted_.name = "unknown";
  unlisted_.advice = "NVIDIA lists no action for it; a person should look";
}

const XidCode* Nvidia::xid(std::uint32_t code) const {
  const auto at =
      std::lower_bound(xids_.begin(), xids_.end(), code, [](const XidCode& x, auto c) { return x.code < c; });
  return at != xids_.end() && at->code == code ? &*at : nullptr;
}

const SxidCode* Nvidia::sxid(std::uint32_t code) const {
  const auto at =
      std::lower_bound(sxids_.begin(), sxids_.end(), code, [](const SxidCode& x, auto c) { return x.code < c; });
  return at != sxids_.end() && at->code == code ? &*at : nullptr;
}

const Bucket& Nvidia::bucket(std::string_view name) const {
  const auto at = std::find_if(buckets_.begin(), buckets_.end(), [&](const Bucket& b) { return b.name == name; });
  return at != buckets_.end() ? *at : unlisted_;
}

void Nvidia::judge_recovery(const XidLine& line, Finding& finding, std::string& advice) const {
  const auto recovery = parse_recovery(line.tail);
  boost::json::object& evidence = finding.evidence;
  if (!recovery) {
    evidence["immediate_action"] = "unknown";
    return;
  }
  evidence["from"] = recovery->from;
  evidence["to"] = recovery->to;
  set_text(evidence, "recovery_action", recovery->words);
  finding.authority = Authority::recovery_action;
  switch (recovery->to) {  // NVML's nvmlDeviceGpuRecoveryAction
    case 0:
      finding.kind = FindingKind::clear;
      finding.severity = Severity::info;
      evidence["immediate_action"] = "NONE";
      advice = "it has recovered";
      return;
    case 1:
    case 4:
      evidence["immediate_action"] = recovery->to == 1 ? "RESET_GPU" : "DRAIN_AND_RESET";
      advice = recovery->to == 1 ? "the driver asks for a reset" : "the driver asks for its jobs to end and a reset";
      break;
    case 2:
      evidence["immediate_action"] = "NODE_REBOOT";
      advice = "the driver asks for a reboot of the node";
      break;
    default:
      evidence["immediate_action"] = recovery->to == 3 ? "DRAIN_P2P" : "unknown";
      finding.severity = Severity::warning;
      advice = recovery->to == 3 ? "peer-to-peer work on it must end" : "the recovery action is one we do not know";
      return;
  }
  finding.severity = Severity::critical;
  finding.action = Action::reboot;
}

Finding Nvidia::xid_finding(const XidLine& line, const Record& record, Context& context) const {
  Finding finding = xid_like(fault_names::kXidError, line.code, line.device);
  boost::json::object& evidence = finding.evidence;
  evidence["rule"] = "nvidia-xid";
  evidence["class"] = "xid";
  evidence["xid"] = line.code;
  const XidCode* known = xid(line.code);
  const Bucket& verdict = known ? bucket(known->bucket) : unlisted_;
  if (known) evidence["mnemonic"] = known->mnemonic;
  evidence["bucket"] = verdict.name;
  set_text(evidence, "pid", line.pid);
  set_text(evidence, "name", line.name);
  set_text(evidence, "gpu_instance", line.gpu_instance);
  set_text(evidence, "detail", truncate_utf8(line.tail, 1000));
  add_places(line.tail, evidence);
  finding.severity = verdict.severity;
  finding.action = verdict.action;
  finding.authority = line.code == kFallenOff ? Authority::exact_code
                      : known                 ? Authority::catalogue
                                              : Authority::unknown;
  std::string advice = verdict.advice;
  if (line.code >= 144 && line.code <= 150) judge_nvlink5(line, context, finding, advice);
  if (line.code == kRecoveryChanged) judge_recovery(line, finding, advice);

  Context::Device* memory = device_memory(context, line.device);
  const bool recent = memory && memory->last_code && record.since_boot_us - memory->last_us <= kJoinUs;
  if (line.code == kPreempted) {
    const auto cause = number_after(line.tail, "caused by previous Xid ");
    if (cause) evidence["secondary_of"] = *cause;
    if (!cause && recent) evidence["secondary_of"] = memory->last_code;
    finding.joins = cause.has_value() || recent;
  } else if (line.code == kRecoveryChanged) {
    // Joins only an alert that already acts: a recovery action must never be lost in one that does not.
    finding.joins = recent && memory->last_acts && finding.kind == FindingKind::fault;
  } else if (line.code == 171 || line.code == 172) {
    finding.joins = true;  // where the memory error of Xid 48 was
  } else if (line.code == kFallenOff) {
    finding.joins = memory && memory->fallen && memory->last_code != static_cast<int>(kFallenOff);
  }
  if (memory && line.code == kFallenOff) memory->fallen = true;
  if (memory && !finding.joins && line.code != kPreempted && line.code != kRecoveryChanged) {
    memory->last_code = static_cast<int>(line.code);
    memory->last_us = record.since_boot_us;
    memory->last_acts = finding.action != Action::none;
  }
  const std::string process = line.name.empty() ? "" : fmt::format(", process {}", truncate_utf8(line.name, 64));
  finding.sentence = fmt::format("GPU {} {} (Xid {}{}); {}.", line.device,
                                 known ? known->says : "reported an error code that is not in the catalogue", line.code,
                                 process, advice);
  return finding;
}

Finding Nvidia::sxid_finding(const SxidLine& line) const {
  Finding finding = xid_like(fault_names::kSxidError, line.code, line.device);
  boost::json::object& evidence = finding.evidence;
  evidence["rule"] = "nvidia-sxid";
  evidence["class"] = "sxid";
  evidence["sxid"] = line.code;
  set_text(evidence, "switch", line.index);
  set_text(evidence, "severity_word", line.word);
  if (line.link) evidence["link"] = *line.link;
  set_text(evidence, "detail", truncate_utf8(line.detail, 1000));
  const SxidCode* known = sxid(line.code);
  const bool fatal = line.word.empty() ? known && known->fatal : line.word == "Fatal";
  finding.authority = known || !line.word.empty() ? Authority::catalogue : Authority::unknown;
  finding.severity = fatal ? Severity::critical : Severity::warning;
  finding.action = fatal ? Action::reboot : Action::none;
  if (line.secondary) {
    finding.kind = FindingKind::note;
    finding.severity = Severity::info;
    finding.action = Action::none;
    finding.joins = true;
  }
  const std::string link = line.link ? fmt::format(" on link {}", *line.link) : "";
  const std::string what = known && !known->says.empty() ? known->says : "reported an error";
  finding.sentence =
      line.secondary ? fmt::format("NVSwitch {}: details of SXid {}.", line.device, line.code)
                     : fmt::format("NVSwitch {} {}{} (SXid {}); {}.", line.device, what, link, line.code,
                                   fatal ? "it is fatal: the GPUs behind it need a reset of all, so the node a reboot"
                                         : "it is not fatal; watch whether it comes back");
  return finding;
}

// Forms without an Xid: "NVRM: GPU 0000:93:00.0: GPU has fallen off the bus." and the one that names the GPU in its
// first line and says so in its third, which journals split into records of their own.
bool Nvidia::read_fallen(const Record& record, Context& context, std::vector<Finding>& out) const {
  const std::string_view message = record.message;
  const auto fallen = message.find("fallen off the bus");
  const auto announced = message.find("NVRM: The NVIDIA GPU ");
  std::string device = find_pci(message.substr(0, fallen));
  if (fallen == std::string_view::npos) {
    if (announced == 0 && !device.empty()) context.announced_gpu = device, context.announced_lines = kAnnouncedLines;
    if (announced != 0 && context.announced_lines > 0) --context.announced_lines;
    return announced == 0;
  }
  if (device.empty() && announced == std::string_view::npos && context.announced_lines > 0) {
    device = context.announced_gpu;
  }
  context.announced_lines = 0;
  if (device.empty()) return true;
  Finding finding;
  finding.fault = {fault_names::kFallenOffBus, ""};
  finding.device = device;
  finding.severity = Severity::critical;
  finding.action = Action::migrate;
  finding.authority = Authority::exact_code;
  finding.evidence["rule"] = "nvidia-fallen-off-bus";
  finding.evidence["class"] = "gpu_fallen_off_bus";
  finding.evidence["equivalent_xid"] = kFallenOff;
  finding.sentence =
      fmt::format("GPU {} has fallen off the PCI bus and answers nobody; its host needs service.", device);
  if (Context::Device* memory = device_memory(context, device)) {
    finding.joins = memory->fallen;
    memory->fallen = true;
  }
  out.push_back(std::move(finding));
  return true;
}

bool Nvidia::read(const Record& record, Context& context, std::vector<Finding>& out) const {
  const std::string_view message = record.message;
  if (message.starts_with("nvidia-nvswitch")) {
    const auto line = parse_sxid(message);
    if (line) out.push_back(sxid_finding(*line));
    return line.has_value();
  }
  if (!message.starts_with("NVRM: ")) return false;
  if (const int branch = banner_branch(message)) {
    context.driver_branch = branch;
    return true;
  }
  if (message.starts_with("NVRM: Xid ")) {
    if (const auto line = parse_xid(message)) out.push_back(xid_finding(*line, record, context));
    return true;
  }
  const bool seen = read_fallen(record, context, out);
  // One record may hold several lines, an Xid among them.
  for (auto at = message.find('\n'); at != std::string_view::npos; at = message.find('\n', at + 1)) {
    std::string_view rest = trim(message.substr(at + 1, message.find('\n', at + 1) - at - 1));
    if (rest.starts_with('[')) rest = trim(rest.substr(std::min(rest.find(']'), rest.size() - 1) + 1));  // dmesg's time
    if (const auto line = parse_xid(rest)) out.push_back(xid_finding(*line, record, context));
  }
  return seen || !out.empty();
}

}  // namespace sickbay::rules
