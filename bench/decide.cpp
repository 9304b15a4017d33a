// Decisions per second on one core: the turn of a quiet node, one that folds a finding into an alert, and one that
// makes a recommendation of it.
#include "decide/decide.hpp"

#include <fmt/core.h>

#include <chrono>

namespace {

using namespace sickbay;

decide::NodeFacts node_with_alerts() {
  decide::NodeFacts facts;
  const Time start = from_micros(1'800'000'000'000'000);
  facts.node.id = "node-1", facts.node.cluster = "c1", facts.node.name = "gpu-1", facts.node.host = "host-1";
  facts.node.schedulers = {"kube"}, facts.node.provider = "sim", facts.node.epoch = 1, facts.node.boot_id = "boot-1";
  facts.node.pool = "gpu", facts.node.shape = {"h100x8", 8};
  facts.host.id = "host-1";
  facts.provider =
      ProviderCapabilities{.actions = {Action::reboot, Action::reprovision, Action::migrate, Action::remove}};
  for (int code = 0; code < 120; ++code) {  // as long as the real table
    FaultRule rule;
    rule.name = "DmesgXidError", rule.code = std::to_string(code);
    rule.severity = Severity::critical, rule.action = Action::reboot, rule.holds_for = seconds{60};
    facts.faults.rules.push_back(rule);
  }
  Session session;
  session.node = "node-1", session.epoch = 1, session.boot_id = "boot-1", session.hello_at = start;
  session.boot_started_at = session.active_at = start;
  facts.session = session;
  facts.last_heartbeat = facts.listening_since = start;
  Observation look;
  look.node = "node-1", look.scheduler = "kube", look.seen_at = start, look.ready = true;
  facts.observed = {look};
  return facts;
}

Finding finding(std::uint64_t n) {
  Finding out;
  out.id = std::to_string(n);
  out.detector = "kernel-log", out.fault = {"DmesgXidError", "119"}, out.device = "0000:3b:00.0";
  out.boot_id = "boot-1", out.sentence = "the GPU's system processor did not answer";
  out.evidence["xid"] = 119;
  return out;
}

template <class Work>
void measure(const char* name, Work work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::uint64_t done = 0;
  while (Clock::now() - begin < std::chrono::seconds{1}) {
    for (int i = 0; i < 64; ++i) work(done++);
  }
  const double took = std::chrono::duration<double>(Clock::now() - begin).count();
  fmt::print("{}\t{:.0f}\tturns/s\n", name, static_cast<double>(done) / took);
}

}  // namespace

int main() {
  SeededIds ids(1);
  const decide::NodeFacts quiet = node_with_alerts();
  const Time now = quiet.session->hello_at + seconds{30};
  std::size_t sink = 0;
  measure("decide_quiet_turn", [&](std::uint64_t) { sink += decide::node_turn(quiet, now, ids).alerts.size(); });

  decide::NodeFacts sick = quiet;
  sick.fresh.push_back({finding(1), 1, now});
  measure("decide_finding_to_alert", [&](std::uint64_t n) {
    sick.fresh[0].finding.id = std::to_string(n);
    sink += decide::node_turn(sick, now, ids).alerts.size();
  });

  decide::NodeFacts firing = quiet;
  firing.alerts = decide::node_turn(sick, now, ids).alerts;
  const Time later = now + seconds{60};
  measure("decide_alert_to_recommendation",
          [&](std::uint64_t) { sink += decide::node_turn(firing, later, ids).repair.has_value(); });
  return sink == 0 ? 1 : 0;
}
