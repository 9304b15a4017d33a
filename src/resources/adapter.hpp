// A scheduler or a provider that does not say now how its nodes and hosts are. The cluster, its summary and each node
// that it concerns name it: what is known through it is from before, and unknown is not healthy.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>

#include "model/json.hpp"

namespace sickbay::resources {

struct UnreachableAdapter {
  std::string adapter, role;  // role: scheduler or provider
  std::optional<Time> since;  // absent: it has not answered yet
  std::string because;
  std::optional<Time> listed_at;  // when it last said all that it knows; absent: never
  BOOST_DESCRIBE_CLASS(UnreachableAdapter, (), (adapter, role, since, because, listed_at), (), ())
};

}  // namespace sickbay::resources
