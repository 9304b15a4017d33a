// What an agent is told: the same names as the options of sickbay-agent and the members of its --config file (JSON: the
// agent carries no YAML parser, for its size).
#pragma once

#include <boost/describe/class.hpp>
#include <string>

#include "base/time.hpp"
#include "model/node.hpp"

namespace sickbay::agent {

struct Config {
  std::string server;  // https://HOST[:PORT], or http:// on loopback; empty: findings are only printed
  std::string cluster = "default";
  std::string node;            // the name the scheduler knows this node by
  std::string ticket;          // single use; from SICKBAY_TICKET, never from the command line
  std::string ticket_file;     // or a file that holds it, such as a service account's token; read anew at each hello
  std::string ca_file;         // authorities the server's certificate is checked against; empty: the system's
  bool insecure_http = false;  // plain http to other than loopback
  std::string state;           // directory of outbox, position and credential; empty: nothing is kept over a restart
  std::string records = "/dev/kmsg";  // FILE, FIFO, "-" or /dev/kmsg
  bool allow_injected = false;        // records of other facilities than the kernel's count too (tests)
  bool once = false;                  // read the records to their end, deliver everything, stop
  Duration heartbeat{};               // instead of what the server says; 0: as the server says
  std::string sys = "/sys";
  std::string proc = "/proc";
  bool watch_host = true;                  // look at PCI devices and mounts under sys and proc
  std::uint64_t outbox_bytes = 16U << 20;  // most the outbox may take on disk; a tenth of it in memory
  BOOST_DESCRIBE_CLASS(Config, (),
                       (server, cluster, node, ticket_file, ca_file, insecure_http, state, records, allow_injected,
                        once, heartbeat, sys, proc, watch_host, outbox_bytes),
                       (), ())
};

// Reads a configuration file over `base`; an unknown member or a wrong value is an error that names it.
Result<Config> load_config(const std::string& path, Config base);
// Whether the configuration can work at all; Errc::invalid names the option and what to write.
Status check_config(const Config& config);

}  // namespace sickbay::agent
