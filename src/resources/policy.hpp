// The policy of a cluster as it is sent, checked and listed. As it is read it is the model's PolicyVersion.
#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/policy.hpp"
#include "resources/list.hpp"

namespace sickbay::resources {

struct NewPolicy {
  Policy policy;
  std::string comment;
  BOOST_DESCRIBE_CLASS(NewPolicy, (), (policy, comment), (), ())
};
// The same with a policy as its author wrote it: what that leaves out is the server's default, not the sender's.
struct NewPolicyAsWritten {
  json::object policy;
  std::string comment;
  BOOST_DESCRIBE_CLASS(NewPolicyAsWritten, (), (policy, comment), (), ())
};

struct PolicyProblem {
  std::string field, message;
  BOOST_DESCRIBE_CLASS(PolicyProblem, (), (field, message), (), ())
};
struct PolicyCheck {
  bool ok = false;
  std::vector<PolicyProblem> errors;
  std::vector<std::string> notes;
  BOOST_DESCRIBE_CLASS(PolicyCheck, (), (ok, errors, notes), (), ())
};
struct PolicyVersionList {
  std::vector<PolicyVersion> versions;
  bool has_next = false;
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(PolicyVersionList, (), (versions, has_next, next_page_token), (), ())
};

}  // namespace sickbay::resources
