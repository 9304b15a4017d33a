// Runs what it is given when it goes out of scope, whatever passes by: a simulated crash is not a std::exception and
// must pass through the store without being caught.
#pragma once

#include <utility>

namespace sickbay::store {

template <class F>
class AtExit {
 public:
  explicit AtExit(F f) : f_(std::move(f)) {}
  ~AtExit() { f_(); }
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;

 private:
  F f_;
};

}  // namespace sickbay::store
