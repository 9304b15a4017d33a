// The store on PostgreSQL: a pool of connections, reads on REPEATABLE READ snapshots, writes READ COMMITTED, and the
// one place that runs a transaction again.
#pragma once

#include <condition_variable>
#include <mutex>

#include "store/connection.hpp"
#include "store/only_forward.hpp"

namespace sickbay::store {

class PostgresStore final : public Store {
 public:
  PostgresStore(const Options& options, Hooks hooks);

  Result<Time> now() override;
  bool is_postgresql() const override { return true; }
  // Connects and creates or migrates the schema; call once before use.
  Status prepare(const Options& options);

 protected:
  Status transact(bool write, const std::function<bool(Tx&)>& body) override;

 private:
  class Borrowed;
  void attempt(bool write, const std::function<bool(Tx&)>& body);
  void commit(Borrowed& borrowed);
  std::unique_ptr<Connection> connect(const Hooks& hooks);
  std::unique_ptr<Connection> take();
  void give(std::unique_ptr<Connection> connection);
  Time tick(Tx& tx);

  const std::string target_;
  const Hooks hooks_;
  const Hooks no_hooks_;

  std::mutex pool_mutex_;
  std::condition_variable pool_changed_;
  std::vector<std::unique_ptr<Connection>> pool_;
  std::size_t left_;  // how many more may be connected

  // now() has a connection of its own: it is asked while transactions have all of the pool.
  std::mutex clock_mutex_;
  std::unique_ptr<Connection> clock_connection_;
  Time kept_high_water_{};

  std::mutex time_mutex_;
  const SystemClock steady_;  // the database has the wall clock
  OnlyForward time_;
};

}  // namespace sickbay::store
