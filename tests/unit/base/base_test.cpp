// Times, durations, PCI addresses and bytes from outside.
#include <gtest/gtest.h>

#include "base/ids.hpp"
#include "base/text.hpp"
#include "base/time.hpp"

namespace sickbay {
namespace {

TEST(Time, ReadsWhatItWrites) {
  for (const std::int64_t micros : {0LL, 1LL, 1'800'000'000'000'000LL, 1'800'000'000'250'000LL, -1LL}) {
    EXPECT_EQ(parse_time(format_time(from_micros(micros))).value(), from_micros(micros));
  }
  EXPECT_EQ(format_time(from_micros(1'800'000'000'250'000)), "2027-01-15T08:00:00.25Z");
}

TEST(Time, OffsetsAreApplied) {
  EXPECT_EQ(parse_time("2026-05-01T12:00:00+02:00").value(), parse_time("2026-05-01T10:00:00Z").value());
}

TEST(Time, WhatIsNotATimeIsRefused) {
  for (const char* text : {"", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-05-01T10:00:00",
                           "2026-05-01T10:00:00.Z", "2026-05-01T10:00:00Zx"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Duration, FractionsAndUnits) {
  EXPECT_EQ(parse_duration("1.5h").value(), minutes{90});
  EXPECT_EQ(parse_duration("0").value(), seconds{0});
  EXPECT_EQ(format_duration(minutes{90}), "90m");
  for (const char* text : {"", "5", "-1s", "1y", "nan", "infh", "1e300d"}) EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Text, APciAddressHasOneForm) {
  EXPECT_EQ(normalize_pci("PCI:0000:05:00"), "0000:05:00.0");
  EXPECT_EQ(normalize_pci("00000000:86:00.0"), "0000:86:00.0");
  EXPECT_EQ(normalize_pci("18:00.0"), "0000:18:00.0");
  EXPECT_EQ(normalize_pci("0000:B3:00"), "0000:b3:00.0");
  for (const char* text : {"", "invalid-bdf.0", "1:2:3:4", "0000:05:00.8", "0000:05:20.0"}) {
    EXPECT_EQ(normalize_pci(text), "") << text;
  }
}

TEST(Text, BytesFromOutsideBecomeValidUtf8) {
  EXPECT_EQ(to_utf8(std::string_view("a\0b\xff\xc3\xa9\x1b", 7)), "a\\x00b\\xff\xc3\xa9\\x1b");
  EXPECT_TRUE(is_utf8(to_utf8("\xed\xa0\x80\xf5\x80")));
  EXPECT_EQ(truncate_utf8("a\xc3\xa9", 2), "a");
}

TEST(Ids, TheSameSeedGivesTheSameIds) {
  SeededIds a(7), b(7);
  EXPECT_EQ(a.next("rep"), b.next("rep"));
  EXPECT_NE(RandomIds{}.next("rep"), RandomIds{}.next("rep"));
}

TEST(Time, WhatIsReadCanBeReadAgainAsItIsWritten) {
  for (const std::string_view text : {"9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
  for (const std::string_view text : {"9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59+01:00"}) {
    ASSERT_TRUE(parse_time(text)) << text;
    EXPECT_TRUE(parse_time(format_time(*parse_time(text)))) << text;
  }
}

}  // namespace
}  // namespace sickbay
