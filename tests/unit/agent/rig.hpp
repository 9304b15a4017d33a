// An agent with everything around it: records from memory, an identity, a state directory and a server to talk to.
#pragma once

#include "agent/agent.hpp"
#include "agent/memory_source.hpp"
#include "base/log.hpp"
#include "rules/faults.hpp"
#include "rules/kernel_log.hpp"
#include "tests/unit/agent/fake_server.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace sickbay::agent {

inline const rules::KernelLog& built_in_rules() {
  static const rules::KernelLog rules = rules::KernelLog::built_in();
  return rules;
}

// A storm of this is one fault on one device.
inline std::string xid(int code, const std::string& device = "0000:3b:00") {
  return fmt::format("NVRM: Xid (PCI:{}): {}, pid=1234, name=python3, Timeout after 6s of waiting for RPC response",
                     device, code);
}

struct Rig {
  Rig() {
    log::set_level(log::Level::error);
    config.node = "gpu-1";
    config.ticket = "ticket-1";
    config.state = scratch / "state";
    config.watch_host = false;
    config.heartbeat = seconds{30};
    identity.machine_id = "machine-1";
    identity.boot_id = "boot-1";
    identity.boot_steady = clock.steady() - hours{1};
  }
  ~Rig() { log::set_level(log::Level::info); }

  void start(const std::string& url) {
    config.server = url;
    agent = std::make_unique<Agent>(io, config, identity, std::make_unique<MemorySource>(feed), built_in_rules(),
                                    faults, clock);
    const auto status = agent->start();
    ASSERT_TRUE(status) << status.error().message;
  }
  void say(const std::string& message) { feed->say(message, minutes{50} + seconds{++said}); }
  bool delivered() {
    return run_until(io, [&] { return agent->standing().connected && agent->standing().pending == 0; });
  }

  SystemClock clock;
  Scratch scratch;
  asio::io_context io{1};
  Config config;
  Identity identity;
  FaultTable faults = rules::default_faults();
  std::shared_ptr<MemorySource::Feed> feed = std::make_shared<MemorySource::Feed>();
  std::unique_ptr<Agent> agent;
  int said = 0;
};

}  // namespace sickbay::agent
