// Clusters, nodes, hosts, and who is who among agents (engine.md 6).
#pragma once

#include <map>
#include <optional>

#include "model/finding.hpp"
#include "model/scheduling.hpp"

namespace sickbay {

struct Quarantine {
  std::string repair;  // the repair whose holds they are
  std::string cause;
  Time since{};
  BOOST_DESCRIBE_CLASS(Quarantine, (), (repair, cause, since), (), ())
};

// What devices a node should have; learned when it joins, pinned after.
struct Shape {
  std::string name;  // such as "8x10de:2330"; hosts are interchangeable when this is equal
  std::uint32_t gpus = 0;
  BOOST_DESCRIBE_CLASS(Shape, (), (name, gpus), (), ())
};

// A stable slot (cluster, name) whose scheduler object, machine and host may change under it.
struct Node {
  std::string id;
  std::string cluster, pool, name;
  std::string host;                     // id of the host under it
  std::vector<std::string> schedulers;  // the schedulers it is in: names of adapters
  std::string provider;                 // the adapter that acts on it
  std::map<std::string, std::string> labels;
  Shape shape;
  bool auto_repair = true;        // opted out when false; people can still repair it
  std::uint32_t incarnation = 1;  // grows when the machine under the slot is another
  std::string machine_id, boot_id;
  std::optional<Time> boot_started_at;
  std::uint64_t epoch = 0;  // session epoch of the newest agent start
  std::optional<Quarantine> quarantine;
  std::optional<Time> cooldown_until;            // no new automatic recommendation before
  std::optional<std::string> identity_conflict;  // two live agents: bars actions; the text says who
  std::optional<Time> identity_conflict_at;      // last sign of it; it is over after 10 minutes without one
  std::optional<Time> removed_at;                // taken out for good
  Duration clock_steps{};  // how far the database's clock had stepped ahead in all when its waits were last moved by it
  std::string phase = "RUNNING";  // of the API's NODE_PHASE_ list
  BOOST_DESCRIBE_CLASS(Node, (),
                       (id, cluster, pool, name, host, schedulers, provider, labels, shape, auto_repair, incarnation,
                        machine_id, boot_id, boot_started_at, epoch, quarantine, cooldown_until, identity_conflict,
                        identity_conflict_at, removed_at, clock_steps, phase),
                       (), ())
};

struct Host {
  std::string id;  // serial or BMC id: survives reprovision and migration
  std::string cluster;
  std::string reserved_for_pool;  // a spare may be reserved; empty: any pool
  Shape shape;
  HostState state = HostState::in_use;
  std::string node;                // the node on it, if any
  std::optional<Time> checked_at;  // last passed all its checks
  std::optional<Time> vacated_at;
  std::string vacated_because;
  bool open_ticket = false;
  BOOST_DESCRIBE_CLASS(Host, (),
                       (id, cluster, reserved_for_pool, shape, state, node, checked_at, vacated_at, vacated_because,
                        open_ticket),
                       (), ())
};

// The circuit breaker of product.md 4.3.
struct Breaker {
  bool open = false;
  std::string why;
  std::optional<Time> opened_at, reset_at;
  std::string reset_by, reset_reason;
  std::vector<Time> automatic_approvals;  // of the last 10 minutes
  BOOST_DESCRIBE_CLASS(Breaker, (), (open, why, opened_at, reset_at, reset_by, reset_reason, automatic_approvals), (),
                       ())
};

struct Cluster {
  std::string id, name;
  std::string type = "KUBERNETES";  // or SLURM
  std::string status = "Ready";
  std::uint64_t policy_version = 1;
  std::optional<Time> created_at;
  Breaker breaker;
  std::uint32_t most_nodes_24h = 0;  // largest node count of the last day, and since when
  std::optional<Time> most_nodes_at;
  BOOST_DESCRIBE_CLASS(Cluster, (),
                       (id, name, type, status, policy_version, created_at, breaker, most_nodes_24h, most_nodes_at), (),
                       ())
};

// A fault that an agent holds to be there now: it goes whole with every hello and at intervals (engine.md 7).
struct ActiveFault {
  Finding first, last;
  std::uint64_t count = 1;
  BOOST_DESCRIBE_CLASS(ActiveFault, (), (first, last, count), (), ())
};

// One agent start. The epoch comes from the database and only grows; what an older one sends is history.
struct Session {
  std::string node;
  std::uint64_t epoch = 0;
  std::string machine_id, boot_id;
  Time boot_started_at{};
  Time hello_at{};
  std::string agent_version;
  std::string stream;         // the outbox's UUID
  std::uint64_t acked = 0;    // highest finding sequence of that stream that is durable here
  std::uint64_t dropped = 0;  // findings the outbox had to drop
  std::string outbox;         // "disk", or "memory" when its file system takes no writes
  std::string host;           // as the agent sees it
  Shape shape;
  std::vector<ActiveFault> active;  // the newest whole set
  std::string active_digest;        // as the agent named that set
  Time active_at{};
  BOOST_DESCRIBE_CLASS(Session, (),
                       (node, epoch, machine_id, boot_id, boot_started_at, hello_at, agent_version, stream, acked,
                        dropped, outbox, host, shape, active, active_digest, active_at),
                       (), ())
};

}  // namespace sickbay
