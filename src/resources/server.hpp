// What the server says of itself at its root.
#pragma once

#include <boost/describe/class.hpp>
#include <string>

#include "model/json.hpp"

namespace sickbay::resources {

struct Alive {
  std::string status = "alive";
  BOOST_DESCRIBE_CLASS(Alive, (), (status), (), ())
};
struct Ready {
  std::string status = "ready", version;
  BOOST_DESCRIBE_CLASS(Ready, (), (status, version), (), ())
};

}  // namespace sickbay::resources
