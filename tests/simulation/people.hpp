// The people of a history: they approve, reject, cancel, retry, force and settle by the commands of the API, and they
// meddle with the world by hand.
#pragma once

#include <functional>

#include "engine/commands.hpp"
#include "simworld/world.hpp"
#include "tests/simulation/weather.hpp"

namespace sickbay::simulation {

class People {
 public:
  using Trace = std::function<void(const std::string&)>;
  People(const Plan& plan, simworld::World& world, store::Store& store, engine::Commands& commands, Random& random,
         Trace trace, std::function<bool()> somebody_may_send)
      : plan_(plan),
        world_(world),
        store_(store),
        commands_(commands),
        random_(random),
        trace_(std::move(trace)),
        somebody_may_send_(std::move(somebody_may_send)) {}

  // calm: they finish what is theirs to finish, and mend what they broke.
  void act(Time now, bool calm);
  // Whether the cluster waits for nobody here: every repair has ended, or waits for what nobody here can give (a spare
  // host).
  bool content() const { return content_; }

 private:
  bool may_recall(const Repair& repair) const;
  void look_after(const Repair& repair, bool calm);
  void review(const Repair& repair, bool calm);
  void help(const Repair& repair, bool calm);
  void look_after_failed(const Node& node, bool calm);
  void meddle();
  void mend();

  const Plan& plan_;
  simworld::World& world_;
  store::Store& store_;
  engine::Commands& commands_;
  Random& random_;
  Trace trace_;
  // Whether some replica is held up, perhaps just before a call: what it may still send, nobody can declare undone.
  std::function<bool()> somebody_may_send_;
  std::uint64_t asked_ = 0;
  bool content_ = false;
  const decide::Person operator_{"alice", Role::operator_}, admin_{"root", Role::admin};
};

}  // namespace sickbay::simulation
