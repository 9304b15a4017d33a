// Holds: that a node is kept out of its schedulers. Desired holds follow from the open repair or the quarantine that a
// failed one left; the world is compared with them at every turn (engine.md 5). Only marks with our repair's id are
// ever taken away.
#include "decide/holds.hpp"

#include <algorithm>
#include <ranges>

namespace sickbay::decide {

namespace {

constexpr Duration kSchedulerDeadline = minutes{2};  // for the outcome of a cordon, uncordon or drain

// A failed call is asked again, but not at once.
bool too_soon(Turn& turn, const Operation* last) {
  if (!last || !last->concluded_at || turn.now >= *last->concluded_at + kRetryAfter) return false;
  turn.look_again(*last->concluded_at + kRetryAfter);
  return true;
}

bool succeeded(const Operation* operation) {
  return operation && operation->outcome == Outcome::succeeded;
}

// Whether our mark is there now, by the newer of our own call's answer and the last look; no news leaves it as it was.
bool is_placed(const Turn& turn, const Hold& hold) {
  const Operation* cordon = turn.last(OperationKind::cordon, hold.scheduler, hold.repair);
  const Observation* look = turn.observed(hold.scheduler);
  const std::optional<Time> called = succeeded(cordon) ? cordon->concluded_at : std::nullopt;
  std::optional<Time> known = hold.placed_at;
  if (called && (!known || *called > *known)) known = called;
  // A call under way may have changed what the look saw: the look counts when it is newer than the last conclusion.
  if (look && look->seen_at != Time{} && (!known || look->seen_at > *known)) {
    return look->exists && look->hold_owner == hold.repair;
  }
  return known.has_value();
}

void watch(Turn& turn, Hold& hold) {
  const Observation* look = turn.observed(hold.scheduler);
  const bool placed = is_placed(turn, hold);
  if (placed && !hold.placed_at) {
    const Operation* cordon = turn.last(OperationKind::cordon, hold.scheduler, hold.repair);
    SICKBAY_EXPECT(succeeded(cordon) || look);
    hold.placed_at = succeeded(cordon) ? *cordon->concluded_at : look->seen_at;
  }
  if (placed && !hold.observed_at && look && look->hold_owner == hold.repair && look->seen_at >= *hold.placed_at) {
    hold.observed_at = look->seen_at;
    hold.uid = look->uid;
  }
  if (placed || !hold.placed_at || !hold.wanted) return;
  SICKBAY_EXPECT(look);  // only a look says that a mark is gone
  const bool was_seen = hold.observed_at.has_value();
  hold.placed_at.reset();
  hold.observed_at.reset();
  const bool ours = turn.repair && turn.repair->id == hold.repair && !is_final(turn.repair->state);
  const bool disturbed = ours && has_acted(*turn.repair) && turn.facts.provider &&
                         turn.facts.provider->disturbs_marks(turn.repair->action, look->kind);
  // Made anew under its name: its mark went with the object, and nobody took it away.
  const bool another = look->exists && !hold.uid.empty() && !look->uid.empty() && look->uid != hold.uid;
  const std::string how = !look->exists || another ? "went with the node's object"
                          : disturbed              ? fmt::format("was ended by the {} itself, as {} does",
                                                                 name_of(turn.repair->action), turn.node.provider)
                                                   : "was removed externally";
  turn.say(EventKind::hold_dropped, fmt::format("our mark on {} in {} {}", turn.node.name, hold.scheduler, how));
  hold.uid.clear();
  if (!ours || has_acted(*turn.repair) || !was_seen || look->cordoned || !look->exists || another) return;
  // A person made the node schedulable before we acted: that means cancel (product.md 4.2).
  if (!turn.repair->cancel_requested_by && turn.repair->step != RepairStep::undo) {
    turn.repair->cancel_requested_by = fmt::format("an uncordon by hand in {}", hold.scheduler);
    turn.repair->updated_at = turn.now;
    turn.say(EventKind::repair_cancel_wish,
             fmt::format("{} is cancelled by an uncordon by hand in {}", sentence(*turn.repair), hold.scheduler));
  }
}

// The node's object can take a mark.
bool can_hold(const Turn& turn, std::string_view scheduler) {
  const Observation* look = turn.observed(scheduler);
  return !look || look->exists;
}

bool is_released(Turn& turn, const Hold& hold) {
  const Operation* uncordon = turn.last(OperationKind::uncordon, hold.scheduler, hold.repair);
  const Observation* look = turn.observed(hold.scheduler);
  const bool ours_seen = look && look->exists && look->hold_owner == hold.repair;
  if (!uncordon) {  // never placed, or found not to be there: nothing to take back
    const bool asked = turn.last(OperationKind::cordon, hold.scheduler, hold.repair) != nullptr;
    return !asked && !hold.placed_at && !ours_seen;
  }
  return succeeded(uncordon) && look && look->error.empty() && look->seen_at > *uncordon->concluded_at && !ours_seen;
}

// Our mark of a repair that is over and owns no hold any more: a late call. One of a repair that nobody knows stays,
// and people are told (alerts_derived.cpp): it may be another copy's of this database (engine.md 5).
void clear_orphan(Turn& turn, const Observation& look) {
  if (turn.facts.unknown_marks.contains(look.scheduler)) return;
  if (!is_fresh(look, turn.now) || !look.exists || look.hold_owner.empty() || turn.node.removed_at) return;
  if (turn.hold(look.scheduler)) return;
  const Operation* uncordon = turn.last(OperationKind::uncordon, look.scheduler, look.hold_owner);
  if (uncordon && uncordon->concluded_at) {
    if (succeeded(uncordon) && look.seen_at <= *uncordon->concluded_at) return turn.look_in(kPoll);
    if (too_soon(turn, uncordon)) return;
  }
  turn.plan(OperationKind::uncordon, look.scheduler, look.hold_owner, kSchedulerDeadline);
}

void place_again(Turn& turn, const Hold& hold) {
  if (hold.placed_at || !can_hold(turn, hold.scheduler)) return;
  if (too_soon(turn, turn.last(OperationKind::cordon, hold.scheduler, hold.repair))) return;
  turn.plan(OperationKind::cordon, hold.scheduler, hold.repair, kSchedulerDeadline);
}

}  // namespace

// A node that is gone from one of its schedulers, for sure, and is still in another, is in that one only (engine.md 5).
// A list that has it again brings it back. While our own action may be what made it vanish it is expected back.
bool leave_schedulers(Turn& turn) {
  const bool acting = turn.repair && !is_final(turn.repair->state) && has_acted(*turn.repair);
  const bool open_act = std::ranges::any_of(turn.operations, [](const Operation& operation) {
    return operation.kind == OperationKind::act && operation.state != OperationState::concluded;
  });
  if (acting || open_act || turn.node.removed_at) return false;
  const auto is_in = [&](const std::string& name) {
    const Observation* look = turn.observed(name);
    return look && look->exists;
  };
  const auto left = [&](const std::string& name) {
    const Observation* look = turn.observed(name);
    return look && is_fresh(*look, turn.now) && !look->exists && look->gone_looks >= 2;
  };
  if (!std::ranges::any_of(turn.node.schedulers, is_in)) return false;
  return 0 < std::erase_if(turn.node.schedulers, [&](const std::string& name) {
           if (!left(name)) return false;
           for (Hold& hold : turn.holds) {
             if (hold.scheduler != name || hold.released_at) continue;
             hold.wanted = false;
             hold.released_at = turn.now;  // the mark went with the object
           }
           return true;
         });
}

void watch_holds(Turn& turn) {
  for (Hold& hold : turn.holds) {
    if (!hold.released_at) watch(turn, hold);
  }
}

bool hold_everywhere(Turn& turn) {
  Repair& repair = *turn.repair;
  for (const std::string& scheduler : turn.node.schedulers) {
    Hold* hold = turn.hold(scheduler);
    if (hold && hold->repair == repair.id) continue;
    if (hold) hold->wanted = false, hold->released_at = turn.now;  // taken over: the mark changes its owner in place
    Hold taken;
    taken.node = turn.node.id;
    taken.scheduler = scheduler;
    taken.repair = repair.id;
    turn.holds.push_back(std::move(taken));
    watch(turn, turn.holds.back());  // a look may show it there already
  }
  bool all = true;
  for (const std::string& scheduler : turn.node.schedulers) {
    const Hold* ours = turn.hold(scheduler);
    SICKBAY_EXPECT(ours);
    const Hold& hold = *ours;
    if (hold.placed_at) continue;
    all = false;
    place_again(turn, hold);
    break;  // one after another
  }
  return all;
}

bool release_everywhere(Turn& turn, std::string_view repair_id) {
  std::vector<Hold*> ours;
  for (Hold& hold : turn.holds) {
    if (hold.repair != repair_id || hold.released_at) continue;
    hold.wanted = false;
    ours.push_back(&hold);
  }
  const auto& order = turn.node.schedulers;
  std::ranges::sort(ours, [&](const Hold* a, const Hold* b) {
    return std::ranges::find(order, a->scheduler) > std::ranges::find(order, b->scheduler);
  });
  for (Hold* one : ours) {
    Hold& hold = *one;
    if (is_released(turn, hold)) {
      hold.released_at = turn.now;
      continue;
    }
    const Operation* uncordon = turn.last(OperationKind::uncordon, hold.scheduler, repair_id);
    const Observation* look = turn.observed(hold.scheduler);
    const bool unseen =
        succeeded(uncordon) && (!look || look->seen_at <= *uncordon->concluded_at || !look->error.empty());
    if (!unseen && !too_soon(turn, uncordon)) {
      turn.plan(OperationKind::uncordon, hold.scheduler, repair_id, kSchedulerDeadline);
    }
    turn.look_in(kPoll);
    return false;
  }
  if (turn.node.quarantine && turn.node.quarantine->repair == repair_id) turn.node.quarantine.reset();
  return true;
}

void reconcile_holds(Turn& turn) {
  const bool open = turn.repair && !is_final(turn.repair->state);
  for (std::size_t i = 0; i < turn.holds.size(); ++i) {
    const Hold hold = turn.holds[i];
    if (hold.released_at || (open && hold.repair == turn.repair->id)) continue;
    if (!hold.wanted) {
      release_everywhere(turn, hold.repair);
    } else {
      place_again(turn, hold);
      turn.look_in(kFresh);
    }
  }
  for (const Observation& look : turn.facts.observed) clear_orphan(turn, look);
}

bool is_idle(const Turn& turn, std::string_view scheduler, std::optional<Time> after) {
  const Observation* look = turn.observed(scheduler);
  if (!look || !is_fresh(*look, turn.now) || !look->exists) return false;
  if (look->idleness != Idleness::idle || look->idle_looks < 2) return false;
  if (!look->cordoned && look->hold_owner.empty()) return false;  // new work may come at any moment
  for (const Hold& hold : turn.holds) {
    if (hold.scheduler != scheduler || hold.released_at) continue;
    if (!hold.placed_at || look->seen_at < *hold.placed_at || look->hold_owner != hold.repair) return false;
  }
  return !after || look->seen_at > *after;
}

bool is_emptied(const Turn& turn, std::string_view scheduler, std::optional<Time> after) {
  return is_idle(turn, scheduler, after) && turn.observed(scheduler)->drained.value_or(false);
}

bool all_idle(const Turn& turn) {
  return std::ranges::all_of(turn.node.schedulers,
                             [&](const std::string& scheduler) { return is_idle(turn, scheduler, {}); });
}

std::string not_idle_because(const Turn& turn, std::string_view scheduler) {
  if (const auto found = turn.facts.unreachable.find(std::string(scheduler)); found != turn.facts.unreachable.end()) {
    return fmt::format("{}, which cannot be reached since {}: {}", scheduler, format_time(found->second.since),
                       found->second.error);
  }
  const Observation* look = turn.observed(scheduler);
  if (!look) return fmt::format("a first look at {}", scheduler);
  if (!look->error.empty()) return fmt::format("{}, which cannot be asked: {}", scheduler, look->error);
  if (!is_fresh(*look, turn.now)) return fmt::format("a fresh look at {}", scheduler);
  if (!look->exists) return fmt::format("the node to appear in {}", scheduler);
  if (is_idle(turn, scheduler, {})) {
    std::string blockers;
    for (const std::string& one : look->blockers | std::views::take(5))
      blockers += (blockers.empty() ? "" : "; ") + one;
    return fmt::format("{} to be empty{}{}", scheduler, blockers.empty() ? "" : ": ", blockers);
  }
  if (look->idleness == Idleness::idle) return fmt::format("a second idle look at {}", scheduler);
  if (look->idleness == Idleness::unknown) return fmt::format("{}, which does not know whether it is idle", scheduler);
  std::string work;
  for (const Holder& one : look->holders | std::views::take(5)) work += (work.empty() ? "" : ", ") + sentence(one);
  if (look->holders.size() > 5) work += fmt::format(" and {} more", look->holders.size() - 5);
  return fmt::format("work in {}{}{}", scheduler, work.empty() ? "" : ": ", work);
}

std::vector<std::string> not_idle_because(Turn& turn) {
  std::vector<std::string> found;
  for (const std::string& scheduler : turn.node.schedulers) {
    const bool acts = turn.repair && turn.repair->step == RepairStep::act;
    const bool waits = acts ? !is_emptied(turn, scheduler, {}) : !is_idle(turn, scheduler, {});
    if (waits) found.push_back(not_idle_because(turn, scheduler));
  }
  return found;
}

}  // namespace sickbay::decide
