// Sickbay's nouns in the shapes of Together's API.
#include "api/together.hpp"

#include <array>

#include "store/alerts.hpp"

namespace sickbay::api {
namespace {

struct Mode {
  Action action;
  std::string_view name;
};
constexpr std::array kModes = {Mode{Action::reboot, "REMEDIATION_MODE_REBOOT_VM"},
                               Mode{Action::reprovision, "REMEDIATION_MODE_VM_ONLY"},
                               Mode{Action::migrate, "REMEDIATION_MODE_HOST_AWARE"},
                               Mode{Action::remove, "REMEDIATION_MODE_EVICT_WITHOUT_REPLACEMENT"},
                               Mode{Action::power_cycle, "REMEDIATION_MODE_HOST_POWER_CYCLE"}};

std::string text_of(const json::object& object, std::string_view member) {
  const json::value* value = object.if_contains(member);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::string severity_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "PHC_SEVERITY_INFO";
    case Severity::warning:
      return "PHC_SEVERITY_WARNING";
    case Severity::critical:
      return "PHC_SEVERITY_CRITICAL";
  }
  return "PHC_SEVERITY_WARNING";
}

Annotation annotation_of(const Alert& alert) {
  Annotation annotation;
  annotation.title = alert.fault.text();
  annotation.summary_line = alert.first.sentence;
  annotation.description = text_of(alert.first.evidence, "description");
  if (annotation.description.empty()) annotation.description = alert.last.sentence;
  if (alert.fault.name == "DmesgXidError") {
    annotation.xid.emplace().events.push_back(
        {alert.fault.code, text_of(alert.first.evidence, "mnemonic"), alert.count});
    for (const Fault& joined : alert.joined) {
      if (joined.name == alert.fault.name) annotation.xid->events.push_back({joined.code, "", 1});
    }
  }
  if (alert.fault.name == "SlurmNodeUnavailable") {
    annotation.slurm_node_unavailable = SlurmNodeUnavailable{text_of(alert.first.evidence, "reason")};
  }
  return annotation;
}

}  // namespace

std::string mode_of(Action action) {
  for (const Mode& mode : kModes) {
    if (mode.action == action) return std::string(mode.name);
  }
  return "REMEDIATION_MODE_UNSPECIFIED";
}

std::optional<Action> action_of_mode(std::string_view name) {
  for (const Mode& mode : kModes) {
    if (mode.name == name) return mode.action;
  }
  return std::nullopt;
}

std::string trigger_of(Trigger trigger) {
  return trigger == Trigger::manual ? "REMEDIATION_TRIGGER_MANUAL" : "REMEDIATION_TRIGGER_AUTOMATED";
}

std::optional<Trigger> trigger_of_name(std::string_view name) {
  for (const Trigger trigger : {Trigger::manual, Trigger::automated}) {
    if (trigger_of(trigger) == name) return trigger;
  }
  return std::nullopt;
}

LinkedAlert linked_alert(const Alert& alert, const Repair& repair) {
  LinkedAlert linked;
  linked.passive_health_check_alert_id = alert.id;
  linked.alert_name = alert.fault.name;
  linked.severity = severity_of(alert.severity);
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

Remediation remediation(const Repair& repair, const std::vector<Alert>& alerts) {
  Remediation out;
  out.id = repair.id;
  out.cluster_id = repair.cluster;
  out.instance_id = repair.node;
  out.instance_name = repair.node_name;
  out.mode = mode_of(repair.action);
  out.state = repair.state;
  out.trigger = trigger_of(repair.trigger);
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

  RemediationExtra& extra = out.sickbay;
  extra.step = repair.step;
  extra.revision = repair.revision;
  extra.recommended_mode = repair.recommended == Action::none ? "" : mode_of(repair.recommended);
  extra.fault = repair.fault.text();
  extra.waits_for = repair.waits_for;
  extra.reasons = repair.reasons;
  extra.person = repair.person;
  extra.cancel_wish = repair.cancel_wish;
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

Remediation read_remediation(store::Tx& tx, const Repair& repair) {
  return remediation(repair, store::alerts_by_id(tx, repair.alerts));
}

}  // namespace sickbay::api
