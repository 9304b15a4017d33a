// Pretended agents: they say to intake what the real ones say, from the simulated nodes' kernel logs by the real rules,
// and everything that goes wrong with agents: late findings, sessions out of order, clones, wiped disks, silence.
#pragma once

#include <deque>
#include <functional>

#include "engine/intake.hpp"
#include "model/people.hpp"
#include "rules/kernel_log.hpp"
#include "simworld/world.hpp"
#include "tests/simulation/weather.hpp"

namespace sickbay::simulation {

// The knowledge every history shares; built once.
struct Knowledge {
  rules::KernelLog log = rules::KernelLog::built_in();
  FaultTable faults;
  Knowledge();
};

class Agents {
 public:
  using Trace = std::function<void(const std::string&)>;
  Agents(const Plan& plan, simworld::World& world, store::Store& store, const Knowledge& knowledge, Random& random,
         Trace trace);

  // What agents do now. `intake`: of a replica that listens; null: none does. `calm`: no more trouble of their own.
  void act(Time now, engine::Intake* intake, bool calm);
  std::optional<Time> next() const;

  // What is wrong on a node's agent now: the faults of its boot that it holds to be active.
  struct Holding {
    std::string node;
    std::uint64_t epoch = 0;
    bool connected = false;
    std::vector<ActiveFault> active;
  };
  std::vector<Holding> holding() const;

 private:
  struct Agent {
    std::string node, id, machine, boot, stream, host;  // id: of the node, from the server
    Time boot_at{};
    std::uint64_t epoch = 0, cursor = 0;
    std::uint64_t first = 1;    // stream sequence of queue.front()
    std::deque<Finding> queue;  // not acknowledged
    std::map<std::string, ActiveFault> active;
    std::optional<Token> token;
    std::unique_ptr<rules::Context> context;
    bool up = false;
    Duration clock_off{};  // how wrong the node's own clock is
    std::optional<Time> hello_at, send_at, beat_at, silent_until;
  };
  void start(Agent& agent, const simworld::NodeState& node, Time now);
  void read_log(Agent& agent, const simworld::NodeState& node, Time now, bool calm);
  void hello(Agent& agent, Time now, engine::Intake& intake);
  void send(Agent& agent, Time now, engine::Intake& intake);
  void beat(Agent& agent, Time now, engine::Intake& intake);
  void misbehave(Agent& agent, Time now, engine::Intake& intake);
  Token ticket(const std::string& node, Time now);
  std::vector<ActiveFault> active_of(const Agent& agent) const;

  const Plan& plan_;
  simworld::World& world_;
  store::Store& store_;
  const Knowledge& knowledge_;
  Random& random_;
  Trace trace_;
  std::map<std::string, Agent> agents_;
  std::map<std::string, Agent> old_;  // the agent of an earlier boot, for its backlog
  std::uint64_t made_ = 0;
};

}  // namespace sickbay::simulation
