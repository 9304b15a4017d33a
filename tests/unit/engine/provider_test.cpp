// Providers: what one machine's silence costs the others, a provider that takes another name, hosts that two clusters
// list.
#include "store/hosts.hpp"
#include "tests/unit/engine/engine_fixture.hpp"

namespace sickbay::engine::testing {
namespace {

class Providers : public EngineTest {
 protected:
  void add(const std::string& cluster, Script& script, ProviderScript& provider, int count) {
    script.nodes = nodes(count);
    providers_[cluster] = &provider;
    add_cluster(cluster, script);
    turn_all();
  }
  std::size_t started(const std::string& name) {
    return static_cast<std::size_t>(std::ranges::count(provider_.started, name));
  }
  Operation act(const std::string& cluster, const std::string& name) {
    const std::string id = repair(cluster, name).id;
    const auto acts = read([&](store::Tx& tx) {
      auto found = store::operations_of_repair(tx, id);
      std::erase_if(found, [](const Operation& operation) { return operation.kind != OperationKind::act; });
      return found;
    });
    return acts.at(acts.size() - 1);
  }
  Script scheduler_, other_;
  ProviderScript provider_, other_provider_;
};

TEST_F(Providers, MachinesWhoseBmcIsDeadDoNotMakeTheProviderLostForTheOthers) {
  add("c1", scheduler_, provider_, 6);
  provider_.silent = {"gpu-0", "gpu-1", "gpu-2"};
  for (const std::string& name : provider_.silent) admit("c1", name);
  for (int i = 0; i < 40; ++i) pass(seconds{5});
  ASSERT_EQ(act("c1", "gpu-0").state, OperationState::dispatching);
  const int lists = provider_.lists;
  admit("c1", "gpu-3");
  bool lost = false;
  for (int i = 0; i < 24; ++i) {
    pass(seconds{5});
    lost = lost || adapter("c1", "sim")->unreachable_since;
  }
  EXPECT_FALSE(lost);
  EXPECT_EQ(started("gpu-3"), 1U);
  EXPECT_GE(provider_.lists - lists, 4);
  EXPECT_LE(provider_.lists - lists, 12) << "every doubt is a list, but not more often than every 15 s";
}

TEST_F(Providers, AMachineThatDoesNotAnswerIsAskedMoreAndMoreSeldom) {
  add("c1", scheduler_, provider_, 1);
  provider_.silent = {"gpu-0"};
  admit("c1", "gpu-0");
  for (int i = 0; i < 40; ++i) pass(seconds{5});
  const int looks = provider_.looks;
  for (int i = 0; i < 120; ++i) pass(seconds{5});  // ten minutes
  EXPECT_GE(provider_.looks - looks, 10);
  EXPECT_LE(provider_.looks - looks, 20);
}

TEST_F(Providers, AnActOfALostProviderBecomesAPersonsMatterAtItsDeadline) {
  add("c1", scheduler_, provider_, 1);
  provider_.silent = {"gpu-0"};
  admit("c1", "gpu-0");
  for (int i = 0; i < 40 && provider_.looks == 0; ++i) pass(seconds{5});
  ASSERT_EQ(act("c1", "gpu-0").state, OperationState::dispatching);
  providers_.clear();  // configured away: nobody can look any more
  use_scripts();
  for (int i = 0; i < 80; ++i) pass(seconds{15});
  EXPECT_EQ(act("c1", "gpu-0").state, OperationState::ambiguous);
  EXPECT_TRUE(repair("c1", "gpu-0").person);
}

TEST_F(Providers, TheTimeOfAnActCountsFromWhenItWasSent) {
  add("c1", scheduler_, provider_, 1);
  admit("c1", "gpu-0");
  for (int i = 0; i < 40 && provider_.started.empty(); ++i) pass(seconds{5});
  const Operation sent = act("c1", "gpu-0");
  ASSERT_TRUE(sent.dispatched_at);
  EXPECT_EQ(sent.deadline - *sent.dispatched_at, minutes{15});
}

TEST_F(Providers, AProviderThatTakesAnotherNameGoesOnWithTheNodesOfTheOldOne) {
  add("c1", scheduler_, provider_, 2);
  provider_name_ = "redfish";
  use_scripts();
  ASSERT_TRUE(engine_->start_sync("c1"));
  turn_all();
  EXPECT_EQ(node("c1", "gpu-0").provider, "redfish");
  admit("c1", "gpu-0");
  for (int i = 0; i < 24; ++i) pass(seconds{5});
  EXPECT_EQ(started("gpu-0"), 1U);
  EXPECT_EQ(act("c1", "gpu-0").adapter, "redfish");
}

TEST_F(Providers, AHostThatTwoClustersListStaysWithTheFirst) {
  for (ProviderScript* script : {&provider_, &other_provider_}) {
    script->hosts = {ListedHost{"SN-1", "train", {"gpu-0"}, HostState::in_use, {}, {}}};
  }
  add("c1", scheduler_, provider_, 1);
  add("c2", other_, other_provider_, 1);
  const auto hosts = [&](const std::string& cluster) {
    return read([&](store::Tx& tx) { return store::list_hosts(tx, cluster).size(); });
  };
  EXPECT_EQ(hosts("c1"), 1U);
  EXPECT_EQ(hosts("c2"), 0U);
  EXPECT_EQ(node("c2", "gpu-0").host, "SN-1") << "so that no two acts meet on it";
  const int before = commits_;
  const int lists = other_provider_.lists;
  pass(seconds{30});
  EXPECT_EQ(other_provider_.lists, lists + 1);
  EXPECT_LE(commits_ - before, 8) << "nothing flips between the two";
  admit("c1", "gpu-0");
  for (int i = 0; i < 24; ++i) pass(seconds{5});
  ASSERT_EQ(started("gpu-0"), 1U);
  admit("c2", "gpu-0");
  for (int i = 0; i < 24; ++i) pass(seconds{5});
  EXPECT_TRUE(other_provider_.started.empty()) << "the other act on the machine is not over";
}

// Virtual machines: the second one comes to a host that is known already.
TEST_F(Providers, ANodeThatJoinsAHostWithAnotherIsKnownToBeOnIt) {
  provider_.hosts = {ListedHost{"SN-1", "train", {"gpu-0"}, HostState::in_use, {}, {}}};
  add("c1", scheduler_, provider_, 2);
  EXPECT_EQ(node("c1", "gpu-0").host, "SN-1");
  provider_.hosts[0].nodes = {"gpu-0", "gpu-1"};
  pass(seconds{30});
  EXPECT_EQ(node("c1", "gpu-1").host, "SN-1");
  const int before = commits_;
  pass(seconds{30});
  EXPECT_LE(commits_ - before, 4) << "nothing differs any more";
}

TEST_F(Providers, WhenAHostInUseWasCheckedIsNoNews) {
  provider_.hosts = {ListedHost{"SN-1", "train", {"gpu-0"}, HostState::in_use, {}, {}}};
  add("c1", scheduler_, provider_, 1);
  pass(seconds{30});
  provider_.hosts[0].checked_at = clock_.now();
  const int before = commits_;
  pass(seconds{30});
  EXPECT_LE(commits_ - before, 4);
}

TEST_F(Providers, AReplicaThatDoesNotHaveAClusterLeavesItsSyncToOthers) {
  add("c1", scheduler_, provider_, 1);
  const int lists = scheduler_.lists;
  clusters_.clear();
  use_scripts();
  for (int i = 0; i < 4; ++i) pass(seconds{15});
  EXPECT_EQ(scheduler_.lists, lists);
  clusters_["c1"] = &scheduler_;
  use_scripts();
  pass(seconds{15});
  EXPECT_GT(scheduler_.lists, lists);
}

TEST_F(Providers, ASchedulerWhoseViewIsOldIsDrainedAndActedOnNotAskedWithoutAPause) {
  scheduler_.view_age = seconds{40};
  add("c1", scheduler_, provider_, 1);
  admit("c1", "gpu-0");
  const int looks = scheduler_.looks;
  for (int i = 0; i < 40 && provider_.started.empty(); ++i) pass(seconds{5});
  EXPECT_EQ(started("gpu-0"), 1U);
  EXPECT_LE(scheduler_.looks - looks, 60);
}

}  // namespace
}  // namespace sickbay::engine::testing
