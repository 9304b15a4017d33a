// Why something is as it is, and what it waits for, in sentences: of a node or of a repair.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "model/json.hpp"

namespace sickbay::resources {

struct Why {
  std::vector<std::string> why;
  BOOST_DESCRIBE_CLASS(Why, (), (why), (), ())
};

}  // namespace sickbay::resources
