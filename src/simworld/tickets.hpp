// Join tickets for the simulated nodes' agents: what a real provider's first-boot configuration brings to a new
// machine. Issued by the server for an admin's token, or read from a file.
#pragma once

#include <string>

#include "base/result.hpp"

namespace sickbay::simworld {

class Tickets {
 public:
  virtual ~Tickets() = default;
  // A ticket for this node, single use. Blocks for some seconds at most.
  virtual Result<std::string> get(const std::string& node) = 0;
};

// Asks the server. The token's file is read anew each time, since the server may write it after we start.
class ServerTickets final : public Tickets {
 public:
  ServerTickets(std::string server, std::string cluster, std::string token_file)
      : server_(std::move(server)), cluster_(std::move(cluster)), token_file_(std::move(token_file)) {}
  Result<std::string> get(const std::string& node) override;

 private:
  std::string server_, cluster_, token_file_;
};

// Lines "NODE TICKET"; each is given once.
class FileTickets final : public Tickets {
 public:
  explicit FileTickets(std::string file) : file_(std::move(file)) {}
  Result<std::string> get(const std::string& node) override;

 private:
  std::string file_;
};

}  // namespace sickbay::simworld
