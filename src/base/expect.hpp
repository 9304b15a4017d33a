// What must hold if this program is right: SICKBAY_EXPECT(condition). When it does not, that is logged with its place,
// counted, and whatever was being done is given up by an exception, which the engine catches around a turn and the API
// around a request: one node's turn fails loudly, and nothing is decided or sent on facts that cannot be.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace sickbay {

class ExpectationBroken : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// How many did not hold since this program's start.
std::uint64_t broken_expectations();
[[noreturn]] void expectation_broken(const char* condition, const char* file, int line);

}  // namespace sickbay

#define SICKBAY_EXPECT(condition) \
  ((condition) ? static_cast<void>(0) : ::sickbay::expectation_broken(#condition, __FILE__, __LINE__))
