#include "agent/kernel_log_detector.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"

namespace sickbay::agent {
namespace {

constexpr std::uint64_t kSaveEvery = 500;  // records without a finding; reading them again costs nothing

}  // namespace

KernelLogDetector::KernelLogDetector(const Surroundings& around)
    : identity_(around.identity),
      clock_(around.clock),
      reader_(around.log, around.identity, around.config.allow_injected),
      source_(std::move(around.source)) {}

void KernelLogDetector::start(FindingSink& sink, const Saved& saved) {
  sink_ = &sink;
  saved_at_ = saved.sequence.value_or(0);
  reader_.resume(saved.sequence);
  source_->start(*this);
}

void KernelLogDetector::save(Saved& saved) {
  saved.sequence = reader_.sequence();
  saved_at_ = saved.sequence.value_or(0);
}

void KernelLogDetector::on_record(const RawRecord& record) {
  std::vector<Finding> found = reader_.read(record, identity_.since_boot(clock_));
  if (const std::uint64_t count = reader_.take_lost(); count > 0) note_lost(count);
  for (Finding& finding : found) sink_->accept(std::move(finding));
}

void KernelLogDetector::on_drained() {
  reading_ = true;
  if (std::exchange(overrun_, false) && !lost_) note_lost(0);
  sink_->settled();
}

// A gap in the log may hide anything.
void KernelLogDetector::note_lost(std::uint64_t records) {
  lost_ = true;
  const std::string count = records == 0 ? "An unknown number of" : std::to_string(records);
  log::warn("{} kernel records were overwritten before they could be read", count);
  sink_->broken(name(), name(),
                fmt::format("{} kernel records were overwritten before the agent could read them", count),
                {{"lost", records}});
  sink_->gap();
}

void KernelLogDetector::on_broken(const std::string& why) {
  if (reading_) log::error("{}; the agent tries again at each heartbeat", why);
  reading_ = false;
  sink_->broken(name(), name(), fmt::format("The kernel log cannot be read: {}", to_utf8(why)),
                {{"reason", to_utf8(why)}});
  sink_->gap();
  sink_->commit();
}

void KernelLogDetector::on_heartbeat() {
  source_->tick();
  if (reading_ && !lost_) sink_->mended(name(), name(), "The kernel log is read again, and without gaps");
  lost_ = false;
  if (reader_.sequence().value_or(0) > saved_at_ + kSaveEvery) sink_->save_soon();
}

}  // namespace sickbay::agent
