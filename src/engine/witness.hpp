// The witness: how far this server saw the database come, in memory and in a small file beside it. A database that is
// behind it was rolled back below us, and an act may be under way that the database has never heard of (engine.md 3).
// What is about to be sent to a provider is witnessed before it leaves.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "store/restore.hpp"

namespace sickbay::engine {

class Witness {
 public:
  // `path`: the file, read now; empty: none, only memory. One that cannot be read is said in the log and proves
  // nothing.
  explicit Witness(std::string path);

  std::optional<store::Lineage> seen() const;
  // The database has come this far. What is behind what is known changes nothing, since calls may overtake each other.
  void note(const store::Lineage& now);
  // Goes on from here, back too: whoever must know was told.
  void accept(const store::Lineage& now);

 private:
  void keep(const store::Lineage& now);

  const std::string path_;
  mutable std::mutex mutex_;
  std::optional<store::Lineage> seen_;
  bool written_ = false;  // the file says what seen_ says
};

// Why a database that has come to `now` is not the one that was seen; empty: it goes on from there. What is seen is
// asked for before the transaction that reads `now` begins: others take notes meanwhile.
std::string rolled_back(const std::optional<store::Lineage>& seen, const store::Lineage& now);

}  // namespace sickbay::engine
