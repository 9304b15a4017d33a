// One transaction in progress, of either database. Query functions take it; nobody else makes statements. It hides the
// connection, so that those who include this do not compile against SOCI.
#pragma once

#include <string_view>

#include "base/time.hpp"

namespace sickbay::store {

class Connection;  // store/connection.hpp

class Tx {
 public:
  explicit Tx(Connection& connection) : connection_(&connection) {}
  Tx(const Tx&) = delete;
  Tx& operator=(const Tx&) = delete;
  Connection& connection() { return *connection_; }

 private:
  Connection* connection_;
};

// The database's clock, read now: inside a transaction after its locks are held, this is the time to decide with
// (engine.md 2). Never earlier than one read before. The same clock as Store::now().
Time now(Tx& tx);

}  // namespace sickbay::store
