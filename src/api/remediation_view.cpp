#include "api/remediation_view.hpp"

#include "model/fault_names.hpp"
#include "store/alerts.hpp"

namespace sickbay::api {
namespace {

std::string text_of(const json::object& object, std::string_view member) {
  const json::value* value = object.if_contains(member);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

resources::Annotation annotation_of(const Alert& alert) {
  resources::Annotation annotation;
  annotation.title = alert.fault.text();
  annotation.summary_line = alert.first.sentence;
  annotation.description = text_of(alert.first.evidence, "description");
  if (annotation.description.empty()) annotation.description = alert.last.sentence;
  if (alert.fault.name == fault_names::kXidError) {
    annotation.xid.emplace().events.push_back(
        {alert.fault.code, text_of(alert.first.evidence, "mnemonic"), alert.count});
    for (const Fault& joined : alert.joined) {
      if (joined.name == alert.fault.name) annotation.xid->events.push_back({joined.code, "", 1});
    }
  }
  if (alert.fault.name == fault_names::kSlurmNodeUnavailable) {
    annotation.slurm_node_unavailable = resources::SlurmNodeUnavailable{text_of(alert.last.evidence, "reason")};
  }
  return annotation;
}

resources::LinkedAlert linked_alert(const Alert& alert, const Repair& repair) {
  resources::LinkedAlert linked;
  linked.passive_health_check_alert_id = alert.id;
  linked.alert_name = alert.fault.name;
  linked.severity = resources::severity_of(alert.severity);
  linked.started_at = alert.started_at;
  if (alert.resolved_at) linked.resolved_at = format_time(*alert.resolved_at);
  linked.target_vm = repair.node_name;
  linked.cluster_id = alert.cluster;
  linked.instance_id = alert.node;
  linked.node_remediation_intent_id = repair.id;
  linked.annotations = {{"summary", alert.first.sentence}, {"fault", alert.fault.text()},
                        {"device", alert.device},          {"detector", alert.detector},
                        {"state", name_of(alert.state)},   {"count", std::to_string(alert.count)},
                        {"last", alert.last.sentence},     {"evidence", json::serialize(alert.first.evidence)}};
  linked.annotation = annotation_of(alert);
  return linked;
}

}  // namespace

resources::Remediation remediation(const Repair& repair, const std::vector<Alert>& alerts) {
  resources::Remediation out;
  out.id = repair.id;
  out.cluster_id = repair.cluster;
  out.instance_id = repair.node;
  out.instance_name = repair.node_name;
  out.mode = resources::mode_of(repair.action);
  out.state = repair.state;
  out.trigger = resources::trigger_of(repair.trigger);
  out.reason = repair.reason;
  out.requested_by = repair.requested_by;
  if (repair.review) {
    out.reviewed_by = repair.review->by;
    out.review_time = repair.review->at;
    out.review_comment = repair.review->comment;
  }
  out.create_time = repair.created_at;
  out.start_time = repair.started_at;
  out.end_time = repair.ended_at;
  out.update_time = repair.updated_at;
  out.error_message = repair.error;
  if (!alerts.empty()) out.passive_health_check_event_id = alerts.front().first.finding_id;
  for (const Alert& alert : alerts) out.linked_alerts.push_back(linked_alert(alert, repair));

  resources::RemediationExtra& extra = out.sickbay;
  extra.step = repair.step;
  extra.revision = repair.revision;
  extra.recommended_mode = repair.recommended == Action::none ? "" : name_of(resources::mode_of(repair.recommended));
  extra.fault = repair.fault.text();
  extra.waits_for = repair.waits_for;
  extra.reasons = repair.reasons;
  extra.person = repair.person;
  extra.cancel_requested_by = repair.cancel_requested_by;
  extra.policy_version = repair.policy_version;
  extra.policy_rule = repair.policy_rule;
  extra.host = repair.host;
  extra.target_host = repair.target_host;
  extra.retry_of = repair.retry_of;
  extra.request_id = repair.request_id;
  extra.evidence_overridden = repair.evidence_overridden;
  extra.step_deadline = repair.step_deadline;
  extra.wait_until = repair.wait_until;
  extra.steps = repair.steps;
  return out;
}

resources::Remediation read_remediation(store::Tx& tx, const Repair& repair) {
  return remediation(repair, store::alerts_by_id(tx, repair.alerts));
}

}  // namespace sickbay::api
