// The agents of the simulated nodes: the real agent code, one for each node that is up, fed with the node's simulated
// kernel log and with the node's own identity. A node that goes down kills its agent as a power cut would; the next
// boot starts another. A rebuilt machine comes with an empty disk, so its agent joins anew with a ticket. That the
// server is away or restarts is none of the fleet's business.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "agent/agent.hpp"
#include "agent/memory_source.hpp"
#include "rules/kernel_log.hpp"
#include "simworld/service.hpp"
#include "simworld/tickets.hpp"

namespace sickbay::simworld {

struct FleetOptions {
  std::string server, cluster = "default";
  std::string directory;                    // of the agents' state: DIRECTORY/NODE is the node's disk
  Duration heartbeat{};                     // 0: as the server says
  Duration look_every = milliseconds{100};  // at the world, for new records and boots
};

class Fleet {
 public:
  Fleet(Service& service, FleetOptions options, std::unique_ptr<Tickets> tickets, const Clock& clock);
  ~Fleet();  // stops
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  void start();
  void stop();

  struct Counts {
    std::size_t agents = 0, connected = 0;
    std::string problem;  // of one that is not connected
  };
  Counts counts();

 private:
  // One node's agent and what it is made from.
  struct Body {
    std::string boot, machine;
    std::uint64_t next_record = 0;
    std::shared_ptr<agent::MemorySource::Feed> feed;
    std::unique_ptr<agent::Agent> agent;
    Time unheard_since{};  // not connected since
    bool joined = false;   // the server has taken a hello of this boot
  };
  // What the world says of one node now.
  struct View {
    std::string name;
    bool up = false;
    agent::Identity identity;
    std::vector<std::string> records;  // new ones of this boot
    std::uint64_t next_record = 0;
  };
  std::vector<View> look();
  View look(const NodeState& node, const Config& config);
  void sync();
  void boot(const View& view);
  void wait();
  void fetch_tickets(std::stop_token stop);
  void want_ticket(const std::string& node);
  std::string disk(const std::string& node) const { return options_.directory + "/" + node; }

  Service& service_;
  const FleetOptions options_;
  const std::unique_ptr<Tickets> tickets_;
  const Clock& clock_;
  const rules::KernelLog log_ = rules::KernelLog::built_in();
  const FaultTable faults_;
  boost::asio::io_context io_{1};
  boost::asio::steady_timer timer_{io_};
  std::map<std::string, Body> bodies_;  // of the io thread

  std::mutex mutex_;
  std::set<std::string> wanted_;  // nodes that need a ticket
  Counts counts_;
  std::thread thread_;
  std::jthread ticket_thread_;
};

}  // namespace sickbay::simworld
