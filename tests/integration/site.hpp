// A whole site of real programs: one simulated world with its agents, and servers of one database. The servers may be
// killed and started again; the world stays.
#pragma once

#include <fmt/core.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/json.hpp"
#include "model/policy.hpp"
#include "programs.hpp"
#include "running_world.hpp"

namespace sickbay::integration {

struct SiteOptions {
  std::size_t servers = 1;
  std::string database;              // postgresql://...; empty: SQLite
  std::string capability = "dedup";  // what the provider promises: dedup, fenced, none
  std::uint32_t nodes = 24, spares = 24;
  Duration job_every{};  // zero: no jobs
};

// One node as /nodes shows it, as far as the tests care.
struct NodeSeen {
  struct Repair {
    std::string id, state, step;
    std::vector<std::string> waits_for;
    std::optional<std::string> person;
    BOOST_DESCRIBE_CLASS(Repair, (), (id, state, step, waits_for, person), (), ())
  };
  struct Quarantine {
    std::string repair;
    BOOST_DESCRIBE_CLASS(Quarantine, (), (repair), (), ())
  };
  std::string id, name, boot_id;
  std::optional<Repair> repair;  // the open one
  std::optional<Quarantine> quarantine;
  BOOST_DESCRIBE_CLASS(NodeSeen, (), (id, name, boot_id, repair, quarantine), (), ())
};

class Site {
 public:
  // Starts the world and the servers and waits until every node's agent has joined. Throws std::runtime_error with the
  // programs' last words where that takes longer than a minute.
  explicit Site(const SiteOptions& options);

  // Every call of a server: the first server that answers; one that is down is passed over, for at most `within`.
  // Anything but 2xx is an error with the answer's text.
  Result<json::value> ask(const std::string& method, const std::string& path, const json::value& body = nullptr,
                          Duration within = seconds{10});
  Result<json::value> ask_one(std::size_t server, const std::string& method, const std::string& path,
                              const json::value& body, Duration timeout);
  Result<std::vector<NodeSeen>> nodes(Duration within = seconds{10});
  Status put_policy(const Policy& policy);
  // A decision on a repair: approve, retry, release, ...
  Status decide(const std::string& repair, const std::string& what, const json::value& body);

  Status fault(const std::string& node, const std::string& kind, std::uint32_t gpu) {
    return world_->fault(node, kind, gpu);
  }
  Status weather(const simworld::Weather& weather);
  // Our marks on the nodes there are: repair by "node/scheduler".
  Result<std::map<std::string, std::string>> marks() { return world_->marks(); }
  // What the world has written so far, read from its file.
  std::vector<simworld::Entry> journal() const { return world_->journal(); }
  std::string journal_file() const { return world_->journal_file(); }
  // The checker's verdict by the world's own program; `said`: its words.
  bool journal_is_clean(std::string& said);

  std::size_t servers() const { return servers_.size(); }
  Program& server(std::size_t n) { return servers_[n].program; }
  void start(std::size_t n);  // again, on the same address and data
  // While this file exists, the server stops itself before each call into the world.
  std::string stop_file(std::size_t n) const { return directory_ / fmt::format("stop-{}", n); }
  Program& world() { return world_->program(); }
  Directory& directory() { return directory_; }
  std::string last_words() const;

 private:
  struct Server {
    std::uint16_t port = 0;
    Program program;
  };
  void wait_for(const std::string& what, const std::function<bool()>& holds);

  const SiteOptions options_;
  Directory directory_;
  std::optional<RunningWorld> world_;
  std::vector<Server> servers_;
  std::string token_;
};

// The default table of faults with a hold-down of a second, and the shortest waits a policy may have: so that a repair
// takes half a minute. Everything is approved by policy, and limits let every node be repaired at once.
Policy hasty_policy();

}  // namespace sickbay::integration
