#include "rules/explain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "base/text.hpp"
#include "model/fault_names.hpp"
#include "model/json.hpp"

namespace sickbay::rules {
namespace {

std::string clears_text(const FaultRule& row) {
  const std::string quiet = row.quiet_for.count() ? " for " + format_duration(row.quiet_for) : "";
  switch (row.clears) {
    case ClearsOn::reboot:
      return "a reboot (a new boot id)";
    case ClearsOn::quiet:
      return "no finding" + quiet;
    case ClearsOn::condition:
      return "its detector says it is over" + quiet;
    case ClearsOn::load:
      return "good under load" + quiet + ", or a passed check";
    case ClearsOn::check:
      return "a passed check";
  }
  return "?";
}

void add_fault(json::object& out, const FaultTable& faults, const Finding& finding) {
  const Classification means = classify(faults, finding);
  const FaultRule& row = means.rule;
  out["fault"] = finding.fault.text();
  out["severity"] = name_of(means.severity);
  out["action"] = name_of(means.action);
  if (row.action_again) out["action_again"] = name_of(*row.action_again);
  if (row.always_ask) out["always_ask"] = true;
  if (row.power_cycle_where_enabled) out["power_cycle_where_enabled"] = true;
  if (row.repeats > 1) out["repeats"] = row.repeats;
  if (!row.look.empty()) out["looks_at"] = row.look;
  out["holds_for"] = format_duration(row.holds_for);
  out["clears_on"] = clears_text(row);
}

Result<json::object> explain_line(const KernelLog& log, const FaultTable& faults, const Record& record) {
  Context context("explain");
  context.allow_injection = true;
  const auto findings = log.read(record, context);
  if (findings.empty()) return fail(Errc::not_found, "no rule makes anything of it");
  json::object out{{"subject", record.message}};
  json::array all;
  for (const Finding& finding : findings) {
    json::object one{{"kind", name_of(finding.kind)},
                     {"meaning", finding.sentence},
                     {"device", finding.device},
                     {"joins", finding.joins},
                     {"authority", name_of(finding.authority)}};
    add_fault(one, faults, finding);
    one["evidence"] = finding.evidence;
    all.push_back(std::move(one));
  }
  out["findings"] = std::move(all);
  return out;
}

// A code is explained by reading the shortest line that has it: what is shown is what would happen.
Result<json::object> explain_code(const KernelLog& log, const FaultTable& faults, std::string_view code, bool sxid) {
  const auto record = parse_line(sxid ? fmt::format("nvidia-nvswitch0: SXid (PCI:0000:00:00.0): {}", code)
                                      : fmt::format("NVRM: Xid (PCI:0000:00:00): {}", code));
  SICKBAY_CHECK(record);
  Context context("explain");
  const auto findings = log.read(*record, context);
  if (findings.empty()) return fail(Errc::not_found, fmt::format("{} is not a code", code));
  const Finding& finding = findings.front();
  json::object out{{"subject", finding.fault.text()}};
  if (const auto* mnemonic = finding.evidence.if_contains("mnemonic")) out["mnemonic"] = *mnemonic;
  if (const auto* bucket = finding.evidence.if_contains("bucket")) out["bucket"] = *bucket;
  std::string meaning = finding.sentence;
  if (const auto at = meaning.find("0000:00:00.0 "); at != std::string::npos) meaning.erase(at, 13);
  out["meaning"] = meaning;
  add_fault(out, faults, finding);
  return out;
}

Result<json::object> explain_name(const KernelLog& log, const FaultTable& faults, std::string_view about) {
  const auto slash = about.find('/');
  const std::string name(about.substr(0, slash));
  json::array rules;
  Finding finding;
  for (const Rule& rule : log.pack().rules) {
    if (rule.name != name && rule.id != name && rule.klass != name) continue;
    if (rules.empty()) {
      finding.fault = {rule.name, slash == std::string_view::npos ? "" : std::string(about.substr(slash + 1))};
      finding.severity = rule.severity, finding.action = rule.action;
    }
    rules.push_back({{"rule", rule.id},
                     {"place", fmt::format("{}:{}", rule.file, rule.line)},
                     {"kind", name_of(rule.kind)},
                     {"meaning", rule.sentence}});
  }
  const bool row =
      std::any_of(faults.rules.begin(), faults.rules.end(), [&](const FaultRule& r) { return r.name == name; });
  if (rules.empty() && !row) {
    return fail(Errc::not_found,
                fmt::format("'{}' is not an Xid code, a fault's name, a rule or its class, and no rule "
                            "makes anything of it as a log line",
                            about));
  }
  if (rules.empty())
    finding.fault = {name, slash == std::string_view::npos ? "" : std::string(about.substr(slash + 1))};
  json::object out{{"subject", about}};
  add_fault(out, faults, finding);
  if (!rules.empty()) out["rules"] = std::move(rules);
  return out;
}

void append(std::string& out, const json::object& object, int indent) {
  for (const auto& [key, value] : object) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    if (value.is_array()) {
      out += fmt::format("{}{}:\n", margin, std::string_view(key));
      for (const json::value& element : value.get_array()) {
        if (element.is_object()) append(out, element.get_object(), indent + 2);
        out += '\n';
      }
    } else if (value.is_object()) {
      out += fmt::format("{}{}: {}\n", margin, std::string_view(key), json::serialize(value));
    } else {
      const std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
      out += fmt::format("{}{:<26}{}\n", margin, std::string(key) + ":", text);
    }
  }
}

}  // namespace

Result<json::object> explain(const KernelLog& log, const FaultTable& faults, std::string_view about) {
  about = trim(about);
  std::string_view code = about;
  for (const std::string_view prefix : {"DmesgXidError/", "xid/", "Xid ", "xid "}) {
    if (code.starts_with(prefix)) code.remove_prefix(prefix.size());
  }
  if (parse_uint(code)) return explain_code(log, faults, code, false);
  for (const std::string_view prefix : {"NvSwitchSxidError/", "sxid/", "SXid ", "sxid "}) {
    if (code.starts_with(prefix) && parse_uint(code.substr(prefix.size()))) {
      return explain_code(log, faults, code.substr(prefix.size()), true);
    }
  }
  if (about.find(' ') == std::string_view::npos) return explain_name(log, faults, about);
  SICKBAY_ASSIGN(const Record record, parse_line(about));
  return explain_line(log, faults, record);
}

std::string explanation_text(const json::object& explanation) {
  std::string out;
  append(out, explanation, 0);
  return out;
}

// As explain and the engine have it: what a fault means is the table's word, not the rule's alone.
json::array list_rules(const KernelLog& log, const FaultTable& faults) {
  json::array out;
  const auto add = [&](const std::string& id, std::string_view klass, const Finding& finding,
                       const std::string& sentence) {
    const Classification means = classify(faults, finding);
    out.push_back({{"id", id},
                   {"class", klass},
                   {"name", finding.fault.text()},
                   {"severity", name_of(means.severity)},
                   {"action", name_of(means.action)},
                   {"sentence", sentence}});
  };
  for (const XidCode& xid : log.pack().xids) {
    const auto bucket = std::find_if(log.pack().buckets.begin(), log.pack().buckets.end(),
                                     [&](const Bucket& b) { return b.name == xid.bucket; });
    if (bucket == log.pack().buckets.end()) continue;
    Finding finding;
    finding.fault = {fault_names::kXidError, std::to_string(xid.code)};
    finding.severity = bucket->severity, finding.action = bucket->action;
    add(fmt::format("xid-{}", xid.code), "xid", finding, "GPU " + xid.says);
  }
  for (const Rule& rule : log.pack().rules) {
    Finding finding;
    finding.fault = {rule.name, ""};
    finding.severity = rule.severity, finding.action = rule.action;
    add(rule.id, rule.klass, finding, rule.sentence);
  }
  return out;
}

}  // namespace sickbay::rules
