#include "store/sqlite.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ranges>

#include "base/ids.hpp"
#include "store/at_exit.hpp"
#include "store/migrations.hpp"
#include "store/sql.hpp"

namespace sickbay::store {
namespace {

// Bodies in one commit: bounded so that the first caller does not wait for a hundred strangers.
constexpr std::size_t kMaxBatch = 64;
constexpr int kMaxTries = 4;

// The schema, made once a process: an in-memory database starts as a copy of it.
const std::string& schema_image() {
  static const std::string image = [] {
    const Hooks none;
    Connection connection(Dialect::sqlite, ":memory:", none);
    if (const Status status = migrate(connection, "template"); !status) {
      throw Failure(Remedy::final, status.error());
    }
    return connection.image();
  }();
  return image;
}

}  // namespace

// While it lives, this thread has the in-memory database's one connection. On a file it does nothing.
class SqliteStore::MemoryUse {
 public:
  explicit MemoryUse(SqliteStore& store) : store_(store) {
    if (!store_.in_memory_) return;
    store_.memory_mutex_.lock();
    store_.memory_user_ = std::this_thread::get_id();
  }
  ~MemoryUse() {
    if (!store_.in_memory_) return;
    store_.memory_user_ = std::thread::id{};
    store_.memory_mutex_.unlock();
  }
  MemoryUse(const MemoryUse&) = delete;
  MemoryUse& operator=(const MemoryUse&) = delete;

 private:
  SqliteStore& store_;
};

SqliteStore::SqliteStore(const std::string& path, const Options& options, const Clock& clock, Hooks hooks)
    : path_(path),
      in_memory_(path == ":memory:"),
      clock_(clock),
      hooks_(std::move(hooks)),
      readers_left_(std::max<std::size_t>(options.connections, 1)) {
  writer_ = connect();
}

std::unique_ptr<Connection> SqliteStore::connect() {
  auto connection = std::make_unique<Connection>(Dialect::sqlite, path_, hooks_);
  connection->clock = [this](Tx&) { return tick(); };
  connection->control("PRAGMA foreign_keys = ON");
  if (in_memory_) return connection;
  connection->control("PRAGMA busy_timeout = 5000");
  connection->control("PRAGMA journal_mode = WAL");
  connection->control("PRAGMA synchronous = FULL");
  return connection;
}

Status SqliteStore::prepare(const Options& options) {
  try {
    const std::string installation = options.installation.empty() ? random_uuid() : options.installation;
    Tx tx(*writer_);
    if (in_memory_) {
      writer_->load_image(schema_image());
      execute(tx, "UPDATE installation SET id = ?1", installation);
    } else {
      SICKBAY_CHECK(migrate(*writer_, installation));
    }
    kept_high_water_ = select_one<Time>(tx, "SELECT high_water FROM clock").value_or(Time{});
    time_ = OnlyForward(kept_high_water_);
    return {};
  } catch (const Failure& failure) {
    return tl::unexpected<Error>(failure.error());
  }
}

Time SqliteStore::tick() {
  const std::lock_guard lock(time_mutex_);
  return time_.at(clock_.now(), clock_.steady());
}

Result<Time> SqliteStore::now() {
  return tick();
}

Status SqliteStore::transact(bool write_it, const std::function<bool(Tx&)>& body) {
  return write_it ? write(body) : read(body);
}

Status SqliteStore::write(const std::function<bool(Tx&)>& body) {
  Request mine{body};
  std::unique_lock lock(queue_mutex_);
  if (writer_thread_ == std::this_thread::get_id()) return fail(Errc::internal, "a write inside of a transaction");
  queue_.push_back(&mine);
  const AtExit leave([&] { std::erase(queue_, &mine); });
  while (!mine.done) {
    if (writer_thread_ != std::thread::id{}) {
      queue_changed_.wait(lock);
    } else {
      lead(lock);
    }
  }
  return mine.status;
}

// Runs what is queued. `lock`, on the queue, is held before and after.
void SqliteStore::lead(std::unique_lock<std::mutex>& lock) {
  Batch batch;
  writer_thread_ = std::this_thread::get_id();
  lock.unlock();
  // Also when a body ends by something that is not a std::exception (a simulated crash): then those of its batch that
  // are not done go back to the queue, for their own callers to lead.
  const AtExit after([&] {
    lock.lock();
    writer_thread_ = {};
    for (Request* request : batch | std::views::reverse) {
      if (!request->done) queue_.push_front(request);
    }
    queue_changed_.notify_all();
  });
  run_batch(batch);
}

void SqliteStore::run_batch(Batch& batch) {
  const MemoryUse use(*this);
  const AtExit clean([&] { writer_->rollback(); });  // nothing to do after a commit
  Error last;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    try {
      try_batch(batch);
      for (Request* request : batch) request->done = true;
      return;
    } catch (const Failure& failure) {
      last = failure.error();
      writer_->rollback();
      if (failure.remedy() == Remedy::final) break;
    }
  }
  // Where not even a transaction could be begun, everybody in the queue hears of it now, not each after a wait.
  if (batch.empty()) {
    while (take_queued(batch)) {
    }
  }
  for (Request* request : batch) {
    request->status = tl::unexpected<Error>(last);
    request->done = true;
  }
}

// Moves the next from the queue into the batch; false: there is none, or the batch is full.
bool SqliteStore::take_queued(Batch& batch) {
  const std::lock_guard lock(queue_mutex_);
  if (queue_.empty() || batch.size() >= kMaxBatch) return false;
  batch.push_back(queue_.front());
  queue_.pop_front();
  return true;
}

// One transaction with every body of the batch, and with those that are queued while it runs: the more, the fewer
// flushes. Throws Failure when all of it must be undone.
void SqliteStore::try_batch(Batch& batch) {
  Tx tx(*writer_);
  writer_->control("BEGIN IMMEDIATE");
  bool anything = false;
  for (std::size_t i = 0; i < batch.size() || take_queued(batch); ++i) {
    anything = run_in_savepoint(tx, *batch[i]) || anything;
  }
  if (!anything) {
    writer_->rollback();
    return;
  }
  keep_high_water(tx);
  commit();
}

// Whether there is something of it to commit.
bool SqliteStore::run_in_savepoint(Tx& tx, Request& request) {
  writer_->control("SAVEPOINT body");
  bool keep = false;
  request.status = {};
  try {
    keep = request.body(tx);
  } catch (const Failure& failure) {
    // A full disk and its like undo the whole transaction by themselves.
    if (failure.remedy() != Remedy::final || !writer_->in_transaction()) throw;
    request.status = tl::unexpected<Error>(failure.error());
  } catch (const std::exception& error) {
    request.status = fail(Errc::internal, fmt::format("a transaction failed: {}", error.what()));
  }
  if (!keep) writer_->control("ROLLBACK TO body");
  writer_->control("RELEASE body");
  return keep;
}

void SqliteStore::commit() {
  if (hooks_.before_statement) hooks_.before_statement("COMMIT");
  const Hooks::Commit how = hooks_.at_commit ? hooks_.at_commit() : Hooks::Commit::normal;
  if (how != Hooks::Commit::lost_before) writer_->control("COMMIT");
  if (how != Hooks::Commit::normal) {
    throw Failure(Remedy::lost, {Errc::unavailable, "the connection was lost during the commit"});
  }
  const std::lock_guard lock(time_mutex_);
  kept_high_water_ = std::max(kept_high_water_, pending_high_water_);
}

// Times reach the database with what was decided by them, so that no later start gives out earlier ones.
void SqliteStore::keep_high_water(Tx& tx) {
  {
    const std::lock_guard lock(time_mutex_);
    pending_high_water_ = time_.latest();
    if (pending_high_water_ == kept_high_water_) return;
  }
  const std::array<Param, 1> params{param(pending_high_water_)};
  tx.connection().run("UPDATE clock SET high_water = GREATEST(high_water, ?1)", params, 0);
}

Status SqliteStore::read(const std::function<bool(Tx&)>& body) {
  if (in_memory_ && memory_user_ == std::this_thread::get_id()) {
    return fail(Errc::internal, "a read inside of a transaction");
  }
  try {
    const MemoryUse use(*this);
    std::unique_ptr<Connection> reader = in_memory_ ? nullptr : take_reader();
    Connection& connection = in_memory_ ? *writer_ : *reader;
    const AtExit give([&] {
      const bool usable = connection.rollback();
      if (!in_memory_) give_reader(usable ? std::move(reader) : nullptr);
    });
    connection.control("BEGIN");
    Tx tx(connection);
    body(tx);
    return {};
  } catch (const Failure& failure) {
    return tl::unexpected<Error>(failure.error());
  } catch (const std::exception& error) {
    return fail(Errc::internal, fmt::format("a query failed: {}", error.what()));
  }
}

std::unique_ptr<Connection> SqliteStore::take_reader() {
  std::unique_lock lock(readers_mutex_);
  reader_free_.wait(lock, [&] { return !readers_.empty() || readers_left_ > 0; });
  if (!readers_.empty()) {
    auto reader = std::move(readers_.back());
    readers_.pop_back();
    return reader;
  }
  --readers_left_;
  lock.unlock();
  try {
    auto reader = connect();
    reader->control("PRAGMA query_only = ON");
    return reader;
  } catch (const Failure&) {
    give_reader(nullptr);
    throw;
  }
}

void SqliteStore::give_reader(std::unique_ptr<Connection> reader) {
  {
    const std::lock_guard lock(readers_mutex_);
    if (reader) {
      readers_.push_back(std::move(reader));
    } else {
      ++readers_left_;
    }
  }
  reader_free_.notify_one();
}

}  // namespace sickbay::store
