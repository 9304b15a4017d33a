// The store on SQLite: one writer at a time with group commit, readers on snapshots of their own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "store/connection.hpp"
#include "store/only_forward.hpp"

namespace sickbay::store {

// Why group commit: a durable commit costs a flush of the disk, whatever is in it. Callers queue; whoever finds the
// writer free runs every queued body, each in a savepoint of its own, and flushes once for all of them. No thread of
// our own, nothing to stop at the end.
class SqliteStore final : public Store {
 public:
  // `path`: a file, or ":memory:" (then one connection serves reads and writes, one at a time). Throws Failure.
  SqliteStore(const std::string& path, const Options& options, const Clock& clock, Hooks hooks);

  Result<Time> now() override;
  bool is_postgresql() const override { return false; }
  // Creates or migrates the schema; call once before use.
  Status prepare(const Options& options);

 protected:
  Status transact(bool write, const std::function<bool(Tx&)>& body) override;

 private:
  // One caller's body and what came of it.
  struct Request {
    const std::function<bool(Tx&)>& body;
    Status status{};
    bool done = false;
  };
  using Batch = std::vector<Request*>;
  class MemoryUse;

  Status write(const std::function<bool(Tx&)>& body);
  Status read(const std::function<bool(Tx&)>& body);
  void lead(std::unique_lock<std::mutex>& lock);
  void run_batch(Batch& batch);
  void try_batch(Batch& batch);
  bool take_queued(Batch& batch);
  bool run_in_savepoint(Tx& tx, Request& request);
  void commit();
  std::unique_ptr<Connection> take_reader();
  void give_reader(std::unique_ptr<Connection> reader);
  std::unique_ptr<Connection> connect();
  Time tick();
  void keep_high_water(Tx& tx);

  const std::string path_;
  const bool in_memory_;
  const Clock& clock_;
  const Hooks hooks_;

  std::mutex time_mutex_;
  OnlyForward time_;
  Time kept_high_water_{};     // what the database has of it; with pending_ touched by the writer only
  Time pending_high_water_{};  // what the transaction in progress writes

  std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<Request*> queue_;
  std::thread::id writer_thread_{};  // who leads now; a default id: nobody
  std::unique_ptr<Connection> writer_;

  std::mutex readers_mutex_;
  std::condition_variable reader_free_;
  std::vector<std::unique_ptr<Connection>> readers_;
  std::size_t readers_left_;  // how many more may be connected

  // In memory: who uses the one connection now. On files unused.
  std::mutex memory_mutex_;
  std::atomic<std::thread::id> memory_user_{};
};

}  // namespace sickbay::store
