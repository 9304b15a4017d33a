// A sink that keeps what a detector says, so that a detector is tested alone: without records, outbox and server.
#pragma once

#include "agent/detector.hpp"
#include "agent/source.hpp"
#include "model/fault_names.hpp"
#include "rules/faults.hpp"
#include "rules/kernel_log.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace sickbay::agent {

struct FakeSink final : FindingSink {
  void accept(Finding finding) override {
    active_faults.take(finding, {});
    findings.push_back(std::move(finding));
  }
  void broken(std::string_view detector, std::string_view code, std::string sentence,
              boost::json::object evidence) override {
    Finding finding;
    finding.detector = detector;
    finding.fault = {fault_names::kDetectorBroken, std::string(code)};
    finding.sentence = std::move(sentence);
    finding.evidence = std::move(evidence);
    accept(std::move(finding));
  }
  void mended(std::string_view, std::string_view code, std::string) override {
    Finding finding;
    finding.fault = {fault_names::kDetectorBroken, std::string(code)};
    if (!active_faults.find(finding.fault, "")) return;
    finding.kind = FindingKind::clear;
    accept(std::move(finding));
  }
  void gap() override { ++gaps; }
  void settled() override { ++settles; }
  void commit() override { ++commits; }
  void finished() override { ended = true; }
  void save_soon() override { ++saves; }
  const ActiveSet& active() const override { return active_faults; }

  // What was said since the last call, as "fault GpuMissing".
  std::vector<std::string> said() {
    std::vector<std::string> out;
    for (const Finding& finding : std::exchange(findings, {})) {
      out.push_back(std::string(name_of(finding.kind)) + " " + finding.fault.text());
    }
    return out;
  }

  FaultTable faults = rules::default_faults();
  ActiveSet active_faults{faults};
  std::vector<Finding> findings;
  int gaps = 0, settles = 0, commits = 0, saves = 0;
  bool ended = false;
};

// A detector with what it is made from: an empty machine under `scratch`.
struct DetectorRig {
  DetectorRig() {
    config.sys = scratch / "sys";
    config.proc = scratch / "proc";
    identity.boot_id = "boot-1";
  }
  template <class T>
  T make() {
    return T(Surroundings{io, config, identity, log, sink.faults, clock, source});
  }
  asio::io_context io{1};
  Scratch scratch;
  Config config;
  Identity identity;
  ManualClock clock;
  rules::KernelLog log = rules::KernelLog::built_in();
  FakeSink sink;
  std::unique_ptr<RecordSource> source;
};

}  // namespace sickbay::agent
