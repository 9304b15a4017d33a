// One real server with two clusters of one kind, each with a simulated world of its own: the same adapter names and the
// same node names in both, schedulers that are told apart by kind and not by name, one world that stands still, and a
// configuration that is changed while the server runs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <thread>

#include "running_world.hpp"
#include "site.hpp"

namespace sickbay::integration {
namespace {

using simworld::What;
using std::chrono::steady_clock;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// What the API shows, as far as these tests care.
struct AlertSeen {
  std::string id;
  Fault fault;
  Action action = Action::none;
  AlertState state = AlertState::pending;
  BOOST_DESCRIBE_CLASS(AlertSeen, (), (id, fault, action, state), (), ())
};
struct RemediationSeen {
  std::string id, instance_name;
  RepairState state = RepairState::PENDING_APPROVAL;
  BOOST_DESCRIBE_CLASS(RemediationSeen, (), (id, instance_name, state), (), ())
};

std::string simulated(const std::string& name, RunningWorld& world) {
  return fmt::format("  - name: {}\n    simulated: {{url: \"{}\"}}\n", name, world.url());
}

class TwoClusters : public testing::Test {
 protected:
  TwoClusters() : port_(free_port()) {}
  void TearDown() override {
    if (!HasFailure()) return;
    for (const char* log : {"server.log", "east-world.log", "west-world.log"}) {
      const std::string text = contents(directory_ / log);
      std::cout << "--- " << log << "\n" << text.substr(text.size() - std::min<std::size_t>(text.size(), 3000)) << "\n";
    }
    directory_.keep();
  }

  RunningWorld world_of(const std::string& cluster) {
    return RunningWorld(directory_, {.cluster = cluster,
                                     .nodes = 8,
                                     .spares = 2,
                                     .server = fmt::format("http://127.0.0.1:{}", port_),
                                     .admin_token_file = directory_ / "data/admin-token"});
  }
  std::string config() const { return directory_ / "server.yaml"; }
  void configure(const std::string& clusters, const std::string& heartbeat = "2s") const {
    std::ofstream(config()) << "clusters:\n"
                            << clusters << "heartbeat: " << heartbeat
                            << "\nengine: {dispatch_window: 3s, call_timeout: 2s, observe_grace: 3s}\n";
  }
  void start() {
    server_ = Program({program_file("sickbay-server"), "--data", directory_ / "data", "--listen",
                       fmt::format("127.0.0.1:{}", port_), "--config", config()},
                      directory_ / "server.log");
    wait_for("the server", [&] {
      token_ = contents(directory_ / "data/admin-token");
      while (!token_.empty() && token_.back() == '\n') token_.pop_back();
      return !token_.empty() && ask("GET", "/readyz").has_value();
    });
  }
  void reload() { server_.send(SIGHUP); }

  void wait_for(const std::string& what, const std::function<bool()>& holds, Duration within = seconds{90}) {
    const auto until = steady_clock::now() + within;
    while (!holds()) {
      ASSERT_LT(steady_clock::now(), until) << "waited in vain for " << what;
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
  }
  void wait_for_agents(const std::string& cluster, const std::string& except = "") {
    wait_for("the agents of " + cluster, [&] {
      const auto seen = nodes(cluster);
      return seen.size() == 8 && std::ranges::none_of(seen, [&](const NodeSeen& node) {
               return node.boot_id.empty() && node.name != except;
             });
    });
  }

  Result<json::value> ask(const std::string& method, const std::string& path, const json::value& body = nullptr) {
    return call_http(method, fmt::format("http://127.0.0.1:{}{}", port_, path), token_, body, seconds{5});
  }
  template <class T>
  std::vector<T> list(const std::string& cluster, const std::string& what, const std::string& member) {
    const auto answer = ask("GET", fmt::format("/v1/compute/clusters/{}/{}", cluster, what));
    if (!answer) return {};
    auto all = from_json<std::vector<T>>(answer->at(member));
    EXPECT_TRUE(all) << (all ? "" : all.error().message);
    return all ? *all : std::vector<T>{};
  }
  std::vector<NodeSeen> nodes(const std::string& cluster) { return list<NodeSeen>(cluster, "nodes", "nodes"); }
  std::vector<RemediationSeen> repairs(const std::string& cluster) {
    return list<RemediationSeen>(cluster, "instances/-/remediations", "remediations");
  }
  std::optional<AlertSeen> alert(const std::string& cluster, const std::string& node, const std::string& name) {
    for (const AlertSeen& each : list<AlertSeen>(cluster, "alerts?node=" + node, "alerts")) {
      if (each.fault.name == name) return each;
    }
    return std::nullopt;
  }
  void put_policy(const std::string& cluster, const Policy& policy) {
    const auto put = ask("PUT", fmt::format("/v1/compute/clusters/{}/policy", cluster),
                         json::object{{"policy", to_json(policy)}, {"comment", "a test's"}});
    ASSERT_TRUE(put) << put.error().message;
  }
  // Approves what waits for it: policy would, but only a minute after the first alert.
  void approve_all(const std::string& cluster) {
    for (const RemediationSeen& repair : repairs(cluster)) {
      if (repair.state != RepairState::PENDING_APPROVAL) continue;
      (void)ask("POST", fmt::format("/v1/compute/clusters/{}/instances/-/remediations/{}/approve", cluster, repair.id),
                json::object{{"comment", "go on"}});  // refused where it has changed meanwhile: the next look sees it
    }
  }
  void wait_for_success(const std::string& cluster, const std::string& node) {
    wait_for(fmt::format("the repair of {} in {} to succeed", node, cluster), [&] {
      approve_all(cluster);
      return std::ranges::any_of(repairs(cluster), [&](const RemediationSeen& repair) {
        return repair.instance_name == node && repair.state == RepairState::SUCCEEDED;
      });
    });
  }

  struct Said {
    int code = -1;
    std::string text;
  };
  // One of our programs, to its end.
  Said run(std::vector<std::string> arguments) {
    const std::string out = directory_ / fmt::format("run-{}.out", ++runs_);
    arguments.front() = program_file(arguments.front());
    Program program(arguments, out,
                    {{"SICKBAY_SERVER", fmt::format("http://127.0.0.1:{}", port_)},
                     {"SICKBAY_TOKEN", token_},
                     {"HOME", directory_.path()}});
    wait_for(arguments.front() + " to end", [&] { return !program.is_running(); });
    return {program.exit_code().value_or(-1), contents(out)};
  }
  void expect_clean(const RunningWorld& world) {
    const Said said = run({"sickbay-simworld", "check-journal", world.journal_file()});
    EXPECT_EQ(said.code, 0) << said.text;
  }
  std::string log() const { return contents(directory_ / "server.log"); }

  Directory directory_;
  std::uint16_t port_;
  std::string token_;
  Program server_;
  int runs_ = 0;
};

// The schedulers of our marks on a node, in the order in which they were set or taken away.
std::vector<std::string> schedulers_of(const RunningWorld& world, What what, const std::string& node) {
  std::vector<std::string> order;
  for (const simworld::Entry& entry : world.journal()) {
    if (entry.what == what && entry.node == node) order.push_back(entry.scheduler);
  }
  return order;
}

// Requests and effects of operations on a node.
std::size_t operations_on(const RunningWorld& world, const std::string& node) {
  const auto entries = world.journal();
  return static_cast<std::size_t>(std::ranges::count_if(
      entries, [&](const simworld::Entry& entry) { return entry.node == node && !entry.operation.empty(); }));
}

// The first node of a world that exactly these schedulers have.
std::string node_in(RunningWorld& world, const std::vector<std::string>& schedulers) {
  const auto state = world.ask("GET", "/v1/state");
  if (!state) return "";
  for (const json::value& node : state->at("nodes").as_array()) {
    std::vector<std::string> in;
    for (const json::value& each : node.at("in").as_array()) in.emplace_back(each.at("scheduler").as_string());
    if (in == schedulers) return std::string(node.at("name").as_string());
  }
  return "";
}

TEST_F(TwoClusters, ARepairInOneLeavesTheNodeOfTheSameNameInTheOtherAlone) {
  RunningWorld east = world_of("east"), west = world_of("west");
  configure(simulated("east", east) + simulated("west", west));
  start();
  for (const char* cluster : {"east", "west"}) {
    wait_for_agents(cluster);
    put_policy(cluster, hasty_policy());
    ASSERT_FALSE(HasFatalFailure());
  }
  ASSERT_EQ(node_in(east, {"sim-k8s", "sim-slurm"}), "gpu-000");
  ASSERT_TRUE(east.fault("gpu-000", "xid-119", 0));
  ASSERT_TRUE(west.fault("gpu-001", "xid-119", 0));
  wait_for_success("east", "gpu-000");
  wait_for_success("west", "gpu-001");

  EXPECT_GT(operations_on(east, "gpu-000"), 0U);
  EXPECT_GT(operations_on(west, "gpu-001"), 0U);
  EXPECT_EQ(operations_on(east, "gpu-001"), 0U) << "west's repair has touched east's node";
  EXPECT_EQ(operations_on(west, "gpu-000"), 0U) << "east's repair has touched west's node";
  EXPECT_EQ(repairs("east").size(), 1U);
  EXPECT_EQ(repairs("west").size(), 1U);
  // The node that two schedulers have was cordoned in both, and given back by the last first.
  auto marked = schedulers_of(east, What::mark, "gpu-000");
  EXPECT_THAT(marked, UnorderedElementsAre("sim-k8s", "sim-slurm"));
  std::ranges::reverse(marked);
  EXPECT_EQ(schedulers_of(east, What::unmark, "gpu-000"), marked);
  expect_clean(east);
  expect_clean(west);
}

TEST_F(TwoClusters, ADownNodeIsAnAlertOfItsSchedulersKindWhateverTheAdapterIsCalled) {
  RunningWorld east = world_of("east"), west = world_of("west");
  const std::string renamed = fmt::format(
      "  - name: west\n    schedulers:\n"
      "      - {{name: slurmless, kind: simulated, as: kubernetes, url: \"{0}\", scheduler: sim-k8s}}\n"
      "      - {{name: prod, kind: simulated, as: slurm, url: \"{0}\", scheduler: sim-slurm}}\n"
      "    provider: {{name: machines, kind: simulated, url: \"{0}\"}}\n",
      west.url());
  configure(simulated("east", east) + renamed);
  start();
  wait_for_agents("east");
  wait_for_agents("west");
  ASSERT_FALSE(HasFatalFailure());
  const std::string in_slurm = node_in(east, {"sim-slurm"}), in_kubernetes = node_in(east, {"sim-k8s"});
  ASSERT_FALSE(in_slurm.empty() || in_kubernetes.empty());
  for (RunningWorld* world : {&east, &west}) {
    for (const std::string& node : {in_slurm, in_kubernetes}) {
      ASSERT_TRUE(world->ask("POST", "/v1/demo/die", json::object{{"node", node}}));
    }
  }
  configure(simulated("east", east) + renamed, "3s");  // every scheduler is listed when the configuration has changed
  reload();
  for (const std::string cluster : {"east", "west"}) {
    wait_for("an alert of each kind", [&] {
      return alert(cluster, in_slurm, "SlurmNodeUnavailable") && alert(cluster, in_kubernetes, "KubeNodeNotReady");
    });
    ASSERT_FALSE(HasFatalFailure());
    const auto slurm = alert(cluster, in_slurm, "SlurmNodeUnavailable");
    const auto kubernetes = alert(cluster, in_kubernetes, "KubeNodeNotReady");
    EXPECT_EQ(slurm->action, Action::none);
    EXPECT_EQ(slurm->state, AlertState::pending);
    EXPECT_EQ(kubernetes->action, Action::reboot);
    EXPECT_EQ(kubernetes->state, AlertState::pending);
    EXPECT_FALSE(alert(cluster, in_slurm, "KubeNodeNotReady"));
    EXPECT_FALSE(alert(cluster, in_kubernetes, "SlurmNodeUnavailable"));
  }
}

TEST_F(TwoClusters, AWorldThatStandsStillKeepsTheOtherClusterFromNothing) {
  RunningWorld east = world_of("east"), west = world_of("west");
  configure(simulated("east", east) + simulated("west", west));
  start();
  Policy patient = hasty_policy();
  patient.wait.at_most = minutes{5};
  for (const char* cluster : {"east", "west"}) {
    wait_for_agents(cluster);
    put_policy(cluster, patient);
    ASSERT_FALSE(HasFatalFailure());
  }
  const std::string node = node_in(east, {"sim-k8s"});
  ASSERT_TRUE(east.ask("POST", "/v1/demo/job", json::object{{"node", node}, {"seconds", 20}}));
  ASSERT_TRUE(east.fault(node, "xid-119", 0));
  wait_for("east's repair to wait for the job", [&] {
    approve_all("east");
    return std::ranges::any_of(nodes("east"), [&](const NodeSeen& each) {
      return each.name == node && each.repair && each.repair->state == "QUARANTINED";
    });
  });
  ASSERT_FALSE(HasFatalFailure());
  east.program().send(SIGSTOP);

  ASSERT_TRUE(west.fault("gpu-002", "xid-119", 0));
  wait_for(
      "west's alert",
      [&] {
        const auto seen = alert("west", "gpu-002", "DmesgXidError");
        return seen && seen->state == AlertState::firing;
      },
      seconds{15});
  Said why;
  wait_for("the node to say that its scheduler cannot be reached", [&] {
    why = run({"sickbay", "--cluster", "east", "nodes", "why", node});
    return why.text.find("sim-k8s cannot be reached since ") != std::string::npos;
  });
  EXPECT_EQ(why.code, 0) << why.text;
  wait_for_success("west", "gpu-002");
  ASSERT_TRUE(east.program().is_stopped());

  east.program().send(SIGCONT);
  wait_for_success("east", node);
  const auto journal = east.journal();
  EXPECT_EQ(
      std::ranges::count_if(
          journal, [](const simworld::Entry& e) { return e.what == What::begin && e.kind == OperationKind::act; }),
      1);
  EXPECT_THAT(schedulers_of(east, What::mark, node), ElementsAre("sim-k8s"));
  EXPECT_THAT(schedulers_of(east, What::unmark, node), ElementsAre("sim-k8s"));
  expect_clean(east);
  expect_clean(west);
}

TEST_F(TwoClusters, SighupTakesInAClusterAndABrokenFileChangesNothing) {
  RunningWorld east = world_of("east"), west = world_of("west");
  configure(simulated("east", east));
  start();
  wait_for_agents("east");
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_TRUE(nodes("west").empty());

  configure(simulated("east", east) + simulated("west", west));
  const Said good = run({"sickbay-server", "--check", "--config", config()});
  EXPECT_EQ(good.code, 0) << good.text;
  EXPECT_THAT(good.text, HasSubstr("cluster west: scheduler sim-k8s"));
  reload();
  wait_for_agents("west");
  ASSERT_FALSE(HasFatalFailure());

  configure(simulated("east", east) + "  - name: west\n    simulatd: {}\n");
  const Said broken = run({"sickbay-server", "--check", "--config", config()});
  EXPECT_EQ(broken.code, 2) << broken.text;
  EXPECT_THAT(broken.text, HasSubstr("server.yaml:5: "));
  reload();
  wait_for("the log to say where the file is wrong", [&] {
    return log().find("server.yaml:5: 'clusters[1].simulatd' is not known here") != std::string::npos &&
           log().find("the configuration in use stays as it was") != std::string::npos;
  });
  put_policy("west", hasty_policy());
  ASSERT_TRUE(west.fault("gpu-001", "xid-119", 0));
  wait_for_success("west", "gpu-001");  // its adapters are still those of the good file
  EXPECT_TRUE(server_.is_running());
}

}  // namespace
}  // namespace sickbay::integration
