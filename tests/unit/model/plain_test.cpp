// Words from outside that are to be stored and shown.
#include "model/plain.hpp"

#include <gtest/gtest.h>

#include "model/scheduling.hpp"

namespace sickbay {
namespace {

TEST(Plain, EveryWordOfAValueBecomesUtf8WithoutControlCharactersAndBounded) {
  NodeStatus status;
  status.conditions = {{"Ready", "False", "\x1b[31mred", std::string(5000, 'x') + "\xff", {}}};
  status.labels = {{"a\nb", std::string("v\0w", 3)}, {"plain", "as it is"}};
  status.blockers.assign(2000, "pod");
  make_plain(status);
  EXPECT_EQ(status.conditions[0].reason, "\\x1b[31mred");
  EXPECT_EQ(status.conditions[0].message, std::string(kLongestWords, 'x'));
  EXPECT_EQ(status.labels.at("plain"), "as it is");
  EXPECT_EQ(status.labels.at("a\nb"), "v\\x00w");
  EXPECT_EQ(status.blockers.size(), kMostWords);
}

TEST(Plain, ADocumentIsReadableAgainWhateverBytesItHolds) {
  Condition condition;
  condition.message = "caf\xe9, cut at \xc3";
  const auto read = from_json_text<Condition>(to_json_text(condition));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->message, "caf\\xe9, cut at \\xc3");
}

TEST(Plain, AnAnswerThatLeavesSomethingOutIsNotReadAsIfItSaidTheDefault) {
  const auto half = from_json_text<NodeStatus>("{}", Reading::complete);
  ASSERT_FALSE(half);
  EXPECT_NE(half.error().message.find("is missing"), std::string::npos);
  EXPECT_TRUE(from_json_text<NodeStatus>(to_json_text(NodeStatus{}), Reading::complete));
}

}  // namespace
}  // namespace sickbay
