// A pool: its nodes counted by state, and how many of its places for repairs are taken.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "resources/list.hpp"

namespace sickbay::resources {

struct Pool {
  std::string name;
  std::uint32_t nodes = 0, healthy = 0, booting = 0, unhealthy = 0, pending = 0, paused = 0, slots_used = 0;
  BOOST_DESCRIBE_CLASS(Pool, (), (name, nodes, healthy, booting, unhealthy, pending, paused, slots_used), (), ())
};
struct PoolList {
  std::vector<Pool> pools;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(PoolList, (), (pools, has_next, next_page_token), (), ())
};

}  // namespace sickbay::resources
