// Errors as problem documents (RFC 9457), and the one place that says which kind of error is which HTTP status: the
// server writes by it, the command line reads by it.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "model/json.hpp"

namespace sickbay::resources {

struct Problem {
  std::string type, title;
  int status = 0;
  std::string detail;                // what was wrong, where, and what to do
  std::string code;                  // the kind of the error, for programs
  std::optional<std::string> field;  // the offending one, where there is one
  BOOST_DESCRIBE_CLASS(Problem, (), (type, title, status, detail, code, field), (), ())
};

// `code` "": the kind of the error.
Problem problem_of(const Error& error, std::string_view code = {});
int status_of(Errc code);
// The kind of error that an answer's status speaks of. What may be over later (429 and all of 500) is unavailable.
Errc errc_of(int status);

}  // namespace sickbay::resources
