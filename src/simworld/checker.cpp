// What must never stand in the world's journal.
#include "simworld/checker.hpp"

#include <fmt/core.h>

namespace sickbay::simworld {

std::vector<std::string> Checker::take(const Entry& entry) {
  std::vector<std::string> wrong;
  Place& place = nodes_[entry.node][entry.scheduler];
  switch (entry.what) {
    case What::world:
      know(*entry.config);
      break;
    case What::request:
      if (entry.outcome) break;
      if (entry.by == "queue") {  // taken on before, begun later
        asked_[entry.n] = asked_.contains(entry.ref) ? asked_[entry.ref] : entry.at;
        break;
      }
      ++count_.requests;
      asked_[entry.n] = entry.at;
      if (entry.operation.empty() || entry.repair.empty()) wrong.push_back("a request names no operation or no repair");
      if (entry.kind == OperationKind::drain && entry.force) forced_.insert(entry.repair);
      break;
    case What::begin:
      take_begin(entry, wrong);
      break;
    case What::end: {
      const auto begun = effects_.find(entry.ref);
      if (begun == effects_.end()) break;
      on_node_.erase(begun->second.node);
      on_host_.erase(begun->second.host);
      if (!begun->second.target.empty()) on_host_.erase(begun->second.target);
      effects_.erase(begun);
      break;
    }
    case What::mark:
      ++count_.marks;
      if (!place.installation.empty() && place.installation != entry.installation && !is_overtaken(entry)) {
        wrong.push_back(
            fmt::format("the mark of installation {} on {} was overwritten", place.installation, entry.node));
      }
      place.installation = entry.installation, place.repair = entry.repair;
      break;
    case What::unmark:
      take_unmark(entry, wrong);
      break;
    case What::cordon:
      place.cordons.insert(entry.by);
      break;
    case What::uncordon:
      if (entry.by.empty() && !place.cordons.empty() && !is_overtaken(entry)) {
        wrong.push_back(fmt::format("operation {} took away the cordon of {} on {} in {}", entry.operation,
                                    *place.cordons.begin(), entry.node, entry.scheduler));
      }
      place.cordons.clear();
      break;
    case What::job:
      place.jobs[entry.job] = entry.at;
      break;
    case What::job_end:
      place.jobs.erase(entry.job);
      break;
    case What::boot:
    case What::dead:
      for (auto& [scheduler, in] : nodes_[entry.node]) in.jobs.clear();
      break;
    default:
      break;
  }
  return wrong;
}

void Checker::take_begin(const Entry& entry, std::vector<std::string>& wrong) {
  ++count_.effects;
  const auto flag = [&](const std::string& what) {
    wrong.push_back(fmt::format("{} by operation {} of repair {} on {}: {}", name_of(entry.action), entry.operation,
                                entry.repair, entry.node, what));
  };
  if (!executed_.insert(entry.operation).second) flag("this operation was executed before");
  if (const auto [before, first] = acted_.emplace(entry.repair, entry.operation); !first) {
    flag(fmt::format("operation {} of the same repair acted before", before->second));
  } else {
    ++count_.repairs;
  }
  if (on_node_.contains(entry.node)) flag(fmt::format("operation {} is in flight on the node", on_node_[entry.node]));
  for (const std::string& host : {entry.host, entry.target}) {
    if (!host.empty() && on_host_.contains(host)) {
      flag(fmt::format("operation {} is in flight on host {}", on_host_[host], host));
    }
    if (!host.empty()) on_host_[host] = entry.operation;
  }
  on_node_[entry.node] = entry.operation;
  effects_[entry.n] = entry;
  const Time asked = asked_.contains(entry.ref) ? asked_[entry.ref] : entry.at;
  for (auto& [scheduler, in] : nodes_[entry.node]) {
    for (const auto& [job, since] : in.jobs) {
      if (entry.force || forced_.contains(entry.repair) || since + fresh > asked) continue;
      flag(fmt::format("{} was running in {} since {}", job, scheduler, format_time(since)));
    }
    if (entry.detail != "harmless") in.jobs.clear();
  }
}

// A call that acted on the mark it saw, where the scheduler has no compare-and-swap: what came in between is lost.
bool Checker::is_overtaken(const Entry& entry) {
  const auto declared = declared_.find(entry.scheduler);
  if (declared == declared_.end() || declared->second.atomic_marks) return false;
  const bool on_what_it_saw = entry.saw.empty() || entry.saw.starts_with(entry.installation + "/");
  if (on_what_it_saw) ++count_.overtaken;
  return on_what_it_saw;
}

void Checker::take_unmark(const Entry& entry, std::vector<std::string>& wrong) {
  Place& place = nodes_[entry.node][entry.scheduler];
  const bool its_own = place.repair == entry.repair && place.installation == entry.installation;
  if (entry.by.empty() && !its_own && !is_overtaken(entry)) {
    wrong.push_back(fmt::format("operation {} of repair {} took away the mark of repair {} on {} in {}",
                                entry.operation, entry.repair, place.repair, entry.node, entry.scheduler));
  }
  place.installation.clear(), place.repair.clear();
}

std::vector<std::string> check(const std::vector<Entry>& entries, Checker::Count* count) {
  Checker checker;
  std::vector<std::string> wrong;
  for (const Entry& entry : entries) {
    for (const std::string& what : checker.take(entry)) {
      wrong.push_back(fmt::format("entry {} at {}: {}", entry.n, format_time(entry.at), what));
    }
  }
  if (count) *count = checker.count();
  return wrong;
}

}  // namespace sickbay::simworld
