// Listens to the kernel log: what the source reads becomes findings by the rules, and what was lost on the way is said
// (product.md 3.1). Where records come from is source.hpp's, what they mean is the rules'.
#pragma once

#include "agent/detector.hpp"
#include "agent/reader.hpp"
#include "agent/source.hpp"

namespace sickbay::agent {

class KernelLogDetector final : public Detector, RecordSink {
 public:
  explicit KernelLogDetector(const Surroundings& around);

  std::string_view name() const override { return "kernel-log"; }
  void start(FindingSink& sink, const Saved& saved) override;
  void stop() override { source_->stop(); }
  void on_heartbeat() override;
  void save(Saved& saved) override;
  std::uint64_t records() const override { return reader_.records(); }

 private:
  // RecordSink
  void on_record(const RawRecord& record) override;
  void on_drained() override;
  void on_overrun() override { overrun_ = true; }
  void on_broken(const std::string& why) override;
  void on_end() override { sink_->finished(); }

  void note_lost(std::uint64_t records);

  const Identity& identity_;
  const Clock& clock_;
  Reader reader_;
  std::unique_ptr<RecordSource> source_;
  FindingSink* sink_ = nullptr;
  std::uint64_t saved_at_ = 0;  // sequence of the position last saved
  bool reading_ = true;         // the source works
  bool overrun_ = false;        // the source has overrun, and no record has shown yet how many were lost
  bool lost_ = false;           // records were lost since the last heartbeat
};

}  // namespace sickbay::agent
