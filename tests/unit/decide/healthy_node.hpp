// Facts for the tests of decide/: rows of the fault table, a finding, and a healthy node to begin with.
#pragma once

#include "decide/decide.hpp"

namespace sickbay::decide::testing {

inline FaultRule row(std::string name, std::string code, Severity severity, Action action, Duration holds_for,
                     ClearsOn clears = ClearsOn::reboot, Duration quiet_for = {}) {
  FaultRule rule;
  rule.name = std::move(name), rule.code = std::move(code), rule.severity = severity, rule.action = action;
  rule.holds_for = holds_for, rule.clears = clears, rule.quiet_for = quiet_for;
  return rule;
}

// Rows of product.md 3.3 that the tests speak of.
inline FaultTable table() {
  FaultTable faults;
  using enum Severity;
  faults.rules = {
      row("DmesgXidError", "79", critical, Action::migrate, seconds{30}),
      row("DmesgXidError", "119", critical, Action::reboot, seconds{60}),
      row("GpuRowRemapPending", "*", warning, Action::reboot, minutes{10}),
      row("NpdXfsShutdown", "*", critical, Action::reprovision, seconds{60}, ClearsOn::condition),
      row("ActiveCheckFailed", "*", critical, Action::reprovision, Duration{}, ClearsOn::check),
      row("NpdFrequentKubeletRestart", "*", warning, Action::reboot, minutes{10}, ClearsOn::quiet, minutes{30}),
      row("GpuSmClockThermalThrottle", "*", critical, Action::migrate, minutes{5}, ClearsOn::load, minutes{15}),
      row("KubeNodeNotReady", "*", critical, Action::reboot, minutes{10}, ClearsOn::condition),
      row("AgentSilent", "*", warning, Action::none, minutes{10}, ClearsOn::condition),
      row("NpdCperHardwareErrorFatal", "*", critical, Action::reprovision, seconds{60}),
      row("NicHealthCompromised", "*", critical, Action::migrate, seconds{60}),
  };
  faults.rules[0].power_cycle_where_enabled = true;
  faults.rules[2].always_ask = true;
  faults.rules[4].action_again = Action::migrate;
  faults.rules[9].action_again = Action::migrate;
  FaultRule other;  // any other Xid: as the finding says
  other.name = "DmesgXidError", other.holds_for = seconds{60};
  faults.rules.push_back(other);
  return faults;
}

inline const Time kStart = from_micros(1'800'000'000'000'000);

inline Finding finding(std::string name, std::string code = {}, std::string device = "0000:3b:00.0") {
  static int serial = 0;
  Finding out;
  out.id = "f-" + std::to_string(++serial);
  out.detector = "kernel-log";
  out.fault = {std::move(name), std::move(code)};
  out.device = std::move(device);
  out.severity = Severity::critical;
  out.sentence = "GPU " + out.device + " had " + out.fault.text();
  out.boot_id = "boot-1";
  out.since_boot_us = 3'600'000'000;
  return out;
}

inline NodeFacts healthy_node(std::vector<std::string> schedulers = {"kube"}) {
  NodeFacts facts;
  facts.node.id = "node-1", facts.node.cluster = "c1", facts.node.pool = "gpu", facts.node.name = "gpu-1";
  facts.node.host = "host-1", facts.node.schedulers = schedulers, facts.node.provider = "sim";
  facts.node.machine_id = "machine-1", facts.node.boot_id = "boot-1", facts.node.epoch = 1;
  facts.node.shape = {"h100x8", 8};
  facts.host.id = "host-1", facts.host.cluster = "c1", facts.host.node = "node-1";
  facts.cluster.id = "c1", facts.cluster.most_nodes_24h = 100;
  facts.policy.cluster = "c1";
  facts.faults = table();
  Session session;
  session.node = "node-1", session.epoch = 1, session.machine_id = "machine-1", session.boot_id = "boot-1";
  session.boot_started_at = kStart - hours{1}, session.hello_at = kStart - hours{1};
  session.active_at = session.hello_at, session.shape = facts.node.shape, session.host = "host-1";
  facts.session = session;
  facts.last_heartbeat = kStart;
  facts.listening_since = kStart - hours{10};
  facts.spares = 1;
  facts.provider =
      ProviderCapabilities{.actions = {Action::reboot, Action::reprovision, Action::migrate, Action::remove}};
  for (const std::string& name : schedulers) {
    Observation look;
    look.node = "node-1", look.scheduler = name, look.seen_at = kStart, look.ready = true;
    look.idleness = Idleness::idle;
    look.drained = true;
    facts.observed.push_back(look);
  }
  return facts;
}

}  // namespace sickbay::decide::testing
