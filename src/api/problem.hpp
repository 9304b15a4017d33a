// Errors as problem documents (RFC 9457), and the one place that says which kind of error is which HTTP status.
// Members: type, title, status, detail, code (the kind, for programs), and field where one is to blame.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string_view>

#include "base/result.hpp"
#include "net/message.hpp"

namespace sickbay::api {

namespace json = boost::json;

int status_of(Errc code);
// `more` are further members of the document, such as the new recommendation that an approval collided with; `code` "":
// the kind of the error.
net::Response problem(const Error& error, std::string_view code = {}, const json::object& more = {});
net::Response json_response(const json::value& value, int status = 200);

}  // namespace sickbay::api
