// /dev/kmsg, read as it wants to be read: whole records, woken by the kernel, from the first one in the ring. When the
// device fails it is opened again; what was lost meanwhile shows in the sequence numbers.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <optional>
#include <span>
#include <vector>

#include "agent/source.hpp"

namespace sickbay::agent {

// The device itself: real, or scripted in tests.
class KmsgDevice {
 public:
  virtual ~KmsgDevice() = default;
  // A new non-blocking descriptor that stands at the first record; the caller closes it.
  virtual Result<int> open() = 0;
  // As read(2): the length of one record, 0, or -1 with errno.
  virtual long read(int fd, std::span<char> buffer) = 0;
};
std::unique_ptr<KmsgDevice> kernel_kmsg(std::string path);

class KmsgSource final : public RecordSource {
 public:
  KmsgSource(asio::io_context& io, std::unique_ptr<KmsgDevice> device) : io_(io), device_(std::move(device)) {}
  ~KmsgSource() override { stop(); }
  void start(RecordSink& sink) override;
  void stop() override;
  void tick() override;

 private:
  void open();
  void wait();
  void drain();
  void broken(const std::string& why);

  asio::io_context& io_;
  std::unique_ptr<KmsgDevice> device_;
  RecordSink* sink_ = nullptr;
  std::optional<asio::posix::stream_descriptor> descriptor_;
  std::vector<char> buffer_;
  bool fruitful_ = false;  // a record was read since it was opened
  bool reopened_ = false;  // already opened again since the last tick
  // Completions of operations that were started before a stop find it false. Shared with them, since they may come
  // after the source is gone.
  std::shared_ptr<bool> alive_;
};

}  // namespace sickbay::agent
