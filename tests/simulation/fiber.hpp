// A replica's thread of control in the simulation: a fiber, so that one seed decides every switch. It runs until it
// awaits; whoever resumes it decides what happens meanwhile.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <functional>
#include <memory>

namespace sickbay::simulation {

// Thrown at an await to end a replica as kill -9 would. Not a std::exception: nothing that handles errors may catch it.
struct Crash {};

class Fiber {
 public:
  // `body` runs inside and may call await(); when it returns or lets a Crash through, the fiber is done.
  explicit Fiber(std::function<void(Fiber&)> body)
      : inside_(std::allocator_arg, boost::context::fixedsize_stack(512 * 1024),
                [this, body = std::move(body)](boost::context::fiber&& outside) {
                  outside_ = std::move(outside);
                  try {
                    body(*this);
                  } catch (const Crash&) {
                    crashed_ = true;
                  }
                  done_ = true;
                  return std::move(outside_);
                }) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // From outside: runs it until its next await or its end.
  void resume() { inside_ = std::move(inside_).resume(); }
  // From inside: gives control back.
  void await() { outside_ = std::move(outside_).resume(); }
  bool done() const { return done_; }
  bool crashed() const { return crashed_; }

 private:
  boost::context::fiber outside_, inside_;
  bool done_ = false, crashed_ = false;
};

}  // namespace sickbay::simulation
