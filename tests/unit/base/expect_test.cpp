// What happens when something that must hold does not.
#include "base/expect.hpp"

#include <gtest/gtest.h>

namespace sickbay {
namespace {

TEST(Expect, WhatHoldsCostsNothing) {
  const std::uint64_t before = broken_expectations();
  EXPECT_NO_THROW(SICKBAY_EXPECT(1 + 1 == 2));
  EXPECT_EQ(broken_expectations(), before);
}

TEST(Expect, WhatDoesNotHoldIsCountedAndGivenUpWithItsPlaceAndText) {
  const std::uint64_t before = broken_expectations();
  const auto broken = [] { SICKBAY_EXPECT(1 + 1 == 3); };
  try {
    broken();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const ExpectationBroken& error) {
    EXPECT_NE(std::string_view(error.what()).find("1 + 1 == 3"), std::string_view::npos);
    EXPECT_NE(std::string_view(error.what()).find("expect_test.cpp"), std::string_view::npos);
  }
  EXPECT_EQ(broken_expectations(), before + 1);
}

}  // namespace
}  // namespace sickbay
