// What tells a database that was restored from a backup, or a standby that took over, from one that only stopped:
// intents may have been lost below us then (engine.md 3), and everything looks only until a person confirms.
//
// Two things tell. The row `installation` says which PostgreSQL wrote last (system, timeline, database), so that
// whoever meets another one sees it from the database alone: every new connection looks before it is used, and so does
// the transaction that takes an operation. And the counters only grow: a server that saw higher ones
// (engine/witness.hpp) knows a rollback that leaves no other trace.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "store/tx.hpp"

namespace sickbay::store {

struct Lineage {
  std::string installation;
  std::uint64_t breaks = 0;    // how often the database was found broken off: known by all, a person was asked
  std::uint64_t progress = 0;  // of numbers that only grow: session epochs, events and audit rows, acts taken
  BOOST_DESCRIBE_CLASS(Lineage, (), (installation, breaks, progress), (), ())
};
Lineage lineage(Tx& tx);
// One more act is about to be sent to a provider.
void count_act(Tx& tx);

// Why this is not the PostgreSQL that wrote last; empty: it is, or this is SQLite.
std::string broken_off(Tx& tx);
// From now on nothing is started or sent, and what the database is now is what goes on. `why`: for people. `above`: a
// number of breaks that somebody saw, for the new one to be told from it.
void break_off(Tx& tx, const std::string& why, std::uint64_t above);
// Whether people were not told of the last break.
bool is_break_untold(Tx& tx);
// They are now. True for one of all who do so at once.
bool tell_break(Tx& tx);

// On a new connection to PostgreSQL, before it is used: breaks off where broken_off() says so.
void check_line(Connection& connection);

// Why nothing may be started or sent; absent: all is well.
std::optional<std::string> observe_only_because(Tx& tx);
// A person has looked.
void end_observe_only(Tx& tx);

}  // namespace sickbay::store
