// The witness: a small file beside the server that remembers how far the database had come. A database that is behind
// it was restored from a backup, and one on another timeline may have lost what an asynchronous standby never got: in
// both, an operation may be under way that the database has never heard of.
#include "store/restore.hpp"

#include <fmt/core.h>

#include "base/files.hpp"
#include "base/log.hpp"
#include "engine/commands.hpp"
#include "engine/engine.hpp"
#include "engine/write.hpp"
#include "model/json.hpp"
#include "store/clusters.hpp"
#include "store/repairs.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

constexpr std::size_t kLargestWitness = 64U << 10;

std::optional<store::Lineage> read_witness(const std::string& path) {
  const auto text = read_file(path, kLargestWitness);
  if (!text && text.error().code == Errc::not_found) return std::nullopt;
  auto lineage = text ? from_json_text<store::Lineage>(*text) : tl::unexpected<Error>(text.error());
  if (!lineage) {
    log::warn("{} cannot be read ({}); a restored database would not be noticed this time", path,
              lineage.error().message);
    return std::nullopt;
  }
  return std::move(*lineage);
}

// False: the old one is still there, and the next look tries again.
bool write_witness(const std::string& path, const store::Lineage& lineage) {
  const Status written = replace_file(path, to_json_text(lineage) + "\n", 0600);
  if (!written) log::warn("{}; a restored database may not be noticed after a restart", written.error().message);
  return written.has_value();
}

// Why `now` does not go on where `before` was; empty: it does.
std::string discontinuity(const store::Lineage& before, const store::Lineage& now) {
  if (before.installation != now.installation) return {};  // another database: not the one that was witnessed
  if (now.progress < before.progress) {
    return fmt::format("the database is older than this server last saw it ({} < {}): it was restored from a backup",
                       now.progress, before.progress);
  }
  if (now.timeline != before.timeline) {
    return fmt::format("PostgreSQL is on timeline {}, not {}: a standby took over, or a backup was recovered",
                       now.timeline, before.timeline);
  }
  return {};
}

}  // namespace

Status Engine::recall() {
  struct State {
    store::Lineage lineage;
    std::optional<std::string> why;
  };
  auto state = store_.read(
      [](store::Tx& tx) -> Result<State> { return State{store::lineage(tx), store::observe_only_because(tx)}; });
  SICKBAY_CHECK(state);
  if (!witnessed_ && !options_.witness.empty()) witnessed_ = read_witness(options_.witness);
  const std::string broken = witnessed_ ? discontinuity(*witnessed_, state->lineage) : "";
  if (!broken.empty()) {
    log::error("{}; only looking until a person confirms: sickbay restore confirm", broken);
    Event event = event_of(EventKind::restore, ids_.next("ev"), {},
                           broken + "; nothing is started or sent until a person confirms");
    SICKBAY_CHECK(store_.write([&](store::Tx& tx) -> Status {
      event.at = store::now(tx);
      store::set_observe_only(tx, broken);
      write_events(tx, {event});
      return {};
    }));
    state->why = broken;
  }
  observe_only_ = state->why.has_value();
  const bool news =
      !witness_written_ || !witnessed_ || witnessed_->progress != state->lineage.progress || !broken.empty();
  if (news && !options_.witness.empty()) witness_written_ = write_witness(options_.witness, state->lineage);
  witnessed_ = state->lineage;
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
    store::set_observe_only(tx, std::nullopt);
    const Time now = store::now(tx);
    const Event event =
        event_of(EventKind::restore, event_id, now,
                 fmt::format("the state after a restore was confirmed by {}: {}", who.name, reason), who.name);
    write_events(tx, {event});
    for (const Cluster& cluster : store::list_clusters(tx)) {
      store::wake_all(tx, WorkKind::node, store::nodes_with_open_repairs(tx, cluster.id), now);
    }
    return {};
  });
  if (confirmed && woken_) woken_();
  return confirmed;
}

}  // namespace sickbay::engine
