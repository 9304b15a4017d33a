#include "agent/file_source.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>

#include "agent/kmsg.hpp"
#include "base/ids.hpp"

namespace sickbay::agent {

FileSource::FileSource(asio::io_context& io, Fd fd, std::string name, bool waits)
    : io_(io),
      fd_(std::move(fd)),
      name_(std::move(name)),
      waits_(waits),
      lines_([this](std::string_view record, std::uint64_t line) {
        if (sink_) sink_->on_record({record, false, line, name_});
      }) {}

void FileSource::start(RecordSink& sink) {
  sink_ = &sink;
  alive_ = std::make_shared<bool>(true);
  buffer_.resize(64U << 10);
  if (waits_) {
    boost::system::error_code error;
    descriptor_.emplace(io_);
    descriptor_->assign(fd_.get(), error);
    if (error) {
      descriptor_.reset();
      return sink_->on_broken(fmt::format("'{}' cannot be waited on: {}", name_, error.message()));
    }
    fd_.release();
  }
  asio::post(io_, [this, alive = alive_] {
    if (*alive) drain();
  });
}

void FileSource::stop() {
  if (alive_) *alive_ = false;
  descriptor_.reset();
  sink_ = nullptr;
}

void FileSource::wait() {
  descriptor_->async_wait(asio::posix::stream_descriptor::wait_read,
                          [this, alive = alive_](const boost::system::error_code& error) {
                            if (*alive && error != asio::error::operation_aborted) drain();
                          });
}

void FileSource::drain() {
  const std::shared_ptr<bool> alive = alive_;
  const int fd = descriptor_ ? descriptor_->native_handle() : fd_.get();
  const ssize_t got = ::read(fd, buffer_.data(), buffer_.size());
  if (got > 0) {
    lines_.feed({buffer_.data(), static_cast<std::size_t>(got)});
    if (!*alive) return;
    // A full buffer means that more is there; what is made durable should not be one line at a time.
    sink_->on_drained();
    asio::post(io_, [this, alive] {
      if (*alive) drain();
    });
    return;
  }
  if (got < 0 && errno == EINTR) return drain();
  if (got < 0 && errno == EAGAIN) {
    lines_.rest();
    if (*alive) sink_->on_drained();
    if (*alive) wait();
    return;
  }
  const std::string why = got < 0 ? std::strerror(errno) : "";
  lines_.end();
  if (*alive) sink_->on_drained();
  if (*alive && !why.empty()) sink_->on_broken(fmt::format("reading '{}' failed: {}", name_, why));
  if (*alive) sink_->on_end();
}

Result<std::unique_ptr<RecordSource>> open_records(asio::io_context& io, const std::string& where, bool once) {
  if (where == "-") {
    Fd fd(::dup(STDIN_FILENO));
    struct stat about{};
    if (!fd || ::fstat(fd.get(), &about) != 0) return file_error("read", "standard input", errno);
    const bool waits = !S_ISREG(about.st_mode);
    // epoll takes no /dev/null: it is read at once, to its end.
    const bool character = S_ISCHR(about.st_mode) && !::isatty(fd.get());
    if (waits && !character) ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
    return std::make_unique<FileSource>(io, std::move(fd), random_uuid(), waits && !character);
  }
  struct stat about{};
  if (::stat(where.c_str(), &about) != 0) return file_error("read", where, errno);
  if (S_ISCHR(about.st_mode)) return std::make_unique<KmsgSource>(io, kernel_kmsg(where));
  if (S_ISFIFO(about.st_mode)) {
    // Opened for writing too, it never ends when a writer leaves. To read one writer's records to their end, wait for
    // that writer here.
    Fd fd(::open(where.c_str(), (once ? O_RDONLY : O_RDWR | O_NONBLOCK) | O_CLOEXEC));
    if (!fd) return file_error("open", where, errno);
    if (once) ::fcntl(fd.get(), F_SETFL, O_NONBLOCK);
    return std::make_unique<FileSource>(io, std::move(fd), random_uuid(), true);
  }
  if (!S_ISREG(about.st_mode)) {
    return fail(Errc::invalid, fmt::format("'{}' is neither a file, a FIFO nor a kernel log device", where));
  }
  Fd fd(::open(where.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return file_error("open", where, errno);
  return std::make_unique<FileSource>(io, std::move(fd), where, false);
}

}  // namespace sickbay::agent
