#include "agent/memory_source.hpp"

#include <fmt/core.h>

namespace sickbay::agent {
namespace {
constexpr std::size_t kRing = 1000;  // records a later start can read again
}

void MemorySource::Feed::push(std::string record) {
  if (ring_.size() >= kRing) ring_.erase(ring_.begin());
  ring_.push_back(std::move(record));
  if (!sink_) return;
  const std::string text = ring_.back();
  sink_->on_record({text, true, 0, {}});
  if (sink_) sink_->on_drained();
}

void MemorySource::Feed::say(std::string_view message, Duration since_boot, int level) {
  push(fmt::format("{},{},{},-;{}\n", level, next_, since_boot.count(), message));
  ++next_;
}

void MemorySource::Feed::reboot() {
  ring_.clear();
  next_ = 0;
}

void MemorySource::Feed::overrun() {
  if (sink_) sink_->on_overrun();
}

void MemorySource::Feed::fail(const std::string& why) {
  if (sink_) sink_->on_broken(why);
}

void MemorySource::Feed::end() {
  if (sink_) sink_->on_end();
}

void MemorySource::start(RecordSink& sink) {
  feed_->sink_ = &sink;
  const std::vector<std::string> ring = feed_->ring_;
  for (const std::string& record : ring) {
    if (feed_->sink_ == &sink) sink.on_record({record, true, 0, {}});
  }
  if (feed_->sink_ == &sink) sink.on_drained();
  sink_ = &sink;
}

void MemorySource::stop() {
  if (feed_->sink_ == sink_) feed_->sink_ = nullptr;  // not that of a later start
  sink_ = nullptr;
}

}  // namespace sickbay::agent
