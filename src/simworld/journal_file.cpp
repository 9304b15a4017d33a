// Reading and writing the world's journal file.
#include "simworld/journal_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/text.hpp"
#include "model/json.hpp"

namespace sickbay::simworld {

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
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Errc::io, fmt::format("cannot read the journal {}: {}", path, std::strerror(errno)));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
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
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return fail(Errc::io, fmt::format("cannot open the journal {}: {}", path, std::strerror(errno)));
  std::unique_ptr<FileJournal> journal(new FileJournal(fd, {}));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    return fail(Errc::conflict, fmt::format("another simulated world is using {}; stop it first", path));
  }
  std::size_t whole = 0;
  SICKBAY_ASSIGN(journal->found_, read_journal(path, &whole));
  if (::ftruncate(fd, static_cast<off_t>(whole)) != 0) {
    return fail(Errc::io, fmt::format("cannot cut the torn end off {}: {}", path, std::strerror(errno)));
  }
  return journal;
}

FileJournal::~FileJournal() {
  ::close(fd_);
}

void FileJournal::append(const Entry& entry, bool durable) {
  const std::string line = to_line(entry) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::runtime_error(fmt::format("cannot write the journal: {}", std::strerror(errno)));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (durable && ::fdatasync(fd_) != 0) {
    throw std::runtime_error(fmt::format("cannot sync the journal: {}", std::strerror(errno)));
  }
}

}  // namespace sickbay::simworld
