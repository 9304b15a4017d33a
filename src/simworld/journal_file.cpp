// Reading and writing the world's journal file.
#include "simworld/journal_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/text.hpp"
#include "model/json.hpp"

namespace sickbay::simworld {

constexpr std::size_t kLargestJournal = std::size_t{8} << 30;

std::string to_line(const Entry& entry) {
  static const json::value defaults = to_json(Entry{});
  json::object out;
  const json::value whole = to_json(entry);
  for (const auto& [key, value] : whole.get_object()) {
    const json::value* usual = defaults.get_object().if_contains(key);
    if (key == "what" || !usual || *usual != value) out[key] = value;
  }
  return json::serialize(out);
}

Result<Entry> from_line(std::string_view line) {
  return from_json_text<Entry>(line);
}

Result<std::vector<Entry>> read_journal(const std::string& path, std::size_t* torn_at) {
  SICKBAY_ASSIGN(const std::string text, read_file(path, kLargestJournal));
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (torn_at) *torn_at = whole;
  std::vector<Entry> entries;
  if (whole == 0) return entries;
  for (const std::string_view line : split(std::string_view(text).substr(0, whole - 1), '\n')) {
    auto entry = from_line(line);
    const std::size_t number = entries.size() + 1;
    if (!entry) return fail(Errc::invalid, fmt::format("{}:{}: {}", path, number, entry.error().message));
    if (entry->n != number) {
      return fail(Errc::invalid, fmt::format("{}:{}: entry {} stands where {} should", path, number, entry->n, number));
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Result<std::unique_ptr<FileJournal>> FileJournal::open(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) return file_error("open", path, errno);
  SICKBAY_CHECK(lock_file(fd, path, fmt::format("another simulated world is using {}; stop it first", path)));
  std::unique_ptr<FileJournal> journal(new FileJournal(std::move(fd)));
  std::size_t whole = 0;
  SICKBAY_ASSIGN(journal->found_, read_journal(path, &whole));
  if (::ftruncate(journal->fd_.get(), static_cast<off_t>(whole)) != 0) {
    return file_error("cut the torn end off", path, errno);
  }
  return journal;
}

void FileJournal::append(const Entry& entry, bool durable) {
  if (const Status written = write_all(fd_.get(), to_line(entry) + "\n", "the journal"); !written) {
    throw std::runtime_error(written.error().message);
  }
  if (durable && ::fdatasync(fd_.get()) != 0) {
    throw std::runtime_error(fmt::format("cannot sync the journal: {}", std::strerror(errno)));
  }
}

}  // namespace sickbay::simworld
