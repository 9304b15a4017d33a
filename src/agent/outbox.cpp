#include "agent/outbox.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/ids.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace sickbay::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChunk = 256U << 10;  // bytes written between two syncs

// Numbers of the segment files in a directory, ascending.
Result<std::vector<std::uint64_t>> segment_numbers(const std::string& directory) {
  std::vector<std::uint64_t> numbers;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".seg") continue;
    if (const auto number = parse_uint(it->path().stem().string(), 16)) numbers.push_back(*number);
  }
  if (error) return fail(Errc::io, fmt::format("cannot list '{}': {}", directory, error.message()));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

Outbox::Outbox(Options options) : options_(std::move(options)), stream_(random_uuid()) {
  options_.segment_bytes = std::max<std::uint64_t>(4096, std::min(options_.segment_bytes, options_.disk_bytes / 8));
  if (options_.directory.empty()) return;
  if (const auto status = load(); !status) to_memory(status.error());
}

// Reads what the directory holds. Any doubt about the numbering begins a new stream.
Status Outbox::load() {
  if (::mkdir(options_.directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return file_error("create", options_.directory, errno);
  }
  SICKBAY_ASSIGN(const auto numbers, segment_numbers(options_.directory));
  loaded_ = true;
  bool doubt = numbers.empty();
  std::uint64_t expected = 0;
  std::uint64_t lost = 0;
  for (const std::uint64_t number : numbers) {
    next_number_ = number + 1;
    auto opened = Segment::open(options_.directory, number);
    if (!opened) {
      log::warn("the outbox leaves out a file: {}", opened.error().message);
      doubt = true;
      continue;
    }
    const Segment::Header& header = opened->segment.header();
    dropped_ = std::max(dropped_, header.dropped);
    if (files_.empty()) {
      first_ = header.first_sequence;
    } else if (header.stream != stream_ || header.first_sequence != expected) {
      doubt = true;
      const bool gap = header.stream == stream_ && header.first_sequence > expected;
      if (gap) lost += header.first_sequence - expected;
    }
    if (opened->damaged) log::warn("the outbox leaves out a damaged end of its file {:016x}.seg", number);
    doubt = doubt || opened->damaged || opened->lost > 0;
    stream_ = header.stream;
    expected = opened->next_sequence;
    files_.push_back({std::move(opened->segment), 0});
    for (const Segment::At& at : opened->entries) place(entries_.emplace_back(), files_.back(), at);
    lost += opened->lost;
  }
  count_dropped(lost, "they were damaged on disk");
  on_disk_ = true;
  sent_ = next_sequence() - 1;
  if (doubt) return restart_stream();
  return {};
}

void Outbox::place(Entry& entry, File& file, const Segment::At& at) {
  if (entry.file) --entry.file->pending;
  if (entry.text) memory_ -= entry.text->size();
  entry = {&file, at, nullptr};
  ++file.pending;
}

void Outbox::pop_front() {
  Entry& entry = entries_.front();
  if (entry.file) --entry.file->pending;
  if (entry.text) memory_ -= entry.text->size();
  entries_.pop_front();
  ++first_;
}

void Outbox::renumber() {
  stream_ = random_uuid();
  first_ = 1;
  sent_ = 0;
}

// A new stream that begins with all that is pending, in files of its own; the old files go when it is whole. A crash
// in between leaves both, which the next start sees as doubt and sorts out in the same way.
Status Outbox::restart_stream() {
  renumber();
  std::list<File> old;
  old.swap(files_);
  Status status = new_file(first_);
  if (status) status = write_texts(0);
  files_.splice(files_.begin(), old);
  if (!status) return status;
  uncommitted_ = 0;
  remove_unused();
  return {};
}

Status Outbox::new_file(std::uint64_t first_sequence) {
  SICKBAY_ASSIGN(Segment segment,
                 Segment::create(options_.directory, next_number_, {stream_, first_sequence, dropped_}));
  ++next_number_;
  files_.push_back({std::move(segment), 0});
  return {};
}

// Writes the texts of the entries from index `from` on to the last file and its successors, durably.
Status Outbox::write_texts(std::size_t from) {
  while (from < entries_.size()) {
    std::vector<std::string> read_back;
    std::size_t bytes = 0;
    while (from + read_back.size() < entries_.size() && bytes < std::min<std::size_t>(kChunk, options_.segment_bytes)) {
      Entry& entry = entries_[from + read_back.size()];
      auto text = entry.text ? Result<std::string>(*entry.text) : entry.file->segment.read(entry.at);
      if (!text) {
        count_dropped(1, text.error().message);
        --entry.file->pending;
        entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(from + read_back.size()));
        continue;
      }
      bytes += text->size() + Segment::kEntry;
      read_back.push_back(std::move(*text));
    }
    if (read_back.empty()) break;
    if (files_.back().segment.size() > options_.segment_bytes) SICKBAY_CHECK(new_file(first_ + from));
    const std::vector<std::string_view> texts(read_back.begin(), read_back.end());
    SICKBAY_ASSIGN(const auto places, files_.back().segment.append(first_ + from, texts));
    for (const Segment::At& at : places) place(entries_[from++], files_.back(), at);
  }
  return {};
}

void Outbox::append(std::string text) {
  memory_ += text.size();
  entries_.push_back({nullptr, {}, std::make_unique<std::string>(std::move(text))});
  ++uncommitted_;
}

bool Outbox::commit() {
  if (!on_disk_) {
    uncommitted_ = 0;
    bound_memory();
    return false;
  }
  if (uncommitted_ == 0) return true;
  make_room(memory_ + uncommitted_ * Segment::kEntry);
  if (const auto status = write_texts(entries_.size() - uncommitted_); !status) {
    to_memory(status.error());
    return false;
  }
  uncommitted_ = 0;
  return true;
}

// The disk takes no writes. What it holds can perhaps still be read; the numbering there has ended.
void Outbox::to_memory(const Error& error) {
  on_disk_ = false;
  problem_ = error.message;
  log::error("the outbox works from memory: {}; what is not delivered before a restart is lost", problem_);
  renumber();
  uncommitted_ = 0;
  bound_memory();
}

void Outbox::recover() {
  if (on_disk_ || options_.directory.empty()) return;
  if (!loaded_) {  // its directory could not even be read at the start
    std::deque<Entry> held;
    held.swap(entries_);
    if (const auto status = load(); !status && !loaded_) {
      held.swap(entries_);
      return;
    }
    for (Entry& entry : held) entries_.push_back(std::move(entry));
    on_disk_ = false;
  }
  const std::string stream = stream_;
  if (const auto status = restart_stream(); !status) {
    stream_ = stream;  // nothing of the new one was sent
    problem_ = status.error().message;
    return;
  }
  on_disk_ = true;
  problem_.clear();
  log::info("the outbox works from disk again");
}

Outbox::Slice Outbox::oldest(std::size_t count, std::size_t bytes) {
  Slice slice;
  std::size_t size = 0;
  while (slice.texts.size() < std::min<std::uint64_t>(count, ready())) {
    Entry& entry = entries_[slice.texts.size()];
    auto text = entry.text ? Result<std::string>(*entry.text) : entry.file->segment.read(entry.at);
    if (!text && !slice.texts.empty()) break;
    if (!text) {
      drop_oldest(text.error().message);
      continue;
    }
    size += text->size();
    if (size > bytes && !slice.texts.empty()) break;
    slice.texts.push_back(std::move(*text));
  }
  slice.first_sequence = first_;
  if (!slice.texts.empty()) sent_ = std::max(sent_, first_ + slice.texts.size() - 1);
  return slice;
}

void Outbox::acknowledge(std::string_view stream, std::uint64_t sequence) {
  if (stream != stream_) return;
  while (ready() > 0 && first_ <= sequence) pop_front();
  remove_unused();
  // The last file would grow for ever where every finding is delivered at once.
  if (on_disk_ && entries_.empty() && files_.back().segment.size() > options_.segment_bytes / 2) {
    if (const auto status = new_file(first_); !status) return to_memory(status.error());
    remove_unused();
  }
}

void Outbox::greeted(std::string_view stream, std::uint64_t acknowledged) {
  if (stream != stream_) return;
  if (acknowledged <= sent_) return acknowledge(stream, acknowledged);
  log::warn("the server has findings of this outbox that it never sent: its directory is a copy; a new stream begins");
  if (!on_disk_) return renumber();
  if (const auto status = restart_stream(); !status) to_memory(status.error());
}

void Outbox::drop_oldest(std::string_view why) {
  if (ready() == 0) return;
  pop_front();
  count_dropped(1, why);
  remove_unused();
}

void Outbox::bound_memory() {
  std::uint64_t count = 0;
  for (; memory_ > options_.memory_bytes && ready() > 0; ++count) pop_front();
  count_dropped(count, "the outbox in memory is full");
}

// Drops the oldest files, with what is in them, until `bytes` more fit.
void Outbox::make_room(std::uint64_t bytes) {
  std::uint64_t total = bytes;
  for (const File& file : files_) total += file.segment.size();
  std::uint64_t count = 0;
  while (total > options_.disk_bytes && files_.size() > 1) {
    File& oldest = files_.front();
    for (; oldest.pending > 0; ++count) pop_front();
    total -= oldest.segment.size();
    oldest.segment.remove();
    files_.pop_front();
  }
  count_dropped(count, "the outbox is full");
}

void Outbox::remove_unused() {
  for (auto file = files_.begin(); file != files_.end();) {
    const bool written_to = on_disk_ && std::next(file) == files_.end();
    if (file->pending > 0 || written_to) {
      ++file;
    } else {
      file->segment.remove();
      file = files_.erase(file);
    }
  }
}

void Outbox::count_dropped(std::uint64_t count, std::string_view why) {
  if (count == 0) return;
  dropped_ += count;
  log::warn("the outbox dropped {} finding{}, the oldest first: {} ({} in its life)", count, count == 1 ? "" : "s", why,
            dropped_);
}

}  // namespace sickbay::agent
