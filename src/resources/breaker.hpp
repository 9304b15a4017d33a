// What closes the circuit breaker. As it is read it is the model's Breaker.
#pragma once

#include <boost/describe/class.hpp>
#include <string>

#include "model/json.hpp"
#include "model/node.hpp"

namespace sickbay::resources {

struct BreakerReset {
  std::string reason;  // why automatic repair may go on
  BOOST_DESCRIBE_CLASS(BreakerReset, (), (reason), (), ())
};

}  // namespace sickbay::resources
