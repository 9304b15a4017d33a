// How a query fails: one exception type that leaves query functions and ends the transaction, and the one place that
// says what a database's error means. It never leaves the store: read() and write() turn it into an Error.
#pragma once

#include <exception>

#include "base/result.hpp"

namespace soci {
class soci_error;
}

namespace sickbay::store {

// What to do about it: final: tell the caller; again: run the transaction again on the same connection (serialisation
// failure, deadlock, lock not free in time); lost: the connection is gone or useless, and what was sent with COMMIT may
// have happened: reconnect, then run it again.
enum class Remedy { final, again, lost };

class Failure final : public std::exception {
 public:
  Failure(Remedy remedy, Error error) : remedy_(remedy), error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  Remedy remedy() const { return remedy_; }
  const Error& error() const { return error_; }

 private:
  Remedy remedy_;
  Error error_;
};

// Ends the transaction with an error of a query function's own: a malformed page token, a document that does not parse.
[[noreturn]] void refuse(Errc code, std::string message, std::string field = {});

// The meaning of SQLite's result (`extended` code) or PostgreSQL's SQLSTATE. A unique violation is Errc::conflict with
// the constraint's name in Error::field, the same on both (see kConstraints in failure.cpp).
Failure of_sqlite(int extended, const std::string& message);
Failure of_postgresql(const std::string& sqlstate, bool connected, const std::string& message);

}  // namespace sickbay::store
