// An alert: the model's own form, with the node's name beside its id.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "model/alert.hpp"
#include "model/json.hpp"
#include "resources/list.hpp"

namespace sickbay::resources {

struct Alert : sickbay::Alert {
  std::string node_name;
  BOOST_DESCRIBE_CLASS(Alert, (sickbay::Alert), (node_name), (), ())
};
struct AlertList {
  std::vector<Alert> alerts;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(AlertList, (), (alerts, has_next, next_page_token), (), ())
};

}  // namespace sickbay::resources
