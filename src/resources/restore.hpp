// After a restore of the database: whether the engine only looks, and a person's word that it may act again.
#pragma once

#include <boost/describe/class.hpp>
#include <string>

#include "model/json.hpp"

namespace sickbay::resources {

struct Restore {
  bool observe_only = false;
  std::string why;
  BOOST_DESCRIBE_CLASS(Restore, (), (observe_only, why), (), ())
};
struct RestoreConfirmation {
  std::string reason;
  BOOST_DESCRIBE_CLASS(RestoreConfirmation, (), (reason), (), ())
};

}  // namespace sickbay::resources
