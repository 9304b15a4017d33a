#include "rules/pack.hpp"

#include <fmt/core.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "model/json.hpp"
#include "rules/pattern.hpp"

namespace sickbay::rules {
namespace {

constexpr std::size_t kMaxRules = 1024;
constexpr std::size_t kMinLiteral = 4;

tl::unexpected<Error> bad_rule(const Rule& rule, std::string_view why) {
  return fail(Errc::invalid, fmt::format("{}:{}: rule '{}': {}", rule.file.empty() ? "rules" : rule.file, rule.line,
                                         rule.id.empty() ? "?" : rule.id, why));
}

Status check_pattern(const Rule& rule, const std::string& pattern, const std::map<std::string, std::string>& macros) {
  const auto expanded = expand_macros(pattern, macros);
  if (!expanded) return bad_rule(rule, expanded.error().message);
  const RE2 compiled(*expanded, pattern_options());
  if (!compiled.ok()) return bad_rule(rule, fmt::format("pattern '{}': {}", pattern, compiled.error()));
  if (RE2::PartialMatch("", compiled)) return bad_rule(rule, fmt::format("pattern '{}' matches empty text", pattern));
  return {};
}

Status check_rule(const Rule& rule, const std::map<std::string, std::string>& macros) {
  if (rule.id.empty()) return bad_rule(rule, "has no id");
  if (rule.klass.empty()) return bad_rule(rule, "has no class");
  if (rule.name.empty()) return bad_rule(rule, "has no name (the alert name)");
  if (rule.sentence.empty()) return bad_rule(rule, "has no sentence");
  if (rule.patterns.empty()) return bad_rule(rule, "has no patterns");
  if (rule.literals.empty()) return bad_rule(rule, "has no literals; the prefilter needs at least one");
  for (const std::string& literal : rule.literals) {
    if (literal.size() < kMinLiteral || literal.size() > 100) {
      return bad_rule(rule, fmt::format("literal '{}' must have {} to 100 characters", literal, kMinLiteral));
    }
  }
  for (const std::string& pattern : rule.patterns) SICKBAY_CHECK(check_pattern(rule, pattern, macros));
  for (const std::string& pattern : rule.unless) SICKBAY_CHECK(check_pattern(rule, pattern, macros));
  return {};
}

Status check_mask(std::string_view mask) {
  if (mask.size() == 32 && mask.find_first_not_of("01-") == std::string_view::npos) return {};
  return fail(Errc::invalid, fmt::format("nvlink5 mask '{}' must be 32 characters of 0, 1 and -", mask));
}

// "rules[3].sentnce" as the place of the rule in its own file.
Error located(Error error, const json::value& document) {
  const json::object* object = document.if_object();
  const json::value* rules = object ? object->if_contains("rules") : nullptr;
  if (!rules || !rules->is_array() || !error.field.starts_with("rules[")) return error;
  const auto index = static_cast<std::size_t>(std::strtoul(error.field.c_str() + 6, nullptr, 10));
  if (index >= rules->get_array().size() || !rules->get_array()[index].is_object()) return error;
  const json::object& rule = rules->get_array()[index].get_object();
  const auto text = [&](std::string_view key) {
    const json::value* value = rule.if_contains(key);
    if (!value) return std::string("?");
    return value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
  };
  error.message = fmt::format("{}:{}: rule '{}': {}", text("file"), text("line"), text("id"), error.message);
  return error;
}

void rename_class(json::value& document) {  // `class` is a word of C++
  json::object* object = document.if_object();
  json::value* rules = object ? object->if_contains("rules") : nullptr;
  if (!rules || !rules->is_array()) return;
  for (json::value& rule : rules->get_array()) {
    if (!rule.is_object()) continue;
    json::object& members = rule.get_object();
    if (auto at = members.find("class"); at != members.end()) {
      json::value klass = std::move(at->value());
      members.erase(at);
      members["klass"] = std::move(klass);
    }
  }
}

}  // namespace

Status check_pack(const Pack& pack) {
  if (pack.rules.size() > kMaxRules) return fail(Errc::too_large, fmt::format("more than {} rules", kMaxRules));
  std::set<std::string_view> ids;
  for (const Rule& rule : pack.rules) {
    SICKBAY_CHECK(check_rule(rule, pack.macros));
    if (!ids.insert(rule.id).second) return bad_rule(rule, "the id is used twice");
  }
  std::set<std::string_view> buckets;
  for (const Bucket& bucket : pack.buckets) buckets.insert(bucket.name);
  for (const XidCode& xid : pack.xids) {
    if (!buckets.contains(xid.bucket)) {
      return fail(Errc::invalid, fmt::format("xid {}: bucket '{}' is not one of the buckets", xid.code, xid.bucket));
    }
  }
  for (const Nvlink5Row& row : pack.nvlink5) {
    SICKBAY_CHECK(check_mask(row.before_r575));
    SICKBAY_CHECK(check_mask(row.since_r575));
    if (row.immediate != "RESET_GPU" && row.immediate != "IGNORE" && row.immediate != "XID_154_EVAL") {
      return fail(Errc::invalid, fmt::format("nvlink5 row of xid {}: immediate action '{}' is not RESET_GPU, IGNORE or "
                                             "XID_154_EVAL",
                                             row.xid, row.immediate));
    }
  }
  for (const FaultRule& fault : pack.faults) {
    if (fault.name.empty()) return fail(Errc::invalid, "a row of the fault table has no name");
  }
  return {};
}

Result<Pack> read_pack(std::string_view json_text) {
  SICKBAY_ASSIGN(json::value document, parse_json(json_text));
  rename_class(document);
  auto pack = from_json<Pack>(document, Reading::strict);
  if (!pack) return tl::unexpected<Error>(located(std::move(pack).error(), document));
  return pack;
}

Pack merged(Pack base, Pack extra) {
  extra.macros.merge(base.macros);
  base.macros = std::move(extra.macros);
  std::erase_if(base.rules, [&](const Rule& rule) {
    return std::any_of(extra.rules.begin(), extra.rules.end(), [&](const Rule& other) { return other.id == rule.id; });
  });
  base.rules.insert(base.rules.begin(), extra.rules.begin(), extra.rules.end());
  for (XidCode& code : extra.xids) {
    std::erase_if(base.xids, [&](const XidCode& old) { return old.code == code.code; });
    base.xids.push_back(std::move(code));
  }
  for (Bucket& bucket : extra.buckets) {
    std::erase_if(base.buckets, [&](const Bucket& old) { return old.name == bucket.name; });
    base.buckets.push_back(std::move(bucket));
  }
  for (SxidCode& code : extra.sxids) {
    std::erase_if(base.sxids, [&](const SxidCode& old) { return old.code == code.code; });
    base.sxids.push_back(std::move(code));
  }
  if (!extra.nvlink5.empty()) base.nvlink5 = std::move(extra.nvlink5);
  for (FaultRule& fault : extra.faults) {
    std::erase_if(base.faults, [&](const FaultRule& old) { return old.name == fault.name && old.code == fault.code; });
    base.faults.push_back(std::move(fault));
  }
  return base;
}

}  // namespace sickbay::rules
