// A host: the model's own form, with the name of the node on it beside its id.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/node.hpp"
#include "resources/list.hpp"

namespace sickbay::resources {

struct Host : sickbay::Host {
  std::string node_name;
  BOOST_DESCRIBE_CLASS(Host, (sickbay::Host), (node_name), (), ())
};
struct HostList {
  std::vector<Host> hosts;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(HostList, (), (hosts, has_next, next_page_token), (), ())
};

}  // namespace sickbay::resources
