// What must hold in every history (engine.md's list): some at each entry of the world's journal, some between steps,
// some once everything has come to rest.
#pragma once

#include "simworld/checker.hpp"
#include "simworld/world.hpp"
#include "store/store.hpp"
#include "tests/simulation/agents.hpp"

namespace sickbay::simulation {

class Invariants {
 public:
  Invariants(store::Store& store, const Plan& plan) : store_(store), plan_(plan) { checker_.know(plan.world); }

  // At each entry: the oracle's own, and that nothing consequential is asked for without a committed intent that a
  // reviewed repair stands behind.
  void at(const simworld::Entry& entry);
  // Between steps: slots within limits; nothing final with an operation open.
  void between();
  // At rest, `now` being the database's time.
  void at_rest(const simworld::World& world, const Agents& agents, Time now);
  // What kept it from coming to rest.
  void never_rested(const simworld::World& world);

  const std::vector<std::string>& violations() const { return violations_; }
  const simworld::Checker::Count& count() const { return checker_.count(); }
  // How often what only some worlds have was really met.
  const std::map<std::string, std::uint64_t>& met() const { return met_; }
  void flag(std::string what) { violations_.push_back(std::move(what)); }

 private:
  void check_patience(const simworld::Entry& entry);
  void check_request(const simworld::Entry& entry);
  void check_repairs(store::Tx& tx);
  void check_marks(store::Tx& tx, const simworld::World& world);
  void check_alerts(store::Tx& tx, const Agents& agents);

  store::Store& store_;
  const Plan& plan_;
  simworld::Checker checker_;
  std::set<std::string> rebooted_;  // repairs whose action ended well in the world
  std::map<std::string, std::uint64_t> met_;
  std::map<std::string, Time> marked_;     // repair: when its first mark was set
  std::set<std::string> waited_for_host_;  // repairs
  std::vector<std::string> violations_;
};

}  // namespace sickbay::simulation
