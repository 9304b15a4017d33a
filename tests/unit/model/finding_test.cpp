// What a finding means: who has the last word about severity and action.
#include "model/finding.hpp"

#include <gtest/gtest.h>

namespace sickbay {
namespace {

Finding finding_of(Authority authority) {
  Finding finding;
  finding.fault = {"DmesgXidError", "149"};
  finding.severity = Severity::warning;
  finding.action = Action::none;
  finding.authority = authority;
  return finding;
}

FaultRule row_of(std::string code, Severity severity, Action action) {
  FaultRule row;
  row.name = "DmesgXidError";
  row.code = std::move(code);
  row.severity = severity;
  row.action = action;
  return row;
}

TEST(Classify, ATableRowGoesOverTheCatalogueButNotOverADecodeTableOrTheDriversOwnWord) {
  const FaultTable table{{row_of("*", Severity::critical, Action::reboot)}};
  for (const Authority authority : {Authority::unknown, Authority::catalogue, Authority::exact_code}) {
    EXPECT_EQ(classify(table, finding_of(authority)).action, Action::reboot) << name_of(authority);
    EXPECT_EQ(classify(table, finding_of(authority)).severity, Severity::critical) << name_of(authority);
  }
  for (const Authority authority : {Authority::decode_table, Authority::recovery_action}) {
    EXPECT_EQ(classify(table, finding_of(authority)).action, Action::none) << name_of(authority);
    EXPECT_EQ(classify(table, finding_of(authority)).severity, Severity::warning) << name_of(authority);
    EXPECT_EQ(classify(table, finding_of(authority)).authority, authority);
  }
}

TEST(Classify, AnOperatorsRowIsTheLastWord) {
  const std::vector<FaultRule> mine = {row_of("149", Severity::critical, Action::migrate)};
  const FaultTable table = FaultTable{{row_of("*", Severity::info, Action::none)}}.with(mine);
  const Classification means = classify(table, finding_of(Authority::recovery_action), mine);
  EXPECT_EQ(means.action, Action::migrate);
  EXPECT_EQ(means.authority, Authority::exact_code);
}

TEST(Classify, APowerCycleTakesTheActionsPlaceOnlyWhereThePolicyAllowsItAndThereIsAnAction) {
  FaultRule row = row_of("149", Severity::critical, Action::migrate);
  row.power_cycle_where_enabled = true;
  EXPECT_EQ(classify({{row}}, finding_of(Authority::catalogue), {}, true).action, Action::power_cycle);
  EXPECT_EQ(classify({{row}}, finding_of(Authority::catalogue), {}, false).action, Action::migrate);
  row.action = Action::none;
  EXPECT_EQ(classify({{row}}, finding_of(Authority::catalogue), {}, true).action, Action::none);
}

TEST(Classify, WithoutARowItWarnsAndAsks) {
  const Classification means = classify({}, finding_of(Authority::catalogue));
  EXPECT_EQ(means.severity, Severity::warning);
  EXPECT_EQ(means.action, Action::none);
  EXPECT_EQ(means.rule.clears, ClearsOn::reboot);
}

}  // namespace
}  // namespace sickbay
