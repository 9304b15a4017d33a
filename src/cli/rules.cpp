#include "cli/rules.hpp"

#include <fmt/core.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "model/json.hpp"
#include "rules/expectation.hpp"
#include "rules/explain.hpp"
#include "rules/faults.hpp"
#include "rules/yaml.hpp"

namespace sickbay::cli {
namespace {

constexpr int kDone = 0, kFailed = 1, kWrongUse = 2;

constexpr std::string_view kUsage =
    "usage: sickbay rules list                        every code and rule, with what it leads to\n"
    "       sickbay rules explain CODE|NAME|LINE      what an Xid, an alert name, a rule or a log line means\n"
    "       sickbay rules test FILE.tsv               judge labelled lines (source, file, line, expected)\n"
    "       sickbay rules check DIRECTORY             check a directory of rule files and run their own tests\n"
    "options: --json               for programs\n"
    "         --rules DIRECTORY    put the rule files of a directory over the shipped ones\n"
    "         --only               with --rules: without the shipped ones\n";

struct Request {
  std::vector<std::string> words;
  std::string directory;
  bool json = false, only = false;
};

Result<Request> parse(std::span<const std::string> args) {
  Request request;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--json") {
      request.json = true;
    } else if (args[i] == "--only") {
      request.only = true;
    } else if (args[i] == "--rules") {
      if (++i == args.size()) return fail(Errc::invalid, "--rules needs a directory");
      request.directory = args[i];
    } else if (args[i].starts_with("--") && args[i].find(' ') == std::string::npos) {
      return fail(Errc::invalid, fmt::format("unknown option '{}'", args[i]));
    } else {
      request.words.push_back(args[i]);
    }
  }
  if (request.words.empty()) return fail(Errc::invalid, "say what to do");
  return request;
}

Result<rules::Pack> pack_of(const Request& request) {
  if (request.directory.empty()) return rules::read_pack(rules::built_in_pack());
  SICKBAY_ASSIGN(rules::Pack own, rules::load_directory(request.directory));
  if (request.only) return own;
  SICKBAY_ASSIGN(rules::Pack shipped, rules::read_pack(rules::built_in_pack()));
  return rules::merged(std::move(shipped), std::move(own));
}

int list(const rules::KernelLog& log, const Request& request, std::ostream& out) {
  const json::array rows = rules::list_rules(log, FaultTable{log.pack().faults});
  if (request.json) {
    out << json::serialize(rows) << '\n';
    return kDone;
  }
  out << fmt::format("{:<28} {:<34} {:<9} {:<12} {}\n", "RULE", "ALERT", "SEVERITY", "ACTION", "MEANS");
  const auto text = [](const json::value& row, std::string_view key) { return std::string(row.at(key).as_string()); };
  for (const json::value& row : rows) {
    out << fmt::format("{:<28} {:<34} {:<9} {:<12} {}\n", text(row, "id"), text(row, "name"), text(row, "severity"),
                       text(row, "action"), text(row, "sentence"));
  }
  return kDone;
}

int explain(const rules::KernelLog& log, const Request& request, std::ostream& out, std::ostream& err) {
  std::string about = request.words[1];
  for (std::size_t i = 2; i < request.words.size(); ++i) about += " " + request.words[i];
  const FaultTable faults{log.pack().faults};
  const auto explanation = rules::explain(log, faults, about);
  if (!explanation) {
    err << "sickbay rules explain: " << explanation.error().message << '\n';
    return kFailed;
  }
  out << (request.json ? json::serialize(*explanation) + "\n" : rules::explanation_text(*explanation));
  return kDone;
}

int test(const rules::KernelLog& log, const Request& request, std::ostream& out, std::ostream& err) {
  std::ifstream in(request.words[1], std::ios::binary);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) {
    err << "sickbay rules test: " << request.words[1] << " cannot be read\n";
    return kFailed;
  }
  const auto tally = rules::judge_table(log, text.view(), [&](const rules::Difference& row) {
    if (request.json) {
      out << json::serialize(json::object{{"row", row.line_number},
                                          {"source", row.source},
                                          {"file", row.file},
                                          {"line", row.line},
                                          {"expected", row.expected},
                                          {"why", row.why},
                                          {"false_positive", row.false_positive}})
          << '\n';
    } else {
      out << fmt::format("{}:{}: {}{}\n  expected {}\n  line     {}\n", request.words[1], row.line_number,
                         row.false_positive ? "false positive: " : "", row.why, row.expected, row.line);
    }
  });
  if (!tally) {
    err << "sickbay rules test: " << request.words[1] << ": " << tally.error().message << '\n';
    return kFailed;
  }
  out << tally->text() << '\n';
  return tally->wrong == 0 ? kDone : kFailed;
}

// Checks the files of `directory` over the shipped rules, which they may lean on, and runs the tests they carry.
int check(const Request& request, std::ostream& out, std::ostream& err) {
  const auto own = rules::load_directory(request.words[1]);
  auto shipped = rules::read_pack(rules::built_in_pack());
  auto log = own && shipped ? rules::KernelLog::load(rules::merged(std::move(*shipped), *own))
                            : Result<rules::KernelLog>(tl::unexpected<Error>(own ? shipped.error() : own.error()));
  const Status tested = log ? rules::check_rule_tests(*log) : tl::unexpected<Error>(log.error());
  if (!tested) {
    err << tested.error().message << '\n';
    return kFailed;
  }
  out << fmt::format("{} rules, {} Xid codes, {} fault rows: good\n", own->rules.size(), own->xids.size(),
                     own->faults.size());
  return kDone;
}

int wrong_use(std::string_view why, std::ostream& err) {
  err << "sickbay rules: " << why << '\n' << kUsage;
  return kWrongUse;
}

}  // namespace

int rules_command(std::span<const std::string> args, std::ostream& out, std::ostream& err) {
  if (!args.empty() && (args[0] == "--help" || args[0] == "-h")) {
    out << kUsage;
    return kDone;
  }
  const auto request = parse(args);
  if (!request) return wrong_use(request.error().message, err);
  const std::string& verb = request->words[0];
  const std::size_t words = request->words.size();
  if (verb == "check") return words == 2 ? check(*request, out, err) : wrong_use("check needs a directory", err);
  if (verb != "list" && verb != "explain" && verb != "test")
    return wrong_use(fmt::format("'{}' is not a verb", verb), err);
  if (verb == "test" && words != 2) return wrong_use("test needs one file", err);
  if (verb == "explain" && words < 2) return wrong_use("explain needs a code, a name or a line", err);
  auto pack = pack_of(*request);
  if (!pack) {
    err << "sickbay rules: " << pack.error().message << '\n';
    return kFailed;
  }
  const auto log = rules::KernelLog::load(std::move(*pack));
  if (!log) {
    err << "sickbay rules: " << log.error().message << '\n';
    return kFailed;
  }
  if (verb == "list") return list(*log, *request, out);
  return verb == "explain" ? explain(*log, *request, out, err) : test(*log, *request, out, err);
}

}  // namespace sickbay::cli
