// What every Provider promises (ports/provider.hpp), as tests; see scheduler_suite.hpp for how an adapter joins.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "ports/provider.hpp"

namespace sickbay::conformance {

class ProviderLab {
 public:
  virtual ~ProviderLab() = default;
  virtual Provider& provider() = 0;
  virtual std::string node() = 0;
  virtual std::string boot() = 0;  // the node's boot id now
  virtual Duration soon() = 0;
  virtual std::size_t effects() = 0;   // how many actions have begun in the world
  virtual void wait_until_done() = 0;  // lets the time pass that actions take
  virtual void lose_next_reply() = 0;  // carried out, but the caller hears nothing
  virtual void queue_next_start() {}   // taken on, and begun only later; where something can be recalled
  virtual void break_connection() = 0;
};

struct ProviderKind {
  std::string name;
  std::function<std::unique_ptr<ProviderLab>()> make;
  friend void PrintTo(const ProviderKind& kind, std::ostream* out) { *out << kind.name; }
};

class ProviderContract : public testing::TestWithParam<ProviderKind> {
 protected:
  std::unique_ptr<ProviderLab> lab = GetParam().make();

  Operation act(std::string id, Action action = Action::reboot) {
    Operation operation;
    operation.id = std::move(id);
    operation.repair = "repair-of-" + operation.id;
    operation.node_name = lab->node();
    operation.kind = OperationKind::act;
    operation.action = action;
    operation.boot_before = lab->boot();
    return operation;
  }
  bool can(Action action) { return capabilities().can(action); }
  ProviderCapabilities capabilities() { return lab->provider().capabilities(lab->soon()).value(); }
  Reply start(const Operation& operation) { return lab->provider().start(operation, lab->soon()); }
  Reply cancel(const Operation& operation) { return lab->provider().cancel(operation, lab->soon()); }
  OperationView view(const Operation& operation) { return lab->provider().observe(operation, lab->soon()); }
};

}  // namespace sickbay::conformance
