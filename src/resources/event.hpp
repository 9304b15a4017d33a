// What happened, in the model's own form.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "model/json.hpp"
#include "resources/list.hpp"

namespace sickbay::resources {

struct EventList {
  std::vector<Event> events;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(EventList, (), (events, has_next, next_page_token), (), ())
};

}  // namespace sickbay::resources
