// A repair in the shape of Together's public cluster API (types of the npm package together-ai 0.52,
// resources/beta/clusters), where it is called a remediation, and what is sent to ask for one or to decide on it.
// Members of our own are in one object named `sickbay`, which their SDKs ignore.
#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/repair.hpp"
#include "resources/list.hpp"
#include "resources/modes.hpp"

namespace sickbay::resources {

struct XidEvent {
  std::string xid_code, mnemonic;
  std::uint64_t count = 0;
  BOOST_DESCRIBE_CLASS(XidEvent, (), (xid_code, mnemonic, count), (), ())
};
struct Xid {
  std::vector<XidEvent> events;
  BOOST_DESCRIBE_CLASS(Xid, (), (events), (), ())
};
struct SlurmNodeUnavailable {
  std::string reason;
  BOOST_DESCRIBE_CLASS(SlurmNodeUnavailable, (), (reason), (), ())
};
struct Annotation {
  std::string title, summary_line, description;
  std::optional<Xid> xid;
  std::optional<SlurmNodeUnavailable> slurm_node_unavailable;
  BOOST_DESCRIBE_CLASS(Annotation, (), (title, summary_line, description, xid, slurm_node_unavailable), (), ())
};
struct LinkedAlert {
  std::string passive_health_check_alert_id, alert_name;
  SeverityName severity = SeverityName::PHC_SEVERITY_WARNING;
  std::string target_vm, cluster_id, instance_id;
  std::string node_remediation_intent_id;
  Time started_at{};
  std::string resolved_at;  // empty while it is not resolved
  std::map<std::string, std::string> annotations;
  Annotation annotation;
  BOOST_DESCRIBE_CLASS(LinkedAlert, (),
                       (passive_health_check_alert_id, alert_name, severity, started_at, resolved_at, target_vm,
                        cluster_id, instance_id, node_remediation_intent_id, annotations, annotation),
                       (), ())
};

// Ours: what a person needs to decide, and a program to follow.
struct RemediationExtra {
  RepairStep step = RepairStep::ask;
  std::uint64_t revision = 0;
  std::string recommended_mode;  // a Mode; empty where nothing was recommended
  std::string fault;
  std::vector<std::string> waits_for, reasons;
  std::optional<std::string> person;  // what a person is asked; first in every view
  std::optional<std::string> cancel_requested_by;
  std::uint64_t policy_version = 0;
  std::string policy_rule, host, target_host, retry_of, request_id;
  bool evidence_overridden = false;
  std::optional<Time> step_deadline, wait_until;
  std::vector<StepTime> steps;
  BOOST_DESCRIBE_CLASS(RemediationExtra, (),
                       (step, revision, recommended_mode, fault, waits_for, reasons, person, cancel_requested_by,
                        policy_version, policy_rule, host, target_host, retry_of, request_id, evidence_overridden,
                        step_deadline, wait_until, steps),
                       (), ())
};

struct Remediation {
  std::string id, cluster_id, instance_id, instance_name;
  Mode mode = Mode::REMEDIATION_MODE_UNSPECIFIED;
  RepairState state = RepairState::PENDING_APPROVAL;
  TriggerName trigger = TriggerName::REMEDIATION_TRIGGER_AUTOMATED;
  std::string reason, requested_by, reviewed_by;
  std::optional<Time> review_time;
  std::string review_comment;
  std::optional<Time> create_time, start_time, end_time, update_time;
  std::string error_message, active_health_check_run_id, passive_health_check_event_id;
  std::vector<LinkedAlert> linked_alerts;
  RemediationExtra sickbay;
  BOOST_DESCRIBE_CLASS(Remediation, (),
                       (id, cluster_id, instance_id, instance_name, mode, state, trigger, reason, requested_by,
                        reviewed_by, review_time, review_comment, create_time, start_time, end_time, update_time,
                        error_message, active_health_check_run_id, passive_health_check_event_id, linked_alerts,
                        sickbay),
                       (), ())
};
struct RemediationList {
  std::vector<Remediation> remediations;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(RemediationList, (), (remediations, has_next, next_page_token), (), ())
};

// What is sent. A mode is a Mode's name; "" where it is left to the server.
struct NewRemediation {
  std::string mode, reason;
  bool override_evidence = false;  // ours: admins only, with a reason
  BOOST_DESCRIBE_CLASS(NewRemediation, (), (mode, reason, override_evidence), (), ())
};
struct Approval {
  std::string comment, mode;
  std::optional<std::uint64_t> revision;  // ours: the revision that was seen
  BOOST_DESCRIBE_CLASS(Approval, (), (comment, mode, revision), (), ())
};
struct Rejection {
  std::string comment;
  BOOST_DESCRIBE_CLASS(Rejection, (), (comment), (), ())
};
struct Retry {
  std::string comment, mode;
  BOOST_DESCRIBE_CLASS(Retry, (), (comment, mode), (), ())
};
struct Release {
  std::string reason;
  BOOST_DESCRIBE_CLASS(Release, (), (reason), (), ())
};

}  // namespace sickbay::resources
