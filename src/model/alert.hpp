// Alerts: the findings of one fault on one subject over time.
#pragma once

#include <optional>

#include "model/finding.hpp"

namespace sickbay {

// One finding as it is remembered with an alert: stored and forwarded unchanged.
struct Evidence {
  std::string finding_id;
  std::string sentence;
  boost::json::object evidence;
  Time at{};
  BOOST_DESCRIBE_CLASS(Evidence, (), (finding_id, sentence, evidence, at), (), ())
};

struct Alert {
  std::string id;
  std::string cluster, node, host;
  Fault fault;
  std::string device;
  std::string detector;
  Severity severity = Severity::warning;
  Action action = Action::none;  // what the fault table and the finding's authority make of it
  Authority authority = Authority::unknown;
  bool always_ask = false;
  AlertState state = AlertState::pending;
  std::string boot_id;      // of the boot session it belongs to; empty for faults seen from outside the node
  std::uint64_t epoch = 0;  // session epoch of the last finding
  Time started_at{};
  Time hold_until{};  // fires then, if it still stands
  std::optional<Time> firing_at, resolved_at;
  std::optional<Time> good_since;  // the condition was last said to be over then
  ClearsOn clears = ClearsOn::reboot;
  Duration quiet_for{};
  std::uint32_t repeats = 1;
  std::uint64_t count = 0;
  Evidence first, last;       // the first finding is the headline
  std::vector<Fault> joined;  // secondary faults, each once
  std::string resolved_by;    // why it is over: "new boot", "condition over", "quiet for 10m", ...
  BOOST_DESCRIBE_CLASS(Alert, (),
                       (id, cluster, node, host, fault, device, detector, severity, action, authority, always_ask,
                        state, boot_id, epoch, started_at, hold_until, firing_at, resolved_at, good_since, clears,
                        quiet_for, repeats, count, first, last, joined, resolved_by),
                       (), ())
};

}  // namespace sickbay
