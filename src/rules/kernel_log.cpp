#include "rules/kernel_log.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "base/text.hpp"
#include "rules/crash.hpp"
#include "rules/memory_kill.hpp"
#include "rules/nvidia.hpp"
#include "rules/pattern.hpp"
#include "rules/scanner.hpp"

namespace sickbay::rules {
namespace {

constexpr std::size_t kMaxValue = 300;  // bytes of a captured value; patterns themselves do not bound what they take

struct CompiledRule {
  std::deque<Pattern> patterns, unless;  // not movable, and shared by reader threads
};

std::string_view captured(const std::vector<Capture>& captures, std::string_view name) {
  const auto at = std::find_if(captures.begin(), captures.end(), [&](const Capture& c) { return c.name == name; });
  return at == captures.end() ? std::string_view{} : at->value;
}

// "{NAME}" and "{NAME|words when there is none}" replaced by captures.
std::string fill(std::string_view text, const std::vector<Capture>& captures, std::string_view device) {
  std::string out;
  for (;;) {
    const auto open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) return out;
    const auto close = text.find('}', open);
    if (close == std::string_view::npos) return out.append(text.substr(open));
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const auto bar = inside.find('|');
    const std::string_view name = inside.substr(0, bar);
    const std::string_view value = name == "device" ? device : captured(captures, name);
    out += !value.empty()                  ? truncate_utf8(value, kMaxValue)
           : bar == std::string_view::npos ? ""
                                           : inside.substr(bar + 1);
    text.remove_prefix(close + 1);
  }
}

// A captured device in the one form it is known by: a PCI address normalised, a name as it is. The old AER form
// "id=00e5" is a requester id: bus, device and function in one number.
std::string device_name(const std::vector<Capture>& captures) {
  const std::string_view device = captured(captures, "device");
  if (std::string pci = normalize_pci(device); !pci.empty()) return pci;
  if (const auto id = parse_uint(captured(captures, "requester"), 16); id && *id <= 0xffff) {
    return fmt::format("0000:{:02x}:{:02x}.{}", *id >> 8, *id >> 3 & 0x1f, *id & 7);
  }
  return std::string(truncate_utf8(device, 256));
}

Finding make_finding(const Rule& rule, const std::vector<Capture>& captures) {
  Finding finding;
  finding.kind = rule.kind;
  std::string device = device_name(captures);
  finding.device = rule.device == "{device}" ? device : fill(rule.device, captures, device);
  finding.fault = {rule.name, fill(rule.code, captures, device)};
  finding.severity = rule.severity;
  finding.action = rule.action;
  finding.joins = rule.joins;
  finding.sentence = fill(rule.sentence, captures, device);
  finding.evidence["rule"] = rule.id;
  finding.evidence["class"] = rule.klass;
  for (const auto& [name, value] : rule.fields) finding.evidence[name] = value;
  for (const Capture& capture : captures) {
    if (capture.name != "device" && !capture.value.empty())
      finding.evidence[capture.name] = truncate_utf8(capture.value, kMaxValue);
  }
  return finding;
}

bool reads(const Rule& rule, const Record& record) {
  if (record.origin == Origin::bare) return true;
  if (rule.from.empty()) return record.origin == Origin::kernel;
  const std::string_view writer = record.origin == Origin::kernel ? std::string_view("kernel") : record.program;
  return std::find(rule.from.begin(), rule.from.end(), writer) != rule.from.end();
}

}  // namespace

struct KernelLog::Compiled {
  Pack pack;
  Nvidia nvidia;
  Scanner scanner;
  std::deque<CompiledRule> rules;

  explicit Compiled(Pack from) : pack(std::move(from)), nvidia(pack), scanner(literals(pack)) {
    for (const Rule& rule : pack.rules) {
      CompiledRule& compiled = rules.emplace_back();
      const auto add = [&](const std::string& text, std::deque<Pattern>& to) {
        to.emplace_back(expand_macros(text, pack.macros).value_or("$.^"));  // check_pack has seen to it that it expands
      };
      for (const std::string& text : rule.patterns) add(text, compiled.patterns);
      for (const std::string& text : rule.unless) add(text, compiled.unless);
    }
  }

  static std::vector<std::pair<std::string, std::uint16_t>> literals(const Pack& pack) {
    std::vector<std::pair<std::string, std::uint16_t>> out;
    for (std::size_t i = 0; i < pack.rules.size(); ++i) {
      for (const std::string& literal : pack.rules[i].literals)
        out.emplace_back(literal, static_cast<std::uint16_t>(i));
    }
    return out;
  }

  std::optional<Finding> match(std::size_t index, const Record& record) const {
    const Rule& rule = pack.rules[index];
    if (!reads(rule, record)) return std::nullopt;
    const CompiledRule& compiled = rules[index];
    for (const Pattern& pattern : compiled.patterns) {
      const auto captures = pattern.match(record.message);
      if (!captures) continue;
      for (const Pattern& unless : compiled.unless) {
        if (unless.matches(record.message)) return std::nullopt;
      }
      return make_finding(rule, *captures);
    }
    return std::nullopt;
  }
};

KernelLog::KernelLog(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
KernelLog::KernelLog(KernelLog&&) noexcept = default;
KernelLog& KernelLog::operator=(KernelLog&&) noexcept = default;
KernelLog::~KernelLog() = default;

Result<KernelLog> KernelLog::load(Pack pack) {
  SICKBAY_CHECK(check_pack(pack));
  return KernelLog(std::make_unique<Compiled>(std::move(pack)));
}

KernelLog KernelLog::built_in() {
  auto pack = read_pack(built_in_pack());  // checked by the build; compiling its patterns again would cost memory
  return KernelLog(std::make_unique<Compiled>(pack ? std::move(*pack) : Pack{}));
}

const Pack& KernelLog::pack() const {
  return compiled_->pack;
}

std::vector<Finding> KernelLog::read(const Record& record, Context& context) const {
  std::vector<Finding> findings;
  if (record.origin != Origin::program && record.facility != 0 && !context.allow_injection) return findings;
  if (record.message.empty()) return findings;
  const bool kernel = record.origin != Origin::program;
  bool done = kernel && (compiled_->nvidia.read(record, context, findings) && !findings.empty());
  if (kernel && !done) {
    if (auto detail = read_crash_detail(record, context)) findings.push_back(std::move(*detail)), done = true;
  }
  if (!done) {
    Keys candidates;
    if (!compiled_->scanner.scan(record.message, candidates)) return findings;
    for (std::size_t i = candidates._Find_first(); i < kMaxKeys && !done; i = candidates._Find_next(i)) {
      auto finding = compiled_->match(i, record);
      if (!finding) continue;
      done = true;
      if (settle_memory_kill(record, context, *finding)) findings.push_back(std::move(*finding));
    }
  }
  std::size_t ordinal = 0;
  for (Finding& finding : findings) {
    begin_crash(finding, context);
    finding.detector = "kernel-log";
    finding.boot_id = context.boot_id;
    finding.since_boot_us = record.since_boot_us;
    finding.id = sha256_hex(fmt::format("{}\n{}\n{}", context.boot_id, record.sequence, ordinal++));
    finding.evidence["sequence"] = record.sequence;
    finding.evidence["facility"] = record.facility;
    finding.evidence["level"] = record.level;
    if (!record.program.empty()) finding.evidence["program"] = record.program;
    finding.evidence["message"] = truncate_utf8(record.message, 4096);
  }
  return findings;
}

}  // namespace sickbay::rules
