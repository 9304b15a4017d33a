// What is done about a database that was restored, or that another PostgreSQL took over: in both, an operation may be
// under way that the database has never heard of, so that nothing is started or sent until a person confirms.
#include "store/restore.hpp"

#include <fmt/core.h>

#include "base/log.hpp"
#include "engine/commands.hpp"
#include "engine/engine.hpp"
#include "engine/write.hpp"
#include "store/clusters.hpp"
#include "store/repairs.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
Status Engine::compare_lineage() {
  struct State {
    store::Lineage lineage;
    std::string broken;
    bool only_looking = false, untold = false;
  };
  const auto seen = witness_.seen();
  const auto look = [&](store::Tx& tx) -> Result<State> {
    State read{store::lineage(tx), store::broken_off(tx), store::observe_only_because(tx).has_value(),
               store::is_break_untold(tx)};
    if (read.broken.empty()) read.broken = rolled_back(seen, read.lineage);
    return read;
  };
  auto state = store_.read(look);
  if (state && !state->broken.empty()) {
    state = store_.write([&](store::Tx& tx) -> Result<State> {
      const auto now = look(tx);  // another may have found it in between: then there is nothing more to break off
      if (now && !now->broken.empty()) store::break_off(tx, now->broken, seen ? seen->breaks : 0);
      return State{store::lineage(tx), "", true, true};
    });
    if (state) witness_.accept(state->lineage);
  }
  SICKBAY_CHECK(state);
  observe_only_ = state->only_looking;
  witness_.note(state->lineage);
  return state->untold ? tell_break() : Status();
}

// Whoever finds first that nobody told people yet.
Status Engine::tell_break() {
  const std::string event_id = ids_.next("ev");
  const auto told = store_.write([&](store::Tx& tx) -> Result<std::string> {
    const auto why = store::observe_only_because(tx);
    if (!store::tell_break(tx) || !why) return std::string();
    tell_all_clusters(tx, event_id, EventKind::restore, *why + "; nothing is started or sent until a person confirms");
    return *why;
  });
  SICKBAY_CHECK(told);
  if (!told->empty()) log::error("{}; only looking until a person confirms: sickbay restore confirm", *told);
  return {};
}

Status Commands::confirm_restore(const decide::Person& who, std::string_view reason) {
  if (reason.empty()) {
    return fail(Errc::invalid, "say what was checked: which operations were under way when the database was lost",
                "reason");
  }
  const std::string event_id = ids_.next("ev");
  const Status confirmed = store_.write([&](store::Tx& tx) -> Status {
    if (!store::observe_only_because(tx)) return {};
    store::end_observe_only(tx);
    const Time now = store::now(tx);
    tell_all_clusters(tx, event_id, EventKind::restore,
                      fmt::format("the state after a restore was confirmed by {}: {}", who.name, reason), who.name);
    for (const Cluster& cluster : store::list_clusters(tx)) {
      store::wake_all(tx, WorkKind::node, store::nodes_with_open_repairs(tx, cluster.id), now);
    }
    return {};
  });
  if (confirmed && woken_) woken_();
  return confirmed;
}

}  // namespace sickbay::engine
