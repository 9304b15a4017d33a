// The lenient reader: what is absent keeps its default, what is unknown is ignored, what is wrong is named.
#include "model/json.hpp"

#include <gtest/gtest.h>

#include "model/policy.hpp"
#include "model/repair.hpp"
#include "model/wire.hpp"

namespace sickbay {
namespace {

TEST(Json, ARepairReadsBackAsItWasWritten) {
  Repair repair;
  repair.id = "rep-1";
  repair.fault = {"DmesgXidError", "119"};
  repair.state = RepairState::QUARANTINED;
  repair.wait_until = from_micros(1'800'000'000'123'456);
  repair.steps.push_back({RepairState::PENDING, RepairStep::queued, from_micros(5), "slot"});
  const auto again = from_json_text<Repair>(to_json_text(repair));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(to_json_text(*again), to_json_text(repair));
}

TEST(Json, AnAbsentMemberKeepsItsDefault) {
  const auto policy = from_json_text<Policy>(R"({"wait":{"at_most":"1.5h"}})");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->wait.at_most, minutes{90});
  EXPECT_EQ(policy->wait.grace_period, minutes{30});
  EXPECT_EQ(policy->limits.slots_per_pool, 1U);
}

TEST(Json, AnUnknownMemberIsAnErrorOnlyWhenStrict) {
  EXPECT_TRUE(from_json_text<Policy>(R"({"newer":1})"));
  const auto strict = from_json_text<Policy>(R"({"wait":{"newer":1}})", Reading::strict);
  ASSERT_FALSE(strict);
  EXPECT_EQ(strict.error().field, "wait.newer");
}

TEST(Json, AWrongValueNamesItsPlace) {
  const auto policy = from_json_text<Policy>(R"({"consent":[{"consent":"auto","actions":["reboot","explode"]}]})");
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().field, "consent[0].actions[1]");
  EXPECT_NE(policy.error().message.find("power-cycle"), std::string::npos) << policy.error().message;
}

TEST(Json, DeepNestingIsRefusedNotFollowed) {
  EXPECT_FALSE(parse_json(std::string(100000, '[')));
}

}  // namespace
}  // namespace sickbay
