// Where the server is and who we are to it: options first, then SICKBAY_SERVER and SICKBAY_TOKEN, then
// ~/.config/sickbay/config.json {"server", "token", "cluster", "ca_file", "simworld"}.
#pragma once

#include <string>

#include "cli/environment.hpp"

namespace sickbay::cli {

struct Settings {
  std::string server, token;
  std::string cluster;   // a name or id; empty: the only one there is
  std::string ca_file;   // PEM; empty: the system's authorities
  std::string simworld;  // address of the simulated world, for `sickbay demo`
  bool insecure_http = false;
};

// Fills what `settings` leaves empty. Errc::invalid for a configuration file that is not what it should be.
Status complete_settings(Settings& settings, const CliEnvironment& around);

}  // namespace sickbay::cli
