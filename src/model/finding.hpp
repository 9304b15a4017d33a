// Findings: what one detector says about one device or node at one moment; and the table that says what a fault means.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "model/words.hpp"

namespace sickbay {

// Identifies a fault: the unit of policy and escalation. Written "DmesgXidError/119", or "GpuMissing" without a code.
struct Fault {
  std::string name;
  std::string code;
  std::string text() const { return code.empty() ? name : name + "/" + code; }
  auto operator<=>(const Fault&) const = default;
  BOOST_DESCRIBE_CLASS(Fault, (), (name, code), (), ())
};

// fault: the fault was seen. clear: the detector says the condition is over. note: worth keeping, opens no alert
// (detail lines of an incident, identity lines); it joins an open alert of the same device when `joins` is set.
BOOST_DEFINE_ENUM_CLASS(FindingKind, fault, clear, note)

// How sure the finding's own severity and action are; higher wins (product.md 3.3 "Authority").
BOOST_DEFINE_ENUM_CLASS(Authority, unknown, catalogue, decode_table, recovery_action, exact_code)

struct Finding {
  std::string id;  // sha256 of (boot id, record sequence, ordinal): the same record is the same finding for ever
  FindingKind kind = FindingKind::fault;
  std::string detector;  // "kernel-log", "pci", "filesystem", ...
  Fault fault;
  std::string device;                     // normalised PCI address, mount point, interface; empty: the node itself
  Severity severity = Severity::warning;  // as the rule says; the fault table may say otherwise
  Action action = Action::none;           // as the rule, decode table or recovery action says
  Authority authority = Authority::catalogue;
  bool joins = false;            // secondary: belongs to another fault's alert on the same device where there is one
  std::string sentence;          // for a tired person
  boost::json::object evidence;  // machine-readable; opaque to everything but its rule and its reader
  std::string boot_id;
  std::int64_t since_boot_us = 0;  // kernel time of the record
  std::uint64_t count = 1;         // a storm's duplicates, counted not repeated
  BOOST_DESCRIBE_CLASS(Finding, (),
                       (id, kind, detector, fault, device, severity, action, authority, joins, sentence, evidence,
                        boot_id, since_boot_us, count),
                       (), ())
};

// One row of the table of product.md 3.3. `code` "*" stands for every code that has no row of its own. Where severity
// or action is not set, the finding's own counts.
struct FaultRule {
  std::string name;
  std::string code = "*";
  std::optional<Severity> severity;
  std::optional<Action> action;
  std::optional<Action> action_again;  // from the second time on the same host within 7 days
  Duration holds_for{};
  ClearsOn clears = ClearsOn::reboot;
  Duration quiet_for{};
  bool always_ask = false;  // whatever the policy says
  bool power_cycle_where_enabled = false;
  std::uint32_t repeats = 1;  // fires only once this many findings came
  std::string look;           // the agent's detector that has a look when this is seen: "pci", "filesystem"
  BOOST_DESCRIBE_CLASS(FaultRule, (),
                       (name, code, severity, action, action_again, holds_for, clears, quiet_for, always_ask,
                        power_cycle_where_enabled, repeats, look),
                       (), ())
};

struct FaultTable {
  std::vector<FaultRule> rules;
  // The row for a fault: exact code first, then "*", then a built-in row that warns and asks (no action, 60 s,
  // clears on reboot).
  FaultRule find(const Fault& fault) const;
  // The table with an operator's rows in front of it: a row of theirs stands for the whole row it names.
  FaultTable with(const std::vector<FaultRule>& overrides) const;
  BOOST_DESCRIBE_CLASS(FaultTable, (), (rules), (), ())
};

// What a finding means here: the answer that the engine acts on and that `sickbay rules explain` tells.
struct Classification {
  FaultRule rule;
  Severity severity = Severity::warning;
  Action action = Action::none;
  Authority authority = Authority::catalogue;
};
// By the best authority there is (product.md 3.3 "Authority"): an operator's row, then what a decode table or the
// driver's recovery action says, then the row of `faults`, then the finding itself. `overrides` are the operator's
// rows, already laid over `faults` (FaultTable::with); `power_cycle_enabled` is the policy's.
Classification classify(const FaultTable& faults, const Finding& finding, const std::vector<FaultRule>& overrides = {},
                        bool power_cycle_enabled = false);

}  // namespace sickbay
