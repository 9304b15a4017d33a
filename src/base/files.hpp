// Small files, read and replaced as a whole, so that a crash leaves the old or the new, never half; and files that one
// process at a time may hold. Every step that can fail is checked, because a disk that is full or gone read-only says
// so in one of them only.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace sickbay {

// Owns a file descriptor.
class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// "cannot DOING PATH: reason of errno", with Errc::not_found for ENOENT and Errc::io otherwise.
tl::unexpected<Error> file_error(std::string_view doing, const std::string& path, int error);

// At most `limit` bytes; Errc::too_large for more. Never waits for longer than a few seconds, whatever `path` names.
Result<std::string> read_file(const std::string& path, std::size_t limit);
// Writes beside (PATH.new), syncs, renames over `path` and syncs the directory. `mode` as in open(2). When it fails,
// the old file is still there. Whoever may be called by two processes at once holds a lock around it.
Status replace_file(const std::string& path, std::string_view bytes, unsigned mode);
Status write_all(int fd, std::string_view bytes, const std::string& path);
Status sync_directory(const std::string& directory);

// Locks an open file for as long as it stays open, however the process ends. Errc::conflict, with `held` as the
// message, when somebody else has it.
Status lock_file(const Fd& file, const std::string& path, std::string held);
// The same for a file that exists only to be locked; made where it is missing.
Result<Fd> take_lock(const std::string& path, std::string held);

}  // namespace sickbay
