// What agents and server say to each other, under /v1/agent. Bodies are JSON in the lenient form of model/json.hpp: an
// agent and a server of different versions understand what both know.
#pragma once

#include "model/node.hpp"

namespace sickbay::wire {

// POST /v1/agent/hello, with a credential or a single-use ticket as bearer token. Every agent start says it first.
struct Hello {
  std::string cluster, node;  // which node it wants to be; the credential or ticket decides whether it may
  std::string machine_id, boot_id;
  Time boot_started_at{};  // by the node's own clock, which may be wrong
  Duration up{};           // for how long the boot has lasted, by its steady clock; 0: an older agent does not say
  std::string host;        // serial, where readable
  std::string agent_version;
  std::string stream;               // the outbox's UUID
  std::uint64_t next_sequence = 1;  // the stream's oldest unsent finding
  Shape shape;
  std::vector<ActiveFault> active;
  std::string active_digest;  // the agent's own name for this very set; opaque to the server
  BOOST_DESCRIBE_CLASS(Hello, (),
                       (cluster, node, machine_id, boot_id, boot_started_at, up, host, agent_version, stream,
                        next_sequence, shape, active, active_digest),
                       (), ())
};
struct HelloReply {
  std::string node_id;
  std::uint64_t epoch = 0;
  std::string credential;   // set when the agent joined with a ticket: keep it, the ticket is spent
  std::uint64_t acked = 0;  // everything of this stream up to here is durable: forget it
  Duration heartbeat = seconds{60};
  Shape expected;  // the shape pinned for this node
  BOOST_DESCRIBE_CLASS(HelloReply, (), (node_id, epoch, credential, acked, heartbeat, expected), (), ())
};

// POST /v1/agent/findings: findings sequence first_sequence, first_sequence + 1, ... of the stream.
struct Batch {
  std::uint64_t epoch = 0;
  std::string stream;
  std::uint64_t first_sequence = 1;
  std::vector<Finding> findings;
  std::uint64_t dropped = 0;  // how many the outbox has dropped in its life
  BOOST_DESCRIBE_CLASS(Batch, (), (epoch, stream, first_sequence, findings, dropped), (), ())
};
struct BatchReply {
  std::uint64_t acked = 0;
  BOOST_DESCRIBE_CLASS(BatchReply, (), (acked), (), ())
};

// POST /v1/agent/heartbeat. `active_digest` is the agent's name for its set of active faults; the server asks for the
// set (send_active) when that is not the digest it last got one with.
struct Heartbeat {
  std::uint64_t epoch = 0;
  std::string boot_id, stream;
  std::string outbox = "disk";
  std::uint64_t dropped = 0;
  std::string active_digest;
  std::optional<std::vector<ActiveFault>> active;
  BOOST_DESCRIBE_CLASS(Heartbeat, (), (epoch, boot_id, stream, outbox, dropped, active_digest, active), (), ())
};
struct Command {
  std::string id, kind;
  boost::json::object arguments;
  Time expires_at{};
  BOOST_DESCRIBE_CLASS(Command, (), (id, kind, arguments, expires_at), (), ())
};
struct HeartbeatReply {
  Duration heartbeat = seconds{60};
  bool send_active = false;  // the server's set is another: send it whole
  std::vector<Command> commands;
  BOOST_DESCRIBE_CLASS(HeartbeatReply, (), (heartbeat, send_active, commands), (), ())
};

}  // namespace sickbay::wire
