// What every Scheduler promises (ports/scheduler.hpp), as tests. An adapter joins by an INSTANTIATE_TEST_SUITE_P with a
// function that makes its laboratory: one node in one scheduler, with means to do what other people do to it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "ports/scheduler.hpp"

namespace sickbay::conformance {

class SchedulerLab {
 public:
  virtual ~SchedulerLab() = default;
  virtual Scheduler& scheduler() = 0;
  virtual Scheduler& of_another_installation() = 0;
  virtual std::string node() = 0;
  virtual Duration soon() = 0;                       // a timeout that is long enough
  virtual void start_work(bool protected_) = 0;      // protected: its disruption budget allows no eviction
  virtual bool start_light_work() { return false; }  // without accelerators, protected; false: there is no such work
  virtual void cordon_as_somebody() = 0;
  virtual void uncordon_as_somebody() = 0;  // ours and theirs
  virtual void wait_until_left() = 0;       // lets the time pass that leaving work is given
  // The next request is carried out only after its caller gave up, by wait_until_arrived(). false: not possible here.
  virtual bool delay_next_request() { return false; }
  virtual void wait_until_arrived() {}
  virtual void let_views_age() {}       // so that the next look sees what is so now, whatever the scheduler remembers
  virtual void break_connection() = 0;  // from now on nothing reaches it
};

struct SchedulerCase {
  std::string name;
  std::function<std::unique_ptr<SchedulerLab>()> make;
  friend void PrintTo(const SchedulerCase& kind, std::ostream* out) { *out << kind.name; }
};

class SchedulerContract : public testing::TestWithParam<SchedulerCase> {
 protected:
  std::unique_ptr<SchedulerLab> lab = GetParam().make();

  Operation operation(std::string repair, OperationKind kind, bool force = false) {
    Operation operation;
    operation.id = "op-" + std::to_string(++made_);
    operation.repair = std::move(repair);
    operation.kind = kind;
    operation.node_name = lab->node();
    operation.force = force;
    return operation;
  }
  SchedulerCapabilities declared() { return lab->scheduler().capabilities(); }
  Reply cordon(const std::string& repair) {
    return lab->scheduler().cordon(operation(repair, OperationKind::cordon), lab->soon());
  }
  Reply uncordon(const std::string& repair) {
    return lab->scheduler().uncordon(operation(repair, OperationKind::uncordon), lab->soon());
  }
  Reply drain(const std::string& repair, bool force = false) {
    return lab->scheduler().drain(operation(repair, OperationKind::drain, force), lab->soon());
  }
  NodeStatus look() {
    lab->let_views_age();
    return lab->scheduler().observe(lab->node(), lab->soon());
  }

 private:
  int made_ = 0;
};

// What the simulated world can be told to keep, one laboratory each.
struct Declaration {
  std::string name;
  SchedulerCapabilities declared;
};
inline std::vector<Declaration> declarations() {
  const std::vector<DrainOption> options{DrainOption::grace, DrainOption::force_after, DrainOption::force};
  return {{"Kubernetes", {SchedulerKind::kubernetes, true, true, options, {}}},
          {"KubernetesOneBit", {SchedulerKind::kubernetes, true, false, options, {}}},
          {"KubernetesCached", {SchedulerKind::kubernetes, true, false, options, seconds{20}}},
          {"Slurm", {SchedulerKind::slurm, false, false, options, {}}},
          {"SlurmWithVisibleDrains", {SchedulerKind::slurm, false, true, options, {}}}};
}
template <class Lab>
std::vector<SchedulerCase> scheduler_cases() {
  std::vector<SchedulerCase> cases;
  for (const Declaration& each : declarations()) {
    cases.push_back({each.name, [declared = each.declared] { return std::make_unique<Lab>(declared); }});
  }
  return cases;
}

}  // namespace sickbay::conformance
