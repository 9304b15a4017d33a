// One file of the outbox: a header and entries that are only ever appended. Every entry carries its length, its
// sequence and a checksum over all of it, so that whatever a crash, a full disk or a flipped bit leaves behind is
// either read back exactly or seen to be broken.
//
//   header   "SBOX0001"  stream (36 bytes)  first sequence (8)  dropped before (8)  crc32 of these (4)
//   entry    length of the text (4)  crc32 of length, sequence and text (4)  sequence (8)  text
//   all numbers little-endian
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"

namespace sickbay::agent {

class Segment {
 public:
  struct Header {
    std::string stream;  // UUID, 36 characters
    std::uint64_t first_sequence = 1;
    std::uint64_t dropped = 0;
  };
  struct At {
    std::uint64_t sequence = 0;
    std::uint32_t offset = 0;  // of the entry
    std::uint32_t length = 0;  // of its text
  };
  struct Opened;

  static constexpr std::size_t kHeader = 64;
  static constexpr std::size_t kEntry = 16;
  static constexpr std::size_t kMaxText = 64U << 10;

  // A new, empty file; the directory is synced, so that the file is there after a crash.
  static Result<Segment> create(std::string directory, std::uint64_t number, Header header);
  // An existing one, every entry checked: what is broken is left out. Errc::invalid when it is shorter than a header.
  static Result<Opened> open(std::string directory, std::uint64_t number);

  // Appends and makes durable. On failure the file is cut back to what it was, as far as the disk allows.
  // `texts` carry the sequences first_sequence, first_sequence + 1, ...; returns where each one is.
  Result<std::vector<At>> append(std::uint64_t first_sequence, const std::vector<std::string_view>& texts);
  // Errc::invalid when the checksum does not hold, Errc::io when it cannot be read.
  Result<std::string> read(const At& at) const;
  void remove();  // the file, as far as the disk allows

  std::uint64_t number() const { return number_; }
  std::uint64_t size() const { return size_; }
  const Header& header() const { return header_; }  // with an empty stream where it was damaged

 private:
  Segment(Fd fd, std::string path, std::uint64_t number, Header header, std::uint64_t size)
      : fd_(std::move(fd)), path_(std::move(path)), number_(number), header_(std::move(header)), size_(size) {}

  Fd fd_;
  std::string path_;
  std::uint64_t number_;
  Header header_;
  std::uint64_t size_;
  int unwritable_ = 0;  // why it could be opened for reading only
};

struct Segment::Opened {
  Segment segment;
  std::vector<At> entries;
  std::uint64_t next_sequence = 1;  // after the last entry
  std::uint64_t lost = 0;           // entries that were left out between others
  bool damaged = false;             // something was left out, be it at the end
};

}  // namespace sickbay::agent
