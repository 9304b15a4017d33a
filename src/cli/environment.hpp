// What the command line finds around it: streams, environment, terminal, clock. Passed in, so that a test runs whole
// commands and reads what a person would see.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "cli/transport.hpp"

namespace sickbay::cli {

struct CliEnvironment {
  std::ostream& out;
  std::ostream& err;
  std::istream& in;
  std::function<std::optional<std::string>(const std::string& name)> environment;
  bool terminal_in = false;   // a person can answer
  bool terminal_out = false;  // a person reads: colour, and lines cut to the width
  std::size_t width = 0;      // columns of that terminal; 0: not known
  const Clock& clock;
  Ids& ids;
  std::function<void(Duration)> pause;  // between attempts to follow a stream again
  Connect connect = connect_over_http;
};

}  // namespace sickbay::cli
