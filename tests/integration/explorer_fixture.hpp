// What every exploration starts from and what must hold after every schedule, whoever ran.
#pragma once

#include <gtest/gtest.h>

#include "explorer.hpp"
#include "tests/unit/store/fixture.hpp"

namespace sickbay::store {

// A cluster with nodes n1 and n2, an open repair on each, an operation of the first planned, a finding to fold, two
// events and an audit row to publish, a ticket; n1 is due at version 1.
class Interleavings : public testing::Test {
 protected:
  void SetUp() override;
  // Explores and expects no violation; prints how many schedules were run.
  void race(const Racer& a, const Racer& b);
  // Every pair of these, each with itself too.
  void race_all(const std::vector<Racer>& racers);

  static void set_up(Store& observer);
  // The rules below, in words where one is broken.
  static std::string check(Store& observer, const std::string& a, const std::string& b);
  static Time start() { return from_micros(1'750'000'000'000'000); }  // long before the database's now

  std::unique_ptr<TestDatabase> database_;
  std::unique_ptr<Explorer> explorer_;
  std::size_t at_most_ = 45;  // schedules of a pair
};

}  // namespace sickbay::store
