// One connection to either database: statements prepared once and kept, results materialised at once (no cursor stays
// open), errors classified where they happen. The only file, with its .cpp, that touches SOCI.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace soci {
class soci_error;
}

namespace sickbay::store {

enum class Dialect { sqlite, postgresql };

// A parameter of a statement.
struct Param {
  enum class Type { number, text } type = Type::text;
  bool null = false;
  std::int64_t number = 0;
  std::string_view text;  // must outlive the call
};
using Row = std::vector<std::optional<std::string>>;  // numbers in decimal; nullopt: NULL

class Connection {
 public:
  // Connects. `target`: a file's path or ":memory:" for SQLite; a postgresql:// URL. Throws Failure.
  Connection(Dialect dialect, const std::string& target, const Hooks& hooks);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Dialect dialect() const { return dialect_; }
  // Runs a statement of the common dialect (see translate) with parameters ?1, ?2, ...; `columns` results a row.
  std::vector<Row> run(std::string_view sql, std::span<const Param> params, std::size_t columns);
  // How many rows the last run() inserted, updated or deleted.
  std::size_t affected() const { return affected_; }
  // A statement without parameters and results that is not part of a query function: BEGIN, COMMIT, PRAGMA, DDL. Not
  // seen by Hooks::before_statement.
  void control(std::string_view sql);
  // Rolls back whatever is open; false when the connection is of no use any more.
  bool rollback();
  // PostgreSQL only: whether a statement of the open transaction has failed. Its COMMIT would say yes and do nothing.
  bool transaction_failed() const;

  // SQLite only: whether a transaction is open, and the whole database as an image and back (a new in-memory database
  // from an image takes microseconds, creating the schema milliseconds).
  bool in_transaction() const;
  std::string image() const;
  void load_image(const std::string& image);

  // What now(Tx&) answers; set by the store that owns this connection.
  std::function<Time(Tx&)> clock;

 private:
  struct Prepared;
  struct Session;
  Prepared& prepare(std::string_view sql, std::span<const Param> params, std::size_t columns);
  [[noreturn]] void raise(const soci::soci_error& error) const;

  Dialect dialect_;
  const Hooks& hooks_;
  std::unique_ptr<Session> session_;
  std::size_t affected_ = 0;
};

// The common dialect, written once and translated when a statement is prepared:
//   ?N                      a parameter
//   EACH(?N)                the texts of a JSON array, as rows e(value)
//   ROWS(?N)                the objects of a JSON array, as rows e(value): e.value ->> 'member'
//   LEAST, GREATEST         scalar, as in PostgreSQL
//   FOR NO KEY UPDATE [SKIP LOCKED]   nothing on SQLite, which has one writer
//   IDENTITY, SLIM          in tables: a growing primary key; a table that is its primary key's index
struct Translated {
  std::string sql;
  std::vector<std::size_t> order;  // which parameter (from 0) stands at each place; on SQLite a place is a parameter
};
Translated translate(std::string_view sql, Dialect dialect);

}  // namespace sickbay::store
