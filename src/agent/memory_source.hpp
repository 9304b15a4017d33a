// Records from memory: what the simulated fleet and tests feed an agent with.
#pragma once

#include <memory>

#include "agent/source.hpp"

namespace sickbay::agent {

class MemorySource final : public RecordSource {
 public:
  // The other end, which stays valid after the agent took the source.
  class Feed {
   public:
    // One record in the form of /dev/kmsg ("4,1234,56789,-;text"). Before the agent has started, records wait, as they
    // do in the kernel's ring. From the io_context's thread only.
    void push(std::string record);
    void overrun();                     // as when the ring has overrun
    void fail(const std::string& why);  // as when the device fails

   private:
    friend class MemorySource;
    std::string waiting_;
    std::vector<std::string> ring_;     // what a later start reads again
    RecordSink* sink_ = nullptr;
  };

  // Shared, because the feeder and the agent's source each end on their own.
  explicit MemorySource(std::shared_ptr<Feed> feed) : feed_(std::move(feed)) {}
  ~MemorySource() override { stop(); }
  void start(RecordSink& sink) override;
  void stop() override;

 private:
  std::shared_ptr<Feed> feed_;
};

}  // namespace sickbay::agent
