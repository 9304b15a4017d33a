// Testing rules on labelled lines: `sickbay rules test FILE.tsv`. A row is right when what the rules make of its line
// is what the label says, down to the fields the label names; anything else is wrong and the reason is said.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rules/kernel_log.hpp"

namespace sickbay::rules {

struct Verdict {
  bool ok = true;
  bool false_positive = false;  // the label says that nothing (or not this) is there, and something was found
  std::string why;
};

// `line` as it was logged (escapes taken back); each line of a sequence is a record of its own. `expected`:
//   xid=N | sxid=N | class=NAME, then ;KEY=VALUE fields which must be equal (device, unit, link, pid, count, ...)
//   seq;class=oom_kill;victims=a:1,b:2    several records, replayed one by one
//   none | none(bad_record) | seq;none    no fault and no clear may be found (notes may: they open nothing)
//   not:CLASS                             no finding of that class
//   context(..) | fragment(..)            part of an incident: only joining findings and notes
//   ;secondary | ;secondary_of=N          must join; ;not:CLASS and not that either
// Opinions of other projects and remarks (gpud_severity, npd, gcm, azure, note, ...) are not compared.
Verdict judge(const KernelLog& log, std::string_view line, std::string_view expected);

struct Tally {
  std::size_t rows = 0, ok = 0, wrong = 0, false_positives = 0;
  std::string text() const;  // "rows=R ok=O wrong=W false_positives=F"
};

struct Difference {
  std::size_t line_number = 0;
  std::string source, file, line, expected, why;
  bool false_positive = false;
};

// Judges a table of rows "source TAB file TAB line TAB expected" with a header row; \n, \t and \\ are escapes.
// Errc::invalid names the first row without four columns. `differs` is called for each row that is wrong.
Result<Tally> judge_table(const KernelLog& log, std::string_view tsv,
                          const std::function<void(const Difference&)>& differs);

// Runs every rule's own tests; Errc::invalid names file, line, rule and the line that went wrong. For packs read from
// files: the embedded one carries no tests.
Status check_rule_tests(const KernelLog& log);

}  // namespace sickbay::rules
