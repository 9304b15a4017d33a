#include "agent/kmsg.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sickbay::agent {
namespace {

// The kernel refuses a buffer smaller than the record (EINVAL); its own bound is 8 KiB.
constexpr std::size_t kBuffer = 32U << 10;
constexpr int kRecordsPerTurn = 256;  // then others get their turn, and what was found is made durable

class KernelKmsg final : public KmsgDevice {
 public:
  explicit KernelKmsg(std::string path) : path_(std::move(path)) {}

  Result<int> open() override {
    const int fd = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && (errno == EPERM || errno == EACCES || errno == ENOENT)) {
      return fail(Errc::forbidden,
                  fmt::format("'{}' may not be read ({}); run the agent as root or with CAP_SYSLOG, and "
                              "give its container the device",
                              path_, std::strerror(errno)));
    }
    if (fd < 0) return fail(Errc::io, fmt::format("cannot open '{}': {}", path_, std::strerror(errno)));
    ::lseek(fd, 0, SEEK_SET);  // the first record in the ring, not the first after the last `dmesg -C`
    return fd;
  }
  long read(int fd, std::span<char> buffer) override { return ::read(fd, buffer.data(), buffer.size()); }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<KmsgDevice> kernel_kmsg(std::string path) {
  return std::make_unique<KernelKmsg>(std::move(path));
}

void KmsgSource::start(RecordSink& sink) {
  sink_ = &sink;
  alive_ = std::make_shared<bool>(true);
  buffer_.resize(kBuffer);
  open();
}

void KmsgSource::stop() {
  if (alive_) *alive_ = false;
  descriptor_.reset();
  sink_ = nullptr;
}

void KmsgSource::tick() {
  reopened_ = false;
  if (sink_ && !descriptor_) open();
}

void KmsgSource::open() {
  const auto fd = device_->open();
  if (!fd) return sink_->on_broken(fd.error().message);
  boost::system::error_code error;
  descriptor_.emplace(io_);
  descriptor_->assign(*fd, error);
  if (error) {
    descriptor_.reset();
    ::close(*fd);
    return sink_->on_broken(fmt::format("the kernel log cannot be waited on: {}", error.message()));
  }
  fruitful_ = false;
  asio::post(io_, [this, alive = alive_] {
    if (*alive) drain();
  });
}

void KmsgSource::wait() {
  descriptor_->async_wait(asio::posix::stream_descriptor::wait_read,
                          [this, alive = alive_](const boost::system::error_code& error) {
                            if (*alive && error != asio::error::operation_aborted) drain();
                          });
}

void KmsgSource::drain() {
  if (!descriptor_) return;
  const std::shared_ptr<bool> alive = alive_;
  for (int i = 0; i < kRecordsPerTurn; ++i) {
    const long got = device_->read(descriptor_->native_handle(), buffer_);
    if (got > 0) {
      fruitful_ = true;
      sink_->on_record({{buffer_.data(), static_cast<std::size_t>(got)}, true, 0, {}});
    } else if (got < 0 && errno == EPIPE) {
      sink_->on_overrun();  // the next read stands at the oldest record there is
    } else if (got < 0 && errno == EINVAL) {
      continue;  // a record larger than any should be; its gap in the sequence tells of it
    } else if (got < 0 && errno == EAGAIN) {
      sink_->on_drained();
      if (*alive) wait();
      return;
    } else if (got == 0 || errno != EINTR) {
      return broken(got == 0 ? "the kernel log has ended"
                             : fmt::format("reading the kernel log failed: {}", std::strerror(errno)));
    }
    if (!*alive) return;
  }
  sink_->on_drained();
  asio::post(io_, [this, alive] {
    if (*alive) drain();
  });
}

// Opened again at once where it had worked, but only once between two heartbeats; else at the next one.
void KmsgSource::broken(const std::string& why) {
  const std::shared_ptr<bool> alive = alive_;
  descriptor_.reset();
  sink_->on_drained();
  if (*alive) sink_->on_broken(why);
  if (*alive && fruitful_ && !std::exchange(reopened_, true)) open();
}

}  // namespace sickbay::agent
