// Publication (engine.md 8): events and audit rows get their sequence numbers after commit, by the holder of a fenced
// lease, so that no reader of the stream skips a late committer.
#include "engine/engine.hpp"
#include "store/audit.hpp"
#include "store/events.hpp"

namespace sickbay::engine {
namespace {
constexpr Duration kLease = seconds{30};
constexpr Duration kPoll = seconds{1};  // for events of a replica that died before it could publish them
constexpr std::size_t kAtOnce = 500;
}  // namespace

Status Engine::publish_turn(std::string_view key) {
  const auto more = store_.write([&](store::Tx& tx) -> Result<bool> {
    const std::uint64_t version = store::work_version(tx, WorkKind::publish, key);
    const Time now = store::now(tx);
    const auto next = [&](Time due) {
      if (store::still(tx, WorkKind::publish, key, version)) store::finish(tx, WorkKind::publish, key, due);
    };
    const auto epoch = store::take_lease(tx, "publisher", options_.replica, now, kLease);
    if (!epoch || !store::holds_lease(tx, "publisher", options_.replica, *epoch)) {  // another replica publishes
      next(now + kPoll);
      return false;
    }
    const auto events = store::unpublished_events(tx, kAtOnce);
    if (!events.empty()) store::publish_events(tx, events);
    const auto audit = store::unpublished_audit(tx, kAtOnce);
    if (!audit.empty()) store::publish_audit(tx, audit);
    const bool full = events.size() == kAtOnce || audit.size() == kAtOnce;
    next(full ? now : now + kPoll);
    return full;
  });
  SICKBAY_CHECK(more);
  return {};
}

}  // namespace sickbay::engine
