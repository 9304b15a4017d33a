// One transaction in progress, of either database. Query functions take it; nobody else makes statements.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace soci {
class session;
}

namespace sickbay::store {

// Tx has at least `Time now()`: the database's clock read at this call, so after the locks taken so far are held
// (PostgreSQL clock_timestamp(); SQLite the store's clock), never below the stored high-water mark.
class Tx;  // defined in this file

}  // namespace sickbay::store
