// A rule pack: everything Sickbay knows about logs, as data. Written as YAML in rules/, compiled to one JSON document
// at build time (programs that only read need no YAML), checked whenever it is loaded.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/finding.hpp"

namespace sickbay::rules {

// One kernel-log rule. It matches a message that holds one of `literals` (a cheap first look), matches one of
// `patterns` (RE2; the first that matches gives the captures) and none of `unless`. Captures become evidence; {NAME}
// in `device`, `code` and `sentence` stands for a capture, {NAME|words} has words for when there is none.
struct Rule {
  std::string id;
  std::string klass;  // "class" in files: what kind of line it is, in one word
  std::string file;   // where it stands, for errors and `sickbay rules explain`
  std::uint32_t line = 0;
  std::vector<std::string> from;  // programs whose lines it reads; empty: the kernel's only
  std::vector<std::string> literals, patterns, unless;
  FindingKind kind = FindingKind::fault;
  std::string name, code;  // the fault
  Severity severity = Severity::warning;
  Action action = Action::none;
  bool joins = false;
  std::string device = "{device}";
  std::string sentence;
  std::map<std::string, std::string> fields;  // constants for the evidence
  std::vector<std::string> match, no_match;   // its own tests: lines it must take, lines it must leave
  BOOST_DESCRIBE_CLASS(Rule, (),
                       (id, klass, file, line, from, literals, patterns, unless, kind, name, code, severity, action,
                        joins, device, sentence, fields, match, no_match),
                       (), ())
};

// A code of NVIDIA's Xid catalogue.
struct XidCode {
  std::uint32_t code = 0;
  std::string mnemonic;
  std::string bucket;  // NVIDIA's immediate action, in our words: see Bucket
  std::string says;    // what happened to the GPU, as the middle of a sentence
  BOOST_DESCRIBE_CLASS(XidCode, (), (code, mnemonic, bucket, says), (), ())
};

// What a bucket makes of a code: severity, action, and the sentence's end.
struct Bucket {
  std::string name;
  Severity severity = Severity::warning;
  Action action = Action::none;
  std::string advice;
  BOOST_DESCRIBE_CLASS(Bucket, (), (name, severity, action, advice), (), ())
};

// One row of the NVLink 5 table (Xid 144-150). Masks are 32 characters of 0, 1 and - (any), highest bit first.
struct Nvlink5Row {
  std::uint32_t xid = 0;
  std::vector<std::string> units;
  std::string before_r575, since_r575;
  std::vector<std::uint32_t> status;  // error_status values; empty: any
  std::string immediate;              // RESET_GPU, IGNORE, XID_154_EVAL
  std::string investigate;
  std::string severity;  // the table's own word
  BOOST_DESCRIBE_CLASS(Nvlink5Row, (), (xid, units, before_r575, since_r575, status, immediate, investigate, severity),
                       (), ())
};

// An NVSwitch code. `fatal` counts only where the line itself does not say Fatal or Non-fatal.
struct SxidCode {
  std::uint32_t code = 0;
  bool fatal = false;
  std::string says;
  BOOST_DESCRIBE_CLASS(SxidCode, (), (code, fatal, says), (), ())
};

struct Pack {
  std::map<std::string, std::string> macros;  // ${name} in patterns
  std::vector<Rule> rules;                    // the first that matches counts
  std::vector<XidCode> xids;
  std::vector<Bucket> buckets;
  std::vector<Nvlink5Row> nvlink5;
  std::vector<SxidCode> sxids;
  std::vector<FaultRule> faults;
  BOOST_DESCRIBE_CLASS(Pack, (), (macros, rules, xids, buckets, nvlink5, sxids, faults), (), ())
};

// Reads a compiled pack (JSON) and checks it: no unknown member, every rule complete, every pattern valid, every
// literal long enough. Errc::invalid names file, line, rule and reason.
Result<Pack> read_pack(std::string_view json_text);
// The checks alone, for a pack from elsewhere.
Status check_pack(const Pack& pack);
// `base` with the rules of `extra` before its own (so that they win), and its codes and fault rows replaced.
Pack merged(Pack base, Pack extra);

// The JSON text of the pack Sickbay ships.
std::string_view built_in_pack();

}  // namespace sickbay::rules
