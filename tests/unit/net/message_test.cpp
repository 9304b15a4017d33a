// Request targets and header fields, from friendly to hostile.
#include "net/message.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sickbay::net {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Target, PathAndQueryAreDecoded) {
  const auto target = parse_target("/v1/a%2Fb/?x=1&y&z=a+b%2Bc,d");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, (std::vector<std::string>{"v1", "a/b", ""}));
  EXPECT_EQ(target->query, (Pairs{{"x", "1"}, {"y", ""}, {"z", "a b+c,d"}}));
}

TEST(Target, WhatDecodesToNulOrBrokenTextIsRefused) {
  for (const char* text :
       {"/v1/a%00b", "/v1/%ff", "/v1?x=%00", "/v1?%c3%28=1", "v1", "", "*", "http://other/v1", "/a b", "/%zz", "/%"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
}

RC_GTEST_PROP(Target, NoBytesAtAllCrashTheParser, (std::string text)) {
  if (const auto target = parse_target("/" + text)) {
    for (const auto& piece : target->path) RC_ASSERT(piece.find('\0') == std::string::npos);
  }
}

TEST(Headers, NamesCompareWithoutRegardToCase) {
  const Headers headers{{"Content-Type", "a"}, {"if-match", "b"}};
  EXPECT_EQ(find_header(headers, "content-type"), "a");
  EXPECT_EQ(find_header(headers, "If-Match"), "b");
  EXPECT_EQ(find_header(headers, "If"), std::nullopt);
}

TEST(Problem, TheDetailCannotBreakItsDocument) {
  EXPECT_EQ(plain_problem(400, "a \"b\"\\ \x01\n").body,
            R"({"type":"about:blank","title":"Bad Request","status":400,"detail":"a \"b\"\\ \\x01 "})");
}

}  // namespace
}  // namespace sickbay::net
