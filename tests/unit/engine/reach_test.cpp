// When an adapter counts as one that cannot be reached.
#include "engine/reach.hpp"

#include <gtest/gtest.h>

namespace sickbay::engine {
namespace {

Reach lost_at(Duration now) {
  Reach reach;
  for (int i = 0; i < Reach::kLostAfter; ++i) reach.ended("timed out", now);
  return reach;
}

TEST(Reach, ThreeFailuresInARowAreNeeded) {
  Reach reach;
  EXPECT_EQ(reach.ended("timed out", seconds{1}), Reach::News::none);
  EXPECT_EQ(reach.ended("timed out", seconds{2}), Reach::News::none);
  EXPECT_EQ(reach.ended("", seconds{3}), Reach::News::none);
  EXPECT_EQ(reach.ended("timed out", seconds{4}), Reach::News::none);
  EXPECT_EQ(reach.ended("timed out", seconds{5}), Reach::News::none);
  EXPECT_EQ(reach.ended("timed out", seconds{6}), Reach::News::lost);
  EXPECT_EQ(reach.since(), seconds{4});
}

TEST(Reach, ALostOneIsProbedByOneCallThatChangesNothing) {
  Reach reach = lost_at(seconds{0});
  EXPECT_FALSE(reach.begin(false, seconds{14}));
  EXPECT_FALSE(reach.begin(true, seconds{15}));
  EXPECT_TRUE(reach.begin(false, seconds{15}));
  EXPECT_FALSE(reach.begin(false, seconds{15}));
}

TEST(Reach, ProbesComeMoreAndMoreSeldomUpToAMinute) {
  Reach reach = lost_at(seconds{0});
  Duration at = seconds{15};
  for (const Duration wait : {seconds{30}, seconds{60}, seconds{60}}) {
    ASSERT_TRUE(reach.begin(false, at));
    EXPECT_EQ(reach.ended("timed out", at), Reach::News::none);
    EXPECT_FALSE(reach.allows(false, at + wait - seconds{1}));
    at += wait;
    EXPECT_TRUE(reach.allows(false, at));
  }
}

TEST(Reach, TheFirstAnswerEndsIt) {
  Reach reach = lost_at(seconds{0});
  ASSERT_TRUE(reach.begin(false, seconds{15}));
  EXPECT_EQ(reach.ended("", seconds{16}), Reach::News::back);
  EXPECT_TRUE(reach.allows(true, seconds{16}));
}

TEST(Reach, FailuresOfCallsThatBeganBeforeItWasLostPutOffNoProbe) {
  Reach reach = lost_at(seconds{0});
  for (int i = 0; i < 10; ++i) reach.ended("timed out", seconds{1});
  EXPECT_TRUE(reach.allows(false, seconds{15}));
}

}  // namespace
}  // namespace sickbay::engine
