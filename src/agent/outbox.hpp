// The outbox: findings wait here until the server has said that they are durable there. It is a stream with a UUID of
// its own (engine.md 6); sequences in it only grow, and only what is durable here is ever sent, so a crash at any
// byte can repeat a finding (the server knows them by their id) but not lose one.
//
// Whenever the numbering could be in doubt (an end was cut off, the disk failed or came back, the server knows
// findings we never sent) a new stream begins with everything that is still pending, instead of clever repair.
// When the disk takes no writes the outbox works from memory, says so, and returns to the disk when it can.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/segment.hpp"

namespace sickbay::agent {

class Outbox {
 public:
  struct Options {
    std::string directory;                  // empty: memory only, by choice
    std::uint64_t disk_bytes = 16U << 20;   // most it takes there; the oldest findings are dropped first
    std::uint64_t memory_bytes = 1U << 20;  // most it holds in memory when the disk takes no writes
    std::uint64_t segment_bytes = 1U << 20;
  };
  // Never fails: what cannot be read or written is said by problem().
  explicit Outbox(Options options);

  // Queues one finding's JSON text (at most Segment::kMaxText bytes). Durable only after commit().
  void append(std::string text);
  // Makes all that was queued durable. False: it is held in memory only, see problem().
  bool commit();
  // Tries to return to the disk, where it left it. Called at each heartbeat.
  void recover();

  struct Slice {
    std::uint64_t first_sequence = 0;
    std::vector<std::string> texts;
  };
  // The oldest committed findings, at most `count` and about `bytes` of them, at least one if there is any.
  Slice oldest(std::size_t count, std::size_t bytes);
  // The server has all of `stream` up to `sequence`. What is said of another stream is ignored.
  void acknowledge(std::string_view stream, std::uint64_t sequence);
  // What the server's hello said: as above, but if it has more of this stream than we ever sent, the stream is not
  // ours alone (the state directory is an older copy) and a new one begins.
  void greeted(std::string_view stream, std::uint64_t acknowledged);
  // Gives up the oldest finding, which the server refuses for ever; counted as dropped.
  void drop_oldest(std::string_view why);

  const std::string& stream() const { return stream_; }
  std::uint64_t first_sequence() const { return first_; }  // of the oldest pending
  std::uint64_t next_sequence() const { return first_ + entries_.size(); }
  std::uint64_t pending() const { return entries_.size(); }
  std::uint64_t ready() const { return entries_.size() - uncommitted_; }  // may be sent
  std::uint64_t dropped() const { return dropped_; }
  bool on_disk() const { return on_disk_; }
  const std::string& problem() const { return problem_; }  // why it works from memory; empty: it does not, or by choice

 private:
  struct File {
    Segment segment;
    std::uint64_t pending = 0;  // entries that point here
  };
  struct Entry {
    File* file = nullptr;  // where the text is, or
    Segment::At at;
    std::unique_ptr<std::string> text;  // the text itself: not yet committed, or in memory
  };

  Status load();
  Status restart_stream();
  Status write_texts(std::size_t from);
  Status new_file(std::uint64_t first_sequence);
  void renumber();
  void to_memory(const Error& error);
  void place(Entry& entry, File& file, const Segment::At& at);
  void pop_front();
  void bound_memory();
  void make_room(std::uint64_t bytes);
  void remove_unused();
  void count_dropped(std::uint64_t count, std::string_view why);

  Options options_;
  std::string stream_;
  std::list<File> files_;  // oldest first, the last is written to; a list, because entries point into it
  std::uint64_t next_number_ = 1;
  bool loaded_ = false;  // what the directory held is in entries_
  std::deque<Entry> entries_;
  std::uint64_t first_ = 1;
  std::uint64_t uncommitted_ = 0;  // at the back of entries_
  std::uint64_t sent_ = 0;         // the highest sequence of the stream that can have left this machine
  std::uint64_t memory_ = 0;       // bytes of texts in entries_
  std::uint64_t dropped_ = 0;
  bool on_disk_ = false;
  std::string problem_;
};

}  // namespace sickbay::agent
