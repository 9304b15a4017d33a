// Addresses to listen on, as every program of ours reads them.
#include "net/listen.hpp"

#include <gtest/gtest.h>

namespace sickbay::net {
namespace {

TEST(Listen, AHostAndAPortAreToldApartWithAndWithoutBrackets) {
  EXPECT_EQ(parse_listen("127.0.0.1:8480")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen("[::1]:8480")->host, "::1");
  EXPECT_EQ(parse_listen("[::1]:8480")->port, 8480);
  EXPECT_EQ(parse_listen("localhost:0")->port, 0);
}

TEST(Listen, WhatIsNoAddressIsRefusedAndSaysHowItIsWritten) {
  for (const char* text : {"", "nowhere", ":80", "[]:80", "::1:80", "a:65536", "a:-1", "a:", "[::1:80", "a]:80"}) {
    const auto read = parse_listen(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Errc::invalid);
    EXPECT_NE(read.error().message.find("[::1]:8480"), std::string::npos);
  }
}

TEST(Listen, AnAddressIsShownAsAUrl) {
  EXPECT_EQ(url_of("http", "127.0.0.1", 80), "http://127.0.0.1:80");
  EXPECT_EQ(url_of("https", "::1", 8480), "https://[::1]:8480");
}

}  // namespace
}  // namespace sickbay::net
