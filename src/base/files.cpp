#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sickbay {

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

tl::unexpected<Error> file_error(std::string_view doing, const std::string& path, int error) {
  return fail(error == ENOENT ? Errc::not_found : Errc::io,
              fmt::format("cannot {} '{}': {}", doing, path, std::strerror(error)));
}

// A pipe that a shell made (`--config <(...)`) may have nothing to read yet.
static bool readable(const Fd& fd) {
  pollfd poll{.fd = fd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&poll, 1, 5000) > 0;
}

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return file_error("open", path, errno);
  std::string text;
  for (;;) {
    const std::size_t had = text.size();
    text.resize(std::min(limit + 1, had + 16384));
    const ssize_t got = ::read(fd.get(), text.data() + had, text.size() - had);
    const int why = got < 0 ? errno : 0;
    if (got < 0) text.resize(had);
    if (why == EINTR || (why == EAGAIN && readable(fd))) continue;
    if (got < 0) return file_error("read", path, why);
    text.resize(had + static_cast<std::size_t>(got));
    if (text.size() > limit) return fail(Errc::too_large, fmt::format("'{}' is larger than {} bytes", path, limit));
    if (got == 0) return text;
  }
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return file_error("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

Status sync_directory(const std::string& directory) {
  const Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return file_error("sync", directory, errno);
  return {};
}

Status replace_file(const std::string& path, std::string_view bytes, unsigned mode) {
  const std::string beside = path + ".new";
  {
    const Fd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode));
    if (!fd) return file_error("create", beside, errno);
    // An older file with other rights may have been there.
    if (::fchmod(fd.get(), mode) != 0) return file_error("protect", beside, errno);
    SICKBAY_CHECK(write_all(fd.get(), bytes, beside));
    if (::fdatasync(fd.get()) != 0) return file_error("sync", beside, errno);
  }
  if (::rename(beside.c_str(), path.c_str()) != 0) return file_error("replace", path, errno);
  const auto slash = path.rfind('/');
  return sync_directory(slash == std::string::npos ? "." : path.substr(0, slash + 1));
}

Status lock_file(const Fd& file, const std::string& path, std::string held) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) return fail(Errc::conflict, std::move(held));
  return file_error("lock", path, errno);
}

Result<Fd> take_lock(const std::string& path, std::string held) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) {
    const int why = errno;
    file = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));  // of before the disk was read-only
    if (!file) return file_error("create", path, why);
  }
  SICKBAY_CHECK(lock_file(file, path, std::move(held)));
  return file;
}

}  // namespace sickbay
