// What every Scheduler promises (ports/scheduler.hpp), as tests. An adapter joins by an INSTANTIATE_TEST_SUITE_P with a
// function that makes its laboratory: one node in one scheduler, with means to do what other people do to it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "ports/scheduler.hpp"

namespace sickbay::conformance {

class SchedulerLab {
 public:
  virtual ~SchedulerLab() = default;
  virtual Scheduler& scheduler() = 0;
  virtual Scheduler& of_another_installation() = 0;
  virtual std::string node() = 0;
  virtual Duration soon() = 0;                   // a timeout that is long enough
  virtual void start_work(bool protected_) = 0;  // protected: its disruption budget allows no eviction
  virtual void cordon_as_somebody() = 0;
  virtual void uncordon_as_somebody() = 0;  // ours and theirs
  virtual void wait_until_left() = 0;       // lets the time pass that leaving work is given
  virtual void break_connection() = 0;      // from now on nothing reaches it
};

struct SchedulerKind {
  std::string name;
  std::function<std::unique_ptr<SchedulerLab>()> make;
  friend void PrintTo(const SchedulerKind& kind, std::ostream* out) { *out << kind.name; }
};

class SchedulerContract : public testing::TestWithParam<SchedulerKind> {
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
  Reply place(const std::string& repair) {
    return lab->scheduler().place(operation(repair, OperationKind::cordon), lab->soon());
  }
  Reply release(const std::string& repair) {
    return lab->scheduler().release(operation(repair, OperationKind::uncordon), lab->soon());
  }
  Reply drain(const std::string& repair, bool force = false) {
    return lab->scheduler().drain(operation(repair, OperationKind::drain, force), lab->soon());
  }
  Observation look() { return lab->scheduler().observe(lab->node(), lab->soon()); }

 private:
  int made_ = 0;
};

}  // namespace sickbay::conformance
