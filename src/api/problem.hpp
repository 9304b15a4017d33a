// Answers as HTTP responses: values, and errors as problem documents (resources/problem.hpp).
#pragma once

#include <string_view>

#include "model/json.hpp"
#include "net/message.hpp"
#include "resources/problem.hpp"

namespace sickbay::api {

// `more` are further members of the document, such as the new recommendation that an approval collided with; `code` "":
// the kind of the error.
net::Response problem(const Error& error, std::string_view code = {}, const json::object& more = {});
net::Response json_response(const json::value& value, int status = 200);

}  // namespace sickbay::api
