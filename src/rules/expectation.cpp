#include "rules/expectation.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <optional>
#include <set>

#include "base/text.hpp"

namespace sickbay::rules {
namespace {

namespace json = boost::json;

struct Field {
  std::string_view key, value;  // no value: a flag
};

struct Label {
  std::string_view kind, subject;  // "xid" "79"; "class" "task_hung"; "not" "task_hung"; "none" ""
  bool sequence = false;
  std::vector<Field> fields;
};

// Remarks and other projects' opinions in labels.
constexpr std::array<std::string_view, 9> kRemarks = {"note",   "npd",     "gcm",    "azure",  "gpud_severity",
                                                      "source", "suspect", "dup_of", "project"};

std::string_view until(std::string_view text, char end) {
  return text.substr(0, text.find(end));
}

Label parse_label(std::string_view expected) {
  Label label;
  std::vector<std::string_view> parts = split(expected, ';');
  if (!parts.empty() && trim(parts[0]) == "seq") label.sequence = true, parts.erase(parts.begin());
  if (parts.empty()) return label;
  const std::string_view head = trim(parts[0]);
  if (head.starts_with("not:")) {
    label.kind = "not", label.subject = until(head.substr(4), '(');
  } else if (const auto equals = head.find('='); equals != std::string_view::npos) {
    label.kind = head.substr(0, equals), label.subject = until(head.substr(equals + 1), '(');
  } else {
    label.kind = until(head, '(');
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = trim(parts[i]);
    const auto equals = part.find('=');
    const bool flag = equals == std::string_view::npos;
    label.fields.push_back({flag ? until(part, '(') : part.substr(0, equals), flag ? "" : part.substr(equals + 1)});
  }
  return label;
}

std::string evidence_text(const Finding& finding, std::string_view key) {
  const json::value* value = finding.evidence.if_contains(key);
  if (!value) return {};
  return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
}

std::optional<std::int64_t> number(std::string_view text) {
  if (text.starts_with("0x")) {
    const auto value = parse_uint(text.substr(2), 16);
    return value ? std::optional<std::int64_t>(static_cast<std::int64_t>(*value)) : std::nullopt;
  }
  return parse_int(text);
}

bool equal_value(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto x = number(a), y = number(b);
  return x && y && *x == *y;
}

std::string label_device(std::string_view device) {
  if (device == "unknown") return {};
  if (device.starts_with("id:")) {
    const auto id = parse_uint(device.substr(3), 16).value_or(0);
    return fmt::format("0000:{:02x}:{:02x}.{}", id >> 8, id >> 3 & 0x1f, id & 7);
  }
  std::string pci = normalize_pci(device);
  return pci.empty() ? std::string(device) : pci;
}

bool is_class(const Finding& finding, std::string_view kind, std::string_view subject) {
  if (kind == "class") return evidence_text(finding, "class") == subject;
  if (evidence_text(finding, kind) == subject) return true;
  // A GPU off the bus is what Xid 79 says, also where the driver logs no Xid.
  return kind == "xid" && evidence_text(finding, "equivalent_xid") == subject;
}

bool opens(const Finding& finding) {
  return finding.kind != FindingKind::note && !finding.joins;
}

std::string severity_word(std::string_view word) {
  if (word == "fatal" || word == "critical") return "critical";
  return word == "warn" || word == "warning" ? "warning" : std::string(word);
}

// What a field's label should be equal to in the finding.
std::string found_value(const Finding& finding, const Label& label, std::string_view key) {
  if (key == "device") return finding.device;
  if (key == "seq") return evidence_text(finding, "sequence");
  if (key == "ts_us") return std::to_string(finding.since_boot_us);
  if (key == "action") return evidence_text(finding, "immediate_action");
  if (key == "severity" && label.kind == "class") return name_of(finding.severity);
  if (key == "severity") return to_lower(evidence_text(finding, "severity_word"));
  if (key == "hl" && evidence_text(finding, "hl").empty()) return finding.device;
  for (const std::string_view alias : {std::string_view("task"), std::string_view("comm"), std::string_view("name")}) {
    if (key != "task" && key != "comm" && key != "name") break;
    if (std::string value = evidence_text(finding, alias); !value.empty()) return value;
  }
  return evidence_text(finding, key);
}

std::string wanted_value(const Label& label, const Field& field) {
  if (field.key == "device") return label_device(field.value);
  if (field.key == "severity" && label.kind == "class") return severity_word(field.value);
  if (field.key == "severity") return to_lower(field.value);
  return std::string(field.value);
}

bool is_remark(std::string_view key) {
  return std::find(kRemarks.begin(), kRemarks.end(), key) != kRemarks.end() || key.starts_with("driver_");
}

std::string describe(const std::vector<Finding>& findings) {
  if (findings.empty()) return "nothing";
  std::vector<std::string> texts;
  for (const Finding& finding : findings) {
    texts.push_back(fmt::format("{} {} (class {}, device '{}'{})", name_of(finding.kind), finding.fault.text(),
                                evidence_text(finding, "class"), finding.device, finding.joins ? ", joins" : ""));
  }
  return fmt::format("{}", fmt::join(texts, " and "));
}

Verdict wrong(std::string why, bool false_positive = false) {
  return {false, false_positive, std::move(why)};
}

std::string victims(const std::vector<Finding>& findings) {
  std::vector<std::string> names;
  for (const Finding& finding : findings) {
    if (evidence_text(finding, "class") != "oom_kill") continue;
    names.push_back(evidence_text(finding, "task") + ":" + evidence_text(finding, "pid"));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

Verdict judge_fields(const Label& label, const Finding& finding, const std::vector<Finding>& all) {
  for (const Field& field : label.fields) {
    const bool secondary = field.key == "secondary" || field.key == "secondary_of";
    if (secondary && opens(finding)) return wrong("opens an incident of its own, but is secondary");
    if (field.key.starts_with("not:")) {
      const std::string_view other = field.key.substr(4);
      for (const Finding& found : all) {
        const bool is = other == "xid" ? found.evidence.contains("xid") : is_class(found, "class", other);
        if (is) return wrong(fmt::format("also says {}, which it is not", other), true);
      }
      continue;
    }
    if (field.key == "victims") {
      if (victims(all) != field.value)
        return wrong(fmt::format("victims are '{}', not '{}'", victims(all), field.value));
      continue;
    }
    if (field.value.empty() || is_remark(field.key)) continue;  // flags such as "retyped", "dup"
    const std::string found = found_value(finding, label, field.key), wanted = wanted_value(label, field);
    if (!equal_value(found, wanted)) return wrong(fmt::format("{} is '{}', not '{}'", field.key, found, wanted));
  }
  return {};
}

Verdict judge_negative(const Label& label, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const bool bad = label.kind == "not"    ? is_class(finding, "class", label.subject)
                     : label.kind == "none" ? finding.kind != FindingKind::note
                                            : opens(finding);
    if (bad) return wrong(fmt::format("found {}", describe(findings)), true);
  }
  return {};
}

Result<std::vector<Finding>> read_all(const KernelLog& log, std::string_view line, bool sequence) {
  Context context("test");
  std::vector<Finding> findings;
  for (const std::string_view part : sequence ? split(line, '\n') : std::vector<std::string_view>{line}) {
    const auto record = parse_line(part);
    if (!record && sequence) continue;
    if (!record) return tl::unexpected<Error>(record.error());
    for (Finding& finding : log.read(*record, context)) findings.push_back(std::move(finding));
  }
  return findings;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[++i];
    if (next == 'n' || next == 't' || next == '\\') {
      out += next == 'n' ? '\n' : next == 't' ? '\t' : '\\';
    } else {
      out += '\\';
      out += next;
    }
  }
  return out;
}

}  // namespace

Verdict judge(const KernelLog& log, std::string_view line, std::string_view expected) {
  const Label label = parse_label(expected);
  const bool negative =
      label.kind == "none" || label.kind == "not" || label.kind == "context" || label.kind == "fragment";
  const auto findings = read_all(log, line, label.sequence);
  if (!findings) return negative ? Verdict{} : wrong("the record cannot be read: " + findings.error().message);
  if (negative) return judge_negative(label, *findings);
  if (label.kind != "xid" && label.kind != "sxid" && label.kind != "class") {
    return wrong(fmt::format("the label '{}' is not one we know", label.kind));
  }
  const auto match = std::find_if(findings->begin(), findings->end(),
                                  [&](const Finding& f) { return is_class(f, label.kind, label.subject); });
  if (match == findings->end()) return wrong(fmt::format("found {}", describe(*findings)));
  if (!label.sequence && std::count_if(findings->begin(), findings->end(), opens) > 1) {
    return wrong(fmt::format("one line opens several incidents: {}", describe(*findings)));
  }
  return judge_fields(label, *match, *findings);
}

std::string Tally::text() const {
  return fmt::format("rows={} ok={} wrong={} false_positives={}", rows, ok, wrong, false_positives);
}

Result<Tally> judge_table(const KernelLog& log, std::string_view tsv,
                          const std::function<void(const Difference&)>& differs) {
  Tally tally;
  std::size_t number = 0;
  for (std::string_view row : split(tsv, '\n')) {
    ++number;
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (number == 1 || row.empty()) continue;  // the header
    const std::vector<std::string_view> columns = split(row, '\t');
    if (columns.size() < 4) {
      return fail(Errc::invalid, fmt::format("line {} has {} columns; a row is source, file, line and expected, "
                                             "separated by tabs",
                                             number, columns.size()));
    }
    const Verdict verdict = judge(log, unescape(columns[2]), columns[3]);
    ++tally.rows;
    ++(verdict.ok ? tally.ok : tally.wrong);
    if (verdict.false_positive) ++tally.false_positives;
    if (!verdict.ok) {
      differs({number, std::string(columns[0]), std::string(columns[1]), std::string(columns[2]),
               std::string(columns[3]), verdict.why, verdict.false_positive});
    }
  }
  return tally;
}

Status check_rule_tests(const KernelLog& log) {
  const auto found_by = [&](const std::string& line, const std::string& id) {
    Context context("test");
    const auto record = parse_line(line);
    if (!record) return false;
    const auto findings = log.read(*record, context);
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& f) { return evidence_text(f, "rule") == id; });
  };
  for (const Rule& rule : log.pack().rules) {
    const auto bad = [&](const std::string& line, std::string_view what) {
      return fail(Errc::invalid,
                  fmt::format("{}:{}: rule '{}': its own test line {}: {}", rule.file, rule.line, rule.id, what, line));
    };
    for (const std::string& line : rule.match) {
      if (!found_by(line, rule.id)) return bad(line, "should match and does not");
    }
    for (const std::string& line : rule.no_match) {
      if (found_by(line, rule.id)) return bad(line, "should not match and does");
    }
  }
  return {};
}

}  // namespace sickbay::rules
