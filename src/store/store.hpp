// The store: SQLite or PostgreSQL behind two functions, read (one snapshot) and write (one transaction). What nothing
// else may do is done here once: retrying serialisation failures, deadlocks and lost connections, group commit and
// BEGIN IMMEDIATE on SQLite, and the clock decisions use.
//
// Query functions (store/NODES.hpp and so on) take a Tx, return plain values, and let a database failure leave as an
// exception that read() and write() turn into an Error: a failure in the middle abandons the whole transaction, so
// there is nothing to decide in between.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/result.hpp"
#include "base/time.hpp"
#include "store/tx.hpp"

namespace sickbay::store {

struct Options {
  // "sqlite:PATH", "sqlite::memory:" (one connection shared by reads and writes; for tests and the simulation), or
  // "postgresql://...".
  std::string url;
  std::size_t connections = 8;    // readers on SQLite, all on PostgreSQL
  std::string installation = {};  // the id a new database gets (installation_id); empty: a random one
};

// For tests: what happens around statements and commits. Empty functions are not called.
struct Hooks {
  std::function<void(std::string_view sql)> before_statement;  // the interleaving explorer's barrier
  // Called when a transaction is about to commit; `lost_before`: it never commits; `lost_after`: it commits. Both ways
  // the store sees only a broken connection: an unknown commit.
  enum class Commit { normal, lost_before, lost_after };
  std::function<Commit()> at_commit;
};

class Store {
 public:
  virtual ~Store() = default;

  // Connects, and creates or migrates the schema. Errc::refused when the database is of a newer version whose oldest
  // allowed reader is newer than this program; Errc::unavailable when it cannot be reached.
  static Result<std::unique_ptr<Store>> open(const Options& options, const Clock& clock, Hooks hooks = {});

  // Runs `body` on one snapshot. T read<T>(body): the value, or the error `body` returned or the database caused.
  template <class Body>
  auto read(Body body) -> std::invoke_result_t<Body, Tx&> {
    return run<std::invoke_result_t<Body, Tx&>>(false, std::move(body));
  }
  // Runs `body` in one transaction and commits, unless it returns an error (then nothing is written). 40001, 40P01 and
  // unknown commits run it again from the start, so `body` must be repeatable: ids it inserts are made outside of it.
  template <class Body>
  auto write(Body body) -> std::invoke_result_t<Body, Tx&> {
    return run<std::invoke_result_t<Body, Tx&>>(true, std::move(body));
  }

  // The database's clock (on SQLite the one given to open), never backwards across restarts: engine.md 2.
  virtual Result<Time> now() = 0;
  virtual bool is_postgresql() const = 0;

 protected:
  // Runs `body` (true: commit) with the retries; the Status is the database's part.
  virtual Status transact(bool write, const std::function<bool(Tx&)>& body) = 0;

 private:
  template <class R, class Body>
  R run(bool write, Body body) {
    R result = fail(Errc::internal, "the transaction did not run");
    const Status status = transact(write, [&](Tx& tx) {
      result = body(tx);
      return result.has_value();
    });
    if (!status) return tl::unexpected<Error>(status.error());
    return result;
  }
};

}  // namespace sickbay::store
