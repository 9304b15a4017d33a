// The simulated world's ports in the same process keep the contracts, whatever the provider declares.
#include "simworld/inprocess.hpp"
#include "tests/conformance/provider_suite.hpp"
#include "tests/conformance/scheduler_suite.hpp"

namespace sickbay::conformance {
namespace {

using namespace simworld;

struct Setting {
  MemoryJournal journal;
  ManualClock clock;
  std::unique_ptr<World> world;

  explicit Setting(bool dedup = true, bool fenced = false, SchedulerCapabilities declared = {}) {
    Config config;
    config.nodes = 4, config.spares = 2;
    config.capabilities.dedup_by_operation_id = dedup;
    config.capabilities.fenced_by_boot = fenced;
    config.capabilities.cancellable = {Action::reboot};
    config.declared["sim-k8s"] = declared;
    config.weather.late_by = seconds{30};
    world = std::make_unique<World>(config, clock.now(), journal);
  }
  void pass(Duration time) {
    clock.advance(time);
    world->advance(clock.now());
  }
};

class InProcessSchedulerLab final : public SchedulerLab {
 public:
  explicit InProcessSchedulerLab(const SchedulerCapabilities& declared) : setting_(true, false, declared) {}
  Scheduler& scheduler() override { return ours_; }
  Scheduler& of_another_installation() override { return theirs_; }
  std::string node() override { return "gpu-003"; }
  Duration soon() override { return seconds{10}; }
  void start_work(bool protected_) override {
    ASSERT_TRUE(setting_.world->start_job("sim-k8s", node(), hours{9}, protected_));
  }
  bool start_light_work() override {
    return setting_.world->start_job("sim-k8s", node(), hours{9}, true, true).has_value();
  }
  void cordon_as_somebody() override { ASSERT_TRUE(setting_.world->cordon("sim-k8s", node(), "alice")); }
  void uncordon_as_somebody() override { ASSERT_TRUE(setting_.world->uncordon("sim-k8s", node(), "alice")); }
  void wait_until_left() override { setting_.pass(minutes{5}); }
  bool delay_next_request() override {
    setting_.world->next_fate(Fate::late);
    return true;
  }
  void wait_until_arrived() override { setting_.pass(minutes{1}); }
  void let_views_age() override { setting_.pass(seconds{21}); }
  void break_connection() override { setting_.world->set_reachable("sim-k8s", false); }

 private:
  Setting setting_;
  InProcessScheduler ours_{*setting_.world, "sim-k8s", "installation-1"};
  InProcessScheduler theirs_{*setting_.world, "sim-k8s", "installation-2"};
};

class InProcessProviderLab final : public ProviderLab {
 public:
  InProcessProviderLab(bool dedup, bool fenced) : setting_(dedup, fenced) {}
  Provider& provider() override { return provider_; }
  std::string node() override { return "gpu-003"; }
  std::string boot() override { return setting_.world->state().nodes.at(node()).boot; }
  Duration soon() override { return seconds{10}; }
  std::size_t effects() override {
    return static_cast<std::size_t>(std::ranges::count(setting_.journal.entries, What::begin, &Entry::what));
  }
  void wait_until_done() override { setting_.pass(minutes{30}); }
  void lose_next_reply() override { setting_.world->next_fate(Fate::lose_reply); }
  void queue_next_start() override { setting_.world->latencies().queue = seconds{20}; }
  void break_connection() override { setting_.world->set_reachable("sim", false); }

 private:
  Setting setting_;
  InProcessProvider provider_{*setting_.world};
};

std::string name(const auto& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(SimulatedInProcess, SchedulerContract,
                         testing::ValuesIn(scheduler_cases<InProcessSchedulerLab>()),
                         name<testing::TestParamInfo<SchedulerCase>>);
INSTANTIATE_TEST_SUITE_P(
    SimulatedInProcess, ProviderContract,
    testing::Values(ProviderKind{"Dedup", [] { return std::make_unique<InProcessProviderLab>(true, false); }},
                    ProviderKind{"Fenced", [] { return std::make_unique<InProcessProviderLab>(false, true); }},
                    ProviderKind{"Neither", [] { return std::make_unique<InProcessProviderLab>(false, false); }}),
    name<testing::TestParamInfo<ProviderKind>>);

}  // namespace
}  // namespace sickbay::conformance
