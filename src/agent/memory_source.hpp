// Records from memory: what the simulated fleet and tests feed an agent with.
#pragma once

#include <memory>
#include <vector>

#include "agent/source.hpp"
#include "base/time.hpp"

namespace sickbay::agent {

class MemorySource final : public RecordSource {
 public:
  // The other end, which stays valid after the agent took the source.
  class Feed {
   public:
    // One record in the form of /dev/kmsg ("4,1234,56789,-;text"). Before the agent has started, records wait, as they
    // do in the kernel's ring, and a later start reads the last thousand again. All calls come from the io_context's
    // thread.
    void push(std::string record);
    // The kernel says something: push() with the next sequence of this boot. `level` as in syslog.
    void say(std::string_view message, Duration since_boot, int level = 4);
    void reboot();                      // the ring is empty and counts from 0 again; the agent's identity is yours
    void overrun();                     // as when the ring has overrun
    void fail(const std::string& why);  // as when the device fails
    void end();                         // as at the end of a file

   private:
    friend class MemorySource;
    std::vector<std::string> ring_;  // what a later start reads again
    std::uint64_t next_ = 0;
    RecordSink* sink_ = nullptr;
  };

  // Shared, because the feeder and the agent's source each end on their own.
  explicit MemorySource(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
  ~MemorySource() override { stop(); }
  void start(RecordSink& sink) override;
  void stop() override;

 private:
  std::shared_ptr<Feed> feed_;
  RecordSink* sink_ = nullptr;
};

}  // namespace sickbay::agent
