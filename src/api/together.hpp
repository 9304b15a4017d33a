// The shapes of Together's public cluster API (types of the npm package together-ai 0.52, resources/beta/clusters), and
// how Sickbay's nouns become them. Members of our own are in one object named `sickbay`, which their SDKs ignore.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/policy.hpp"
#include "model/repair.hpp"
#include "store/tx.hpp"

namespace sickbay::api {

// REMEDIATION_MODE_..., and back (empty optional for what is none). REMEDIATION_TRIGGER_... likewise.
std::string mode_of(Action action);
std::optional<Action> action_of_mode(std::string_view mode);
std::string trigger_of(Trigger trigger);
std::optional<Trigger> trigger_of_name(std::string_view name);

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
  std::string passive_health_check_alert_id, alert_name, severity, target_vm, cluster_id, instance_id;
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
  std::string recommended_mode, fault;
  std::vector<std::string> waits_for, reasons;
  std::optional<std::string> person;  // what a person is asked; first in every view
  std::optional<std::string> cancel_wish;
  std::uint64_t policy_version = 0;
  std::string policy_rule, host, target_host, retry_of, request_id;
  bool evidence_overridden = false;
  std::optional<Time> step_deadline, wait_until;
  std::vector<StepTime> steps;
  BOOST_DESCRIBE_CLASS(RemediationExtra, (),
                       (step, revision, recommended_mode, fault, waits_for, reasons, person, cancel_wish,
                        policy_version, policy_rule, host, target_host, retry_of, request_id, evidence_overridden,
                        step_deadline, wait_until, steps),
                       (), ())
};

struct Remediation {
  std::string id, cluster_id, instance_id, instance_name, mode;
  RepairState state = RepairState::PENDING_APPROVAL;
  std::string trigger, reason, requested_by, reviewed_by;
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

LinkedAlert linked_alert(const Alert& alert, const Repair& repair);
// `alerts` are the repair's linked ones.
Remediation remediation(const Repair& repair, const std::vector<Alert>& alerts);
// The same with the alerts read.
Remediation read_remediation(store::Tx& tx, const Repair& repair);

}  // namespace sickbay::api
