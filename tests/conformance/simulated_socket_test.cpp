// The adapters `simulated` keep the contracts over a real socket.
#include "adapters/simulated/simulated.hpp"
#include "clients/http.hpp"
#include "net/server.hpp"
#include "simworld/service.hpp"
#include "tests/conformance/provider_suite.hpp"
#include "tests/conformance/scheduler_suite.hpp"

namespace sickbay::conformance {
namespace {

using namespace simworld;

// A world behind a server; its time is a clock that the test moves, deadlines are real.
struct Served {
  MemoryJournal journal;
  ManualClock clock;
  std::unique_ptr<World> world;
  std::unique_ptr<Service> service;
  std::unique_ptr<net::Server> server;

  explicit Served(bool dedup = true, bool fenced = false, SchedulerCapabilities declared = {}) {
    Config config;
    config.nodes = 4, config.spares = 2;
    config.capabilities.dedup_by_operation_id = dedup;
    config.capabilities.fenced_by_boot = fenced;
    config.capabilities.cancellable = {Action::reboot};
    config.declared["sim-k8s"] = declared;
    config.weather.late_by = seconds{30};
    world = std::make_unique<World>(config, clock.now(), journal);
    service = std::make_unique<Service>(*world, clock);
    server = net::Server::start({}, [this](const net::Request& request) { return service->handle(request); }).value();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server->port()); }
  void pass(Duration time) {
    service->with_world([&](World&) { clock.advance(time); });
    service->tick();
  }
};

class SocketSchedulerLab final : public SchedulerLab {
 public:
  explicit SocketSchedulerLab(const SchedulerCapabilities& declared)
      : served_(true, false, declared),
        ours_(served_.url(), "sim-k8s", "installation-1", declared),
        theirs_(served_.url(), "sim-k8s", "installation-2", declared) {}
  Scheduler& scheduler() override { return ours_; }
  Scheduler& of_another_installation() override { return theirs_; }
  std::string node() override { return "gpu-003"; }
  Duration soon() override { return seconds{10}; }
  void start_work(bool protected_) override {
    served_.service->with_world([&](World& w) { ASSERT_TRUE(w.start_job("sim-k8s", node(), hours{9}, protected_)); });
  }
  bool start_light_work() override {
    bool started = false;
    served_.service->with_world(
        [&](World& w) { started = w.start_job("sim-k8s", node(), hours{9}, true, true).has_value(); });
    return started;
  }
  void cordon_as_somebody() override {
    served_.service->with_world([&](World& w) { ASSERT_TRUE(w.cordon("sim-k8s", node(), "alice")); });
  }
  void uncordon_as_somebody() override {
    served_.service->with_world([&](World& w) { ASSERT_TRUE(w.uncordon("sim-k8s", node(), "alice")); });
  }
  void wait_until_left() override { served_.pass(minutes{5}); }
  bool delay_next_request() override {
    served_.service->with_world([](World& world) { world.next_fate(Fate::late); });
    return true;
  }
  void wait_until_arrived() override { served_.pass(minutes{1}); }
  void let_views_age() override { served_.pass(seconds{21}); }
  void break_connection() override { served_.server->stop(); }

 private:
  Served served_;
  adapters::SimulatedScheduler ours_, theirs_;
};

class SocketProviderLab final : public ProviderLab {
 public:
  SocketProviderLab(bool dedup, bool fenced) : served_(dedup, fenced) {}
  Provider& provider() override { return provider_; }
  std::string node() override { return "gpu-003"; }
  std::string boot() override {
    return served_.service->with_world([&](World& world) { return world.state().nodes.at(node()).boot; });
  }
  Duration soon() override { return seconds{10}; }
  std::size_t effects() override {
    return served_.service->with_world([&](World&) {
      return static_cast<std::size_t>(std::ranges::count(served_.journal.entries, What::begin, &Entry::what));
    });
  }
  void wait_until_done() override { served_.pass(minutes{30}); }
  void lose_next_reply() override {
    served_.service->with_world([](World& world) { world.next_fate(Fate::lose_reply); });
  }
  void queue_next_start() override {
    served_.service->with_world([](World& world) { world.latencies().queue = seconds{20}; });
  }
  void break_connection() override { served_.server->stop(); }

 private:
  Served served_;
  adapters::SimulatedProvider provider_{served_.url()};
};

INSTANTIATE_TEST_SUITE_P(SimulatedOverSocket, SchedulerContract,
                         testing::ValuesIn(scheduler_cases<SocketSchedulerLab>()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(
    SimulatedOverSocket, ProviderContract,
    testing::Values(ProviderKind{"Dedup", [] { return std::make_unique<SocketProviderLab>(true, false); }},
                    ProviderKind{"Fenced", [] { return std::make_unique<SocketProviderLab>(false, true); }},
                    ProviderKind{"Neither", [] { return std::make_unique<SocketProviderLab>(false, false); }}),
    [](const auto& info) { return info.param.name; });

TEST(Service, AMalformedOrderIsRefusedWithTheField) {
  Served served;
  const auto answer = clients::call([&] {
    clients::HttpRequest request;
    request.method = "POST";
    request.url = served.url() + "/v1/demo/fault";
    request.body = R"({"node": "gpu-001", "flaut": "xid-79"})";
    return request;
  }());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 400);
  EXPECT_NE(answer->body.find("flaut"), std::string::npos);
}

}  // namespace
}  // namespace sickbay::conformance
