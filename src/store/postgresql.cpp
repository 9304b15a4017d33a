#include "store/postgresql.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "base/ids.hpp"
#include "store/migrations.hpp"
#include "store/restore.hpp"
#include "store/sql.hpp"

namespace sickbay::store {
namespace {

constexpr int kMaxTries = 8;
constexpr std::chrono::seconds kWaitForConnection{10};
// How far the time in the database may lag behind the highest given out; it is only needed when a clock steps back and
// the process restarts.
constexpr Duration kKeepHighWaterEvery = seconds{2};

// The parameter, where the URL does not say otherwise.
void add_default(std::string& url, std::string_view name, std::string_view value) {
  if (url.find(fmt::format("{}=", name)) != std::string::npos) return;
  url += fmt::format("{}{}={}", url.find('?') == std::string::npos ? '?' : '&', name, value);
}

std::string with_defaults(std::string url) {
  add_default(url, "connect_timeout", "5");
  add_default(url, "application_name", "sickbay");
  // A server that vanished is noticed within half a minute, also while waiting for its answer.
  add_default(url, "keepalives_idle", "10");
  add_default(url, "keepalives_interval", "5");
  add_default(url, "keepalives_count", "3");
  add_default(url, "tcp_user_timeout", "25000");
  return url;
}

// Full jitter: anywhere up to 5 ms, 10 ms, ... 640 ms. Not from a seed that decides anything: only when, not what.
void back_off(int tries) {
  thread_local std::minstd_rand random(static_cast<unsigned>(std::hash<std::thread::id>{}(std::this_thread::get_id())));
  std::uniform_int_distribution<int> wait(0, 5000 << std::min(tries, 7));
  std::this_thread::sleep_for(std::chrono::microseconds{wait(random)});
}

}  // namespace

// A connection of the pool, and back to it at the end: rolled back, or dropped where it is of no use any more.
class PostgresStore::Borrowed {
 public:
  explicit Borrowed(PostgresStore& store) : store_(store), connection_(store.take()) {}
  ~Borrowed() {
    if (connection_ && open_ && !connection_->rollback()) connection_.reset();
    store_.give(std::move(connection_));
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  Connection& operator*() { return *connection_; }
  Connection* operator->() { return connection_.get(); }
  void drop() { connection_.reset(); }
  void ended() { open_ = false; }

 private:
  PostgresStore& store_;
  std::unique_ptr<Connection> connection_;
  bool open_ = true;
};

PostgresStore::PostgresStore(const Options& options, Hooks hooks)
    : target_(with_defaults(options.url)),
      hooks_(std::move(hooks)),
      left_(std::max<std::size_t>(options.connections, 1)) {}

std::unique_ptr<Connection> PostgresStore::connect(const Hooks& hooks) {
  auto connection = std::make_unique<Connection>(Dialect::postgresql, target_, hooks);
  connection->clock = [this](Tx& tx) { return tick(tx); };
  // Nothing hangs: not a statement, not a wait for a lock, not a transaction whose process stopped.
  connection->control(
      "SET statement_timeout = '30s'; SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '60s'; "
      "SET client_min_messages = 'warning'");
  return connection;
}

Status PostgresStore::prepare(const Options& options) {
  try {
    clock_connection_ = connect(no_hooks_);
    SICKBAY_CHECK(migrate(*clock_connection_, options.installation.empty() ? random_uuid() : options.installation));
  } catch (const Failure& failure) {
    return tl::unexpected<Error>(failure.error());
  }
  SICKBAY_CHECK(now());
  return {};
}

Time PostgresStore::tick(Tx& tx) {
  const auto read = select<Time, Time>(
      tx, "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint), high_water FROM clock");
  if (read.empty()) refuse(Errc::internal, "the table clock is empty; restore a backup");
  const auto& [wall, kept] = read.front();
  const std::lock_guard lock(time_mutex_);
  time_.note(kept);
  return time_.at(wall, steady_.steady());
}

Result<Time> PostgresStore::now() {
  const std::lock_guard lock(clock_mutex_);
  for (int tries = 0;; ++tries) {
    try {
      if (!clock_connection_) clock_connection_ = connect(no_hooks_);
      Tx tx(*clock_connection_);
      const Time time = tick(tx);
      if (time >= kept_high_water_ + kKeepHighWaterEvery) {
        execute(tx, "UPDATE clock SET high_water = ?1 WHERE high_water < ?1", time);
        kept_high_water_ = time;
      }
      return time;
    } catch (const Failure& failure) {
      clock_connection_.reset();
      if (failure.remedy() == Remedy::final || tries >= 3) return tl::unexpected<Error>(failure.error());
      back_off(tries);
    }
  }
}

Status PostgresStore::transact(bool write, const std::function<bool(Tx&)>& body) {
  for (int tries = 0;; ++tries) {
    try {
      attempt(write, body);
      return {};
    } catch (const Failure& failure) {
      if (failure.remedy() == Remedy::final || tries + 1 >= kMaxTries) return tl::unexpected<Error>(failure.error());
    } catch (const std::exception& error) {
      return fail(Errc::internal, fmt::format("a transaction failed: {}", error.what()));
    }
    back_off(tries);
  }
}

// Runs the body once. A lost connection during COMMIT leaves open what happened: the body runs again, with the same
// ids, and waits for the rows that a server still busy with the first one holds.
void PostgresStore::attempt(bool write, const std::function<bool(Tx&)>& body) {
  Borrowed borrowed(*this);
  try {
    borrowed->control(write ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                            : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    Tx tx(*borrowed);
    if (!body(tx) || !write) return;
    commit(borrowed);
  } catch (const Failure& failure) {
    if (failure.remedy() == Remedy::lost) borrowed.drop();
    throw;
  }
}

void PostgresStore::commit(Borrowed& borrowed) {
  if (hooks_.before_statement) hooks_.before_statement("COMMIT");
  if (borrowed->transaction_failed())
    refuse(Errc::internal, "a transaction went on after one of its statements failed");
  const Hooks::Commit how = hooks_.at_commit ? hooks_.at_commit() : Hooks::Commit::normal;
  if (how != Hooks::Commit::lost_before) {
    borrowed->control("COMMIT");
    borrowed.ended();
  }
  if (how != Hooks::Commit::normal) {
    throw Failure(Remedy::lost, {Errc::unavailable, "the connection was lost during the commit"});
  }
}

std::unique_ptr<Connection> PostgresStore::take() {
  std::unique_lock lock(pool_mutex_);
  if (!pool_changed_.wait_for(lock, kWaitForConnection, [&] { return !pool_.empty() || left_ > 0; })) {
    refuse(Errc::unavailable, "every connection to the database has been busy for 10 s; try again, or allow more");
  }
  if (!pool_.empty()) {
    auto connection = std::move(pool_.back());
    pool_.pop_back();
    return connection;
  }
  --left_;
  lock.unlock();
  try {
    auto connection = connect(hooks_);
    check_line(*connection);
    return connection;
  } catch (const Failure&) {
    give(nullptr);
    throw;
  }
}

void PostgresStore::give(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(pool_mutex_);
    if (connection) {
      pool_.push_back(std::move(connection));
    } else {
      ++left_;
    }
  }
  pool_changed_.notify_one();
}

}  // namespace sickbay::store
