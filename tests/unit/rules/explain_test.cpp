// `sickbay rules explain` tells what the engine would make of it, by the same classification (model/finding.hpp).
#include "rules/explain.hpp"

#include <gtest/gtest.h>

#include "model/finding.hpp"

namespace sickbay::rules {
namespace {

const KernelLog& log() {
  static const KernelLog rules = KernelLog::built_in();
  return rules;
}

FaultTable table_with(FaultRule row) {
  return FaultTable{log().pack().faults}.with({std::move(row)});
}

FaultRule critical_reboot(std::string code) {
  FaultRule row;
  row.name = "DmesgXidError";
  row.code = std::move(code);
  row.severity = Severity::critical;
  row.action = Action::reboot;
  return row;
}

// The driver itself says that no reset is needed: over the table, that it is none included.
TEST(Explain, TheDriversOwnWordGoesOverTheTableAsItDoesInTheEngine) {
  const auto told = explain(log(), table_with(critical_reboot("154")),
                            "NVRM: Xid (PCI:0000:3b:00): 154, GPU recovery action changed from 0x0 (None) to 0x3 "
                            "(Drain P2P)");
  ASSERT_TRUE(told) << told.error().message;
  const auto& finding = told->at("findings").at(0);
  EXPECT_EQ(finding.at("authority").as_string(), "recovery-action");
  EXPECT_EQ(finding.at("severity").as_string(), "warning");
  EXPECT_EQ(finding.at("action").as_string(), "none");
}

// A code that is exact needs no table to be sure of itself, but what is done about it the table says.
TEST(Explain, TheTableGoesOverTheCatalogueOfAnExactCode) {
  FaultRule row = critical_reboot("79");
  row.action = Action::none;
  row.severity = Severity::info;
  const auto told = explain(log(), table_with(row), "79");
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->at("severity").as_string(), "info");
  EXPECT_EQ(told->at("action").as_string(), "none");
}

// One classification, so one story: for every code of the catalogue.
TEST(Explain, EveryCodeIsExplainedAsItIsClassified) {
  const FaultTable faults{log().pack().faults};
  for (const XidCode& xid : log().pack().xids) {
    const auto told = explain(log(), faults, std::to_string(xid.code));
    ASSERT_TRUE(told) << told.error().message;
    Context context("test");
    const auto record = parse_line("NVRM: Xid (PCI:0000:00:00): " + std::to_string(xid.code));
    const auto findings = log().read(*record, context);
    ASSERT_FALSE(findings.empty());
    const Classification means = classify(faults, findings[0]);
    EXPECT_EQ(told->at("severity").as_string(), std::string(name_of(means.severity))) << xid.code;
    EXPECT_EQ(told->at("action").as_string(), std::string(name_of(means.action))) << xid.code;
  }
}

}  // namespace
}  // namespace sickbay::rules
