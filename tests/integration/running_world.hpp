// A simulated world with its agents as a program of the test's own, and JSON over HTTP to it and to servers. A site has
// one world; a server of several clusters has one for each.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "model/json.hpp"
#include "programs.hpp"
#include "simworld/entry.hpp"

namespace sickbay::integration {

// Anything but 2xx is an error with the answer's text.
Result<json::value> call_http(const std::string& method, const std::string& url, const std::string& token,
                              const json::value& body, Duration timeout);

// The file of one of our own programs.
std::string program_file(const std::string& name);

struct WorldOptions {
  std::string cluster = "demo";      // as the server knows it
  std::string capability = "dedup";  // what the provider promises: dedup, fenced, none
  std::uint32_t nodes = 24, spares = 24;
  Duration job_every{};  // zero: no jobs
  std::string server;    // whom its agents speak to, at this address
  std::string admin_token_file;
};

class RunningWorld {
 public:
  // Starts it. Its files are in `directory` and bear the cluster's name.
  RunningWorld(const Directory& directory, const WorldOptions& options);

  std::string url() const;
  Program& program() { return program_; }
  Result<json::value> ask(const std::string& method, const std::string& path, const json::value& body = nullptr);
  Status fault(const std::string& node, const std::string& kind, std::uint32_t gpu);
  // Our marks on the nodes there are: repair by "node/scheduler".
  Result<std::map<std::string, std::string>> marks();
  // What the world has written so far, read from its file.
  std::string journal_file() const { return journal_; }
  std::vector<simworld::Entry> journal() const;

 private:
  std::uint16_t port_;
  std::string journal_;
  Program program_;
};

}  // namespace sickbay::integration
