// Results: every function that can fail returns Result<T>. An Error names what was wrong, where, and what to do;
// its code is from a closed list so that callers decide on the code and people read the message.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace sickbay {

enum class Errc {
  invalid,          // malformed input; repeating it cannot help
  not_found,        // the thing named does not exist
  conflict,         // the state does not allow it
  changed,          // someone else changed it meanwhile; read again
  refused,          // well-formed, but a rule forbids it
  unauthenticated,  // no credential, or a wrong or expired one
  forbidden,        // known, but not allowed
  too_large,        // over a bound
  unavailable,      // a service we need is not reachable; try later
  timeout,          // gave up waiting; nothing is known to have happened
  unknown_outcome,  // sent, but whether it happened is not known
  io,               // a file or device failed
  internal          // an internal error
};

struct Error {
  Errc code = Errc::internal;
  std::string message;
  std::string field = {};  // the offending field of a document, where there is one
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

// Builds the failed side of any Result<T>: `return fail(Errc::invalid, "...")`.
inline tl::unexpected<Error> fail(Errc code, std::string message, std::string field = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(field)});
}

}  // namespace sickbay

// Returns the error of `expression` (a Result) from the enclosing function, if it has one.
#define SICKBAY_CHECK(expression)                                                 \
  do {                                                                            \
    if (auto sickbay_result = (expression); !sickbay_result) {                    \
      return tl::unexpected<::sickbay::Error>(std::move(sickbay_result).error()); \
    }                                                                             \
  } while (false)

#define SICKBAY_CONCAT2(a, b) a##b
#define SICKBAY_CONCAT(a, b) SICKBAY_CONCAT2(a, b)
#define SICKBAY_ASSIGN3(temporary, target, expression)                                   \
  auto temporary = (expression);                                                         \
  if (!temporary) return tl::unexpected<::sickbay::Error>(std::move(temporary).error()); \
  target = std::move(*temporary)

// `SICKBAY_ASSIGN(auto x, f());` binds the value of a Result, or returns its error.
#define SICKBAY_ASSIGN(target, expression) \
  SICKBAY_ASSIGN3(SICKBAY_CONCAT(sickbay_result_, __LINE__), target, expression)
