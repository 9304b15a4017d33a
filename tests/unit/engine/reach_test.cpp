// When an adapter counts as one that cannot be reached.
#include "engine/reach.hpp"

#include <gtest/gtest.h>

namespace sickbay::engine {
namespace {

using News = Reach::News;

Reach lost_at(Duration now) {
  Reach reach;
  for (int i = 0; i < Reach::kLostAfter; ++i) reach.ended(Asks::list, "timed out", now);
  return reach;
}

TEST(Reach, ThreeFailuresInARowAreNeededTheLastOfThemAList) {
  Reach reach;
  EXPECT_EQ(reach.ended(Asks::look, "timed out", seconds{1}), News::none);
  EXPECT_EQ(reach.ended(Asks::look, "timed out", seconds{2}), News::none);
  EXPECT_EQ(reach.ended(Asks::look, "", seconds{3}), News::none);
  EXPECT_EQ(reach.ended(Asks::look, "timed out", seconds{4}), News::none);
  EXPECT_EQ(reach.ended(Asks::send, "timed out", seconds{5}), News::none);
  EXPECT_EQ(reach.ended(Asks::list, "timed out", seconds{6}), News::lost);
  EXPECT_EQ(reach.since(), seconds{4});
}

TEST(Reach, LooksThatFailAskForAListBeforeAnythingElse) {
  Reach reach;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(reach.ended(Asks::look, "timed out", seconds{1}), News::none);
  EXPECT_EQ(reach.ended(Asks::look, "timed out", seconds{1}), News::doubted);
  EXPECT_EQ(reach.ended(Asks::look, "timed out", seconds{1}), News::none) << "said once";
  EXPECT_FALSE(reach.allows(Asks::look, seconds{2}));
  EXPECT_FALSE(reach.allows(Asks::send, seconds{2}));
  ASSERT_TRUE(reach.begin(Asks::list, seconds{2}));
  EXPECT_FALSE(reach.allows(Asks::list, seconds{2}));
  EXPECT_EQ(reach.ended(Asks::list, "timed out", seconds{7}), News::lost);
  EXPECT_EQ(reach.since(), seconds{1});
}

// Dead BMCs: each look at one of them fails, for ever.
TEST(Reach, OneThatAnswersListsIsNotLostWhateverLooksComeTo) {
  Reach reach;
  Duration now{};
  int doubts = 0;
  for (int i = 0; i < 1000; ++i) {
    now += seconds{1};
    const News news = reach.ended(Asks::look, "no answer from its BMC", now);
    ASSERT_NE(news, News::lost);
    if (news != News::doubted) {
      EXPECT_TRUE(reach.allows(Asks::send, now));
      continue;
    }
    ++doubts;
    ASSERT_TRUE(reach.begin(Asks::list, now));
    EXPECT_EQ(reach.ended(Asks::list, "", now), News::none) << "nobody was told that it was lost";
  }
  EXPECT_GE(doubts, 50);
  EXPECT_LE(doubts, 67) << "no more than one list in 15 s";
}

TEST(Reach, ALostOneIsProbedByOneListAtATime) {
  Reach reach = lost_at(seconds{0});
  EXPECT_FALSE(reach.begin(Asks::list, seconds{14}));
  EXPECT_FALSE(reach.begin(Asks::look, seconds{15}));
  EXPECT_FALSE(reach.begin(Asks::send, seconds{15}));
  EXPECT_TRUE(reach.begin(Asks::list, seconds{15}));
  EXPECT_FALSE(reach.begin(Asks::list, seconds{15}));
  reach.ended(Asks::look, "timed out", seconds{16});
  EXPECT_FALSE(reach.begin(Asks::list, seconds{16})) << "the look was no probe";
}

TEST(Reach, ProbesComeMoreAndMoreSeldomUpToAMinute) {
  Reach reach = lost_at(seconds{0});
  Duration at = seconds{15};
  for (const Duration wait : {seconds{30}, seconds{60}, seconds{60}}) {
    ASSERT_TRUE(reach.begin(Asks::list, at));
    EXPECT_EQ(reach.next_wait(), wait);
    EXPECT_EQ(reach.ended(Asks::list, "timed out", at), News::none);
    EXPECT_FALSE(reach.allows(Asks::list, at + wait - seconds{1}));
    at += wait;
    EXPECT_TRUE(reach.allows(Asks::list, at));
  }
}

TEST(Reach, TheFirstAnswerEndsIt) {
  Reach reach = lost_at(seconds{0});
  ASSERT_TRUE(reach.begin(Asks::list, seconds{15}));
  EXPECT_EQ(reach.ended(Asks::list, "", seconds{16}), News::back);
  EXPECT_TRUE(reach.allows(Asks::send, seconds{16}));
}

TEST(Reach, FailuresOfCallsThatBeganBeforeItWasLostPutOffNoProbe) {
  Reach reach = lost_at(seconds{0});
  for (int i = 0; i < 10; ++i) {
    reach.ended(Asks::look, "timed out", seconds{1});
    reach.ended(Asks::list, "timed out", seconds{1});
  }
  EXPECT_TRUE(reach.allows(Asks::list, seconds{15}));
}

}  // namespace
}  // namespace sickbay::engine
