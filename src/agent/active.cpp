#include "agent/active.hpp"

#include <utility>

#include "base/text.hpp"
#include "model/fault_names.hpp"

namespace sickbay::agent {

void ActiveSet::restore(std::vector<ActiveFault> active, Duration now) {
  for (ActiveFault& fault : active) {
    if (active_.size() >= kMost) return;
    const Key key{fault.first.fault.name, fault.first.fault.code, fault.first.device};
    const std::uint64_t told = fault.count;
    active_[key] = {std::move(fault), told, now};
  }
}

// A duplicate. One that asks for something else than the last (Xid 154 names an action of its own) is told at once.
bool ActiveSet::count(Entry& entry, const Finding& finding, Duration now) {
  const Finding& before = entry.fault.last;
  const bool other = finding.severity != before.severity || finding.action != before.action;
  entry.fault.last = finding;
  entry.fault.count += finding.count;
  entry.last = now;
  if (other) {
    entry.told += finding.count;
    changed_ = true;
  }
  return other;
}

bool ActiveSet::take(const Finding& finding, Duration now) {
  const Key key{finding.fault.name, finding.fault.code, finding.device};
  if (finding.kind == FindingKind::fault) {
    const auto found = active_.find(key);
    if (found != active_.end()) return count(found->second, finding, now);
    // Word of a detector that is broken always finds a place: there are only a few.
    if (active_.size() < kMost || finding.fault.name == fault_names::kDetectorBroken) {
      active_[key] = {{finding, finding, finding.count}, finding.count, now};
      changed_ = true;
      return true;
    }
    // No place: its duplicates cannot be told from news, so that only so many are sent before the next heartbeat.
    return ++overflowed_ <= kMost;
  }
  if (finding.kind == FindingKind::clear && active_.erase(key) > 0) {
    changed_ = true;
    return true;
  }
  const std::tuple other{key, finding.kind, finding.detector};
  const auto found = others_.find(other);
  if (found != others_.end()) return count(found->second, finding, now);
  if (others_.size() >= kMost) return false;
  others_[other] = {{finding, finding, finding.count}, finding.count, now};
  return true;
}

std::vector<Finding> ActiveSet::due(Duration now) {
  std::vector<Finding> findings;
  const auto tell = [&](Entry& entry) {
    if (entry.fault.count == entry.told) return;
    findings.push_back(entry.fault.last);
    findings.back().count = entry.fault.count - entry.told;
    entry.told = entry.fault.count;
  };
  for (auto it = active_.begin(); it != active_.end();) {
    tell(it->second);
    const FaultRule rule = faults_.find(it->second.fault.first.fault);
    const bool over = rule.clears == ClearsOn::quiet && now - it->second.last >= rule.quiet_for;
    changed_ = changed_ || over;
    it = over ? active_.erase(it) : std::next(it);
  }
  for (auto& [key, entry] : others_) tell(entry);
  others_.clear();
  overflowed_ = 0;
  return findings;
}

std::vector<ActiveFault> ActiveSet::list() const {
  std::vector<ActiveFault> faults;
  faults.reserve(active_.size());
  for (const auto& [key, entry] : active_) faults.push_back(entry.fault);
  return faults;
}

const ActiveFault* ActiveSet::find(const Fault& fault, std::string_view device) const {
  const auto found = active_.find({fault.name, fault.code, std::string(device)});
  return found == active_.end() ? nullptr : &found->second.fault;
}

std::string digest_of(const std::vector<ActiveFault>& active) {
  std::string text;
  for (const ActiveFault& fault : active) {
    text += fault.first.id + " " + fault.last.id + " " + std::to_string(fault.count) + "\n";
  }
  return sha256_hex(text);
}

}  // namespace sickbay::agent
