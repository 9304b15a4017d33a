// The audit log, in the model's own form.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/people.hpp"
#include "resources/list.hpp"

namespace sickbay::resources {

struct AuditList {
  std::vector<AuditRow> audit;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(AuditList, (), (audit, has_next, next_page_token), (), ())
};

}  // namespace sickbay::resources
