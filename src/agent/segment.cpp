#include "agent/segment.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/crc.hpp>
#include <cerrno>

namespace sickbay::agent {
namespace {

constexpr std::string_view kMagic = "SBOX0001";
constexpr std::size_t kStream = 36;
constexpr std::size_t kMaxFile = 64U << 20;  // no outbox writes a larger one

template <class T>
void put(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

template <class T>
T get(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes[at + i])) << (8 * i));
  }
  return value;
}

std::uint32_t crc(std::string_view a, std::string_view b = {}) {
  boost::crc_32_type sum;
  sum.process_bytes(a.data(), a.size());
  sum.process_bytes(b.data(), b.size());
  return sum.checksum();
}

std::string entry_of(std::uint64_t sequence, std::string_view text) {
  std::string covered;
  put(covered, static_cast<std::uint32_t>(text.size()));
  put(covered, sequence);
  std::string entry = covered.substr(0, 4);
  put(entry, crc(covered, text));
  entry.append(covered, 4).append(text);
  return entry;
}

// The text of the entry at the front of `bytes`, if it is whole and right.
bool whole_entry(std::string_view bytes, std::uint64_t& sequence, std::string_view& text) {
  if (bytes.size() < Segment::kEntry) return false;
  const auto length = get<std::uint32_t>(bytes, 0);
  if (length > Segment::kMaxText || bytes.size() - Segment::kEntry < length) return false;
  text = bytes.substr(Segment::kEntry, length);
  sequence = get<std::uint64_t>(bytes, 8);
  return crc(std::string(bytes.substr(0, 4)).append(bytes.substr(8, 8)), text) == get<std::uint32_t>(bytes, 4);
}

// Reads entries from `at` on. A broken one is stepped over where its length leads to a whole one of a later sequence;
// otherwise it is the end.
void scan(std::string_view bytes, Segment::Opened& opened, std::size_t& end) {
  std::size_t at = Segment::kHeader;
  bool first = !opened.segment.header().stream.empty();  // then the header says what the first sequence is
  while (at < bytes.size()) {
    std::string_view text;
    std::uint64_t sequence = 0;
    const std::string_view rest = bytes.substr(at);
    const bool whole = whole_entry(rest, sequence, text) && sequence >= opened.next_sequence;
    if (!whole) {
      opened.damaged = true;
      const std::size_t length = rest.size() < Segment::kEntry ? rest.size() : get<std::uint32_t>(rest, 0);
      if (length > Segment::kMaxText || rest.size() < Segment::kEntry + length) break;
      at += Segment::kEntry + length;
      continue;
    }
    if (first || !opened.entries.empty()) opened.lost += sequence - opened.next_sequence;
    first = false;
    opened.entries.push_back({sequence, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(text.size())});
    opened.next_sequence = sequence + 1;
    at += Segment::kEntry + text.size();
    end = at;
  }
}

std::string path_of(const std::string& directory, std::uint64_t number) {
  return fmt::format("{}/{:016x}.seg", directory, number);
}

}  // namespace

Result<Segment> Segment::create(std::string directory, std::uint64_t number, Header header) {
  std::string path = path_of(directory, number);
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return file_error("create", path, errno);
  std::string bytes(kMagic);
  bytes += header.stream;
  bytes.resize(kMagic.size() + kStream, ' ');
  put(bytes, header.first_sequence);
  put(bytes, header.dropped);
  put(bytes, crc(bytes));
  Status status = write_all(fd.get(), bytes, path);
  if (status && ::fdatasync(fd.get()) != 0) status = file_error("sync", path, errno);
  if (status) status = sync_directory(directory);
  if (!status) {
    ::unlink(path.c_str());
    return tl::unexpected(status.error());
  }
  return Segment(std::move(fd), std::move(path), number, std::move(header), kHeader);
}

Result<Segment::Opened> Segment::open(std::string directory, std::uint64_t number) {
  std::string path = path_of(directory, number);
  Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  const int unwritable = fd ? 0 : errno;
  if (unwritable == EROFS || unwritable == EACCES) fd = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return file_error("open", path, errno);
  SICKBAY_ASSIGN(const std::string bytes, read_file(path, kMaxFile));
  const std::string_view view = bytes;
  if (bytes.size() < kHeader) return fail(Errc::invalid, fmt::format("'{}' is too short for an outbox file", path));
  Header header{std::string(view.substr(kMagic.size(), kStream)), get<std::uint64_t>(view, 44),
                get<std::uint64_t>(view, 52)};
  const bool right =
      view.starts_with(kMagic) && crc(view.substr(0, kHeader - 4)) == get<std::uint32_t>(view, kHeader - 4);
  if (!right) header = {"", 0, 0};
  const std::uint64_t first = header.first_sequence;
  Opened opened{Segment(std::move(fd), std::move(path), number, std::move(header), kHeader), {}, first, 0, !right};
  std::size_t end = kHeader;
  scan(view, opened, end);
  opened.damaged = opened.damaged || end != bytes.size();
  opened.segment.size_ = end;
  opened.segment.unwritable_ = unwritable;
  return opened;
}

Result<std::vector<Segment::At>> Segment::append(std::uint64_t first_sequence,
                                                 const std::vector<std::string_view>& texts) {
  std::vector<At> places;
  std::string bytes;
  for (const std::string_view text : texts) {
    const std::uint64_t sequence = first_sequence + places.size();
    places.push_back(
        {sequence, static_cast<std::uint32_t>(size_ + bytes.size()), static_cast<std::uint32_t>(text.size())});
    bytes += entry_of(sequence, text);
  }
  if (unwritable_ != 0) return file_error("write", path_, unwritable_);
  Status status;
  if (::lseek(fd_.get(), static_cast<off_t>(size_), SEEK_SET) < 0) status = file_error("seek in", path_, errno);
  if (status) status = write_all(fd_.get(), bytes, path_);
  // What a damaged end left behind must not follow the new entries.
  if (status && ::ftruncate(fd_.get(), static_cast<off_t>(size_ + bytes.size())) != 0) {
    status = file_error("cut", path_, errno);
  }
  if (status && ::fdatasync(fd_.get()) != 0) status = file_error("sync", path_, errno);
  if (!status) {
    if (::ftruncate(fd_.get(), static_cast<off_t>(size_)) != 0) { /* the next open sees it and leaves it out */
    }
    return tl::unexpected(status.error());
  }
  size_ += bytes.size();
  return places;
}

Result<std::string> Segment::read(const At& at) const {
  std::string bytes(kEntry + at.length, '\0');
  for (std::size_t have = 0; have < bytes.size();) {
    const ssize_t got =
        ::pread(fd_.get(), bytes.data() + have, bytes.size() - have, static_cast<off_t>(at.offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("read", path_, errno);
    if (got == 0) return fail(Errc::invalid, fmt::format("'{}' has become shorter", path_));
    have += static_cast<std::size_t>(got);
  }
  std::string_view text;
  std::uint64_t sequence = 0;
  if (!whole_entry(bytes, sequence, text) || sequence != at.sequence || text.size() != at.length) {
    return fail(Errc::invalid, fmt::format("entry {} of '{}' is damaged", at.sequence, path_));
  }
  return std::string(text);
}

void Segment::remove() {
  ::unlink(path_.c_str());
}

}  // namespace sickbay::agent
