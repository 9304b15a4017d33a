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

class Tx;  // defined by the store engineer in this file

}  // namespace sickbay::store
