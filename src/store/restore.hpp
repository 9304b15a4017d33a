// What tells a database that was restored from a backup, or that another PostgreSQL took over, from one that only
// stopped: intents may have been lost below us then (engine.md 3), and the engine looks only until a person confirms.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "store/tx.hpp"

namespace sickbay::store {

struct Lineage {
  std::string installation;
  std::uint64_t progress = 0;  // of numbers that only grow: session epochs, published events and audit rows
  std::string timeline;        // PostgreSQL's; changes when a standby is promoted or a backup recovered
  BOOST_DESCRIBE_CLASS(Lineage, (), (installation, progress, timeline), (), ())
};
Lineage lineage(Tx& tx);

// Why nothing may be started or sent; absent: all is well.
std::optional<std::string> observe_only_because(Tx& tx);
void set_observe_only(Tx& tx, const std::optional<std::string>& why);

}  // namespace sickbay::store
