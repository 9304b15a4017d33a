// The world behind a socket. Other programs are its callers: the adapters `simulated` (holds, the provider) and people
// at a demonstration (faults, storms, jobs, misfortune). JSON over HTTP; a lock makes calls one after another, and
// tick() moves the world's time.
//
//   GET  /v1/schedulers/S/nodes?installation=I        every node, as NodeStatus
//   GET  /v1/schedulers/S/nodes/N?installation=I      NodeStatus
//   POST /v1/hold {installation, operation}           cordon, drain, uncordon by operation.kind; answers Reply
//   GET  /v1/provider/capabilities, /v1/provider/hosts, /v1/provider/operations/ID
//   POST /v1/provider/start, cancel OPERATION         answers Reply
//   POST /v1/demo/fault {node, fault, gpu?, persistent?, repeats?}    /v1/demo/storm {fault, nodes, persistent?}
//   POST /v1/demo/job {node, scheduler?, seconds?, blocked?}          /v1/demo/cordon, uncordon {node, scheduler?, by?}
//   POST /v1/demo/crash, die {node}                   /v1/demo/weather WEATHER   /v1/demo/reachable {adapter,
//   reachable} GET  /v1/demo/faults                              the kinds there are GET  /v1/state the whole world,
//   for people GET  /healthz
#pragma once

#include <mutex>

#include "base/time.hpp"
#include "model/json.hpp"
#include "net/message.hpp"
#include "simworld/world.hpp"

namespace sickbay::simworld {

class Service {
 public:
  Service(World& world, const Clock& clock) : world_(world), clock_(clock) {}

  net::Response handle(const net::Request& request);  // any thread
  void tick();                                        // the world's time is the clock's

  // Runs `use(world)` alone, at the clock's time.
  template <class Use>
  auto with_world(Use use) {
    const std::lock_guard lock(mutex_);
    world_.advance(clock_.now());
    return use(world_);
  }

 private:
  Result<json::value> route(const net::Request& request, const net::Target& target);
  Result<json::value> get(const net::Target& target);
  Result<json::value> post(const net::Target& target, const json::value& body);
  Result<json::value> demo(std::string_view what, const json::value& body);

  std::mutex mutex_;
  World& world_;
  const Clock& clock_;
};

}  // namespace sickbay::simworld
