// The journal as a file: one JSON line an entry, appended, synced where it must last. A torn last line (the machine
// died while writing) is cut off when the file is opened again; anything else that does not parse is an error.
#pragma once

#include <memory>

#include "base/files.hpp"
#include "simworld/entry.hpp"

namespace sickbay::simworld {

std::string to_line(const Entry& entry);  // without the newline; members that have their default value are left out
Result<Entry> from_line(std::string_view line);

// All entries of a journal file, checked to be numbered without gaps. Errc::io or not_found: cannot be read;
// Errc::invalid names the line. `torn_at`, if given, gets the size of the file up to its last whole line.
Result<std::vector<Entry>> read_journal(const std::string& path, std::size_t* torn_at = nullptr);

class FileJournal final : public Journal {
 public:
  // Opens or creates it; cuts off a torn last line. A second process with the same file is refused.
  static Result<std::unique_ptr<FileJournal>> open(const std::string& path);
  // A world that cannot write its journal must not go on: throws std::runtime_error.
  void append(const Entry& entry, bool durable) override;
  const std::vector<Entry>& found() const { return found_; }  // what was in it when it was opened

 private:
  explicit FileJournal(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
  std::vector<Entry> found_;
};

}  // namespace sickbay::simworld
