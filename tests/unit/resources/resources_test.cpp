// The tables that both doors read by.
#include <gtest/gtest.h>

#include "resources/list.hpp"
#include "resources/modes.hpp"
#include "resources/node.hpp"
#include "resources/problem.hpp"

namespace sickbay::resources {
namespace {

TEST(Modes, ActionsAndModesAreEachOthersOpposite) {
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Action>>([](auto action) {
    EXPECT_EQ(action_of(mode_of(action.value)), action.value) << action.name;
    const auto named = action_named(name_of(mode_of(action.value)));
    EXPECT_EQ(named, action.value == Action::none ? std::nullopt : std::optional(action.value)) << action.name;
  });
  EXPECT_EQ(name_of(mode_of(Action::migrate)), "REMEDIATION_MODE_HOST_AWARE");
  EXPECT_FALSE(action_named("REMEDIATION_MODE_PRAY"));
  EXPECT_EQ(mode_names(),
            "REMEDIATION_MODE_REBOOT_VM, REMEDIATION_MODE_VM_ONLY, REMEDIATION_MODE_HOST_AWARE, "
            "REMEDIATION_MODE_EVICT_WITHOUT_REPLACEMENT, REMEDIATION_MODE_HOST_POWER_CYCLE");
}

TEST(Modes, TriggersAndSeveritiesHaveTheirGivenNames) {
  EXPECT_EQ(name_of(trigger_of(Trigger::manual)), "REMEDIATION_TRIGGER_MANUAL");
  EXPECT_EQ(trigger_named("REMEDIATION_TRIGGER_AUTOMATED"), Trigger::automated);
  EXPECT_FALSE(trigger_named("manual"));
  EXPECT_EQ(name_of(severity_of(Severity::info)), "PHC_SEVERITY_INFO");
}

TEST(Problems, AStatusIsReadAsTheErrorItWasWrittenFor) {
  for (const Errc code : {Errc::invalid, Errc::not_found, Errc::conflict, Errc::changed, Errc::refused,
                          Errc::unauthenticated, Errc::forbidden, Errc::too_large, Errc::unavailable}) {
    EXPECT_EQ(errc_of(status_of(code)), code) << status_of(code);
  }
  EXPECT_EQ(errc_of(429), Errc::unavailable);
  EXPECT_EQ(errc_of(500), Errc::unavailable);
  EXPECT_EQ(errc_of(418), Errc::internal);
}

TEST(Problems, ADocumentSaysWhatWasWrongAndWhere) {
  const Problem problem = problem_of({Errc::refused, "not so", "policy.wait"});
  EXPECT_EQ(to_json_text(problem),
            R"({"type":"urn:sickbay:problem:refused","title":"A rule forbids it","status":422,"detail":"not so",)"
            R"("code":"refused","field":"policy.wait"})");
  EXPECT_EQ(problem_of({Errc::conflict, "", {}}, "stale_session").code, "stale_session");
  EXPECT_FALSE(problem_of({Errc::conflict, "", {}}).field);
}

TEST(Lists, TheFirstMemberIsTheItemsAndGivesTheListItsName) {
  EXPECT_EQ(items_name<NodeList>(), "nodes");
  NodeList list;
  items_of(list).resize(2);
  EXPECT_EQ(list.nodes.size(), 2U);
  static_assert(std::is_same_v<ItemOf<NodeList>, Node>);
}

}  // namespace
}  // namespace sickbay::resources
