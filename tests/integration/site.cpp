#include "site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "rules/faults.hpp"

namespace sickbay::integration {

namespace {

const std::string kCluster = "/v1/compute/clusters/demo";

void pause() {
  std::this_thread::sleep_for(milliseconds{100});
}  // between two looks at programs in real time

}  // namespace

Site::Site(const SiteOptions& options) : options_(options), servers_(options.servers) {
  for (Server& server : servers_) server.port = free_port();
  world_.emplace(directory_, WorldOptions{.capability = options.capability,
                                          .nodes = options.nodes,
                                          .spares = options.spares,
                                          .job_every = options.job_every,
                                          .server = fmt::format("http://127.0.0.1:{}", servers_[0].port),
                                          .admin_token_file = directory_ / "server-0/admin-token"});
  std::ofstream(directory_ / "server.yaml") << fmt::format(
      "clusters:\n  - name: demo\n    simulated: {{url: \"{}\"}}\nheartbeat: 2s\n"
      "engine: {{dispatch_window: 3s, call_timeout: 2s, observe_grace: 3s}}\n",
      world_->url());
  start(0);
  wait_for("the first admin's token", [&] {
    token_ = contents(directory_ / "server-0/admin-token");
    while (!token_.empty() && token_.back() == '\n') token_.pop_back();
    return !token_.empty();
  });
  for (std::size_t n = 1; n < servers_.size(); ++n) start(n);
  for (std::size_t n = 0; n < servers_.size(); ++n) {
    wait_for("a server that is ready", [&] { return ask_one(n, "GET", "/readyz", nullptr, seconds{2}).has_value(); });
  }
  wait_for("every node's agent", [&] {
    const auto seen = nodes();
    return seen && seen->size() == options_.nodes &&
           std::ranges::none_of(*seen, [](const NodeSeen& node) { return node.boot_id.empty(); });
  });
}

void Site::start(std::size_t n) {
  std::vector<std::string> arguments{program_file("sickbay-server"),
                                     "--data",
                                     directory_ / fmt::format("server-{}", n),
                                     "--listen",
                                     fmt::format("127.0.0.1:{}", servers_[n].port),
                                     "--config",
                                     directory_ / "server.yaml"};
  if (!options_.database.empty()) arguments.insert(arguments.end(), {"--database", options_.database});
  servers_[n].program = Program(arguments, directory_ / fmt::format("server-{}.log", n),
                                {{"SICKBAY_TEST_STOP_BEFORE_SEND", stop_file(n)}});
}

void Site::wait_for(const std::string& what, const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + minutes{1};
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until || !world().is_running()) {
      directory_.keep();
      throw std::runtime_error(fmt::format("waited in vain for {}\n{}", what, last_words()));
    }
    pause();
  }
}

Result<json::value> Site::ask_one(std::size_t server, const std::string& method, const std::string& path,
                                  const json::value& body, Duration timeout) {
  return call_http(method, fmt::format("http://127.0.0.1:{}{}", servers_[server].port, path), token_, body, timeout);
}

Result<json::value> Site::ask(const std::string& method, const std::string& path, const json::value& body,
                              Duration within) {
  const auto until = std::chrono::steady_clock::now() + within;
  while (true) {
    Result<json::value> last = fail(Errc::unavailable, "no server runs");
    for (std::size_t n = 0; n < servers_.size(); ++n) {
      if (!servers_[n].program.is_running() || servers_[n].program.is_stopped()) continue;
      last = ask_one(n, method, path, body, seconds{5});
      if (last || last.error().code == Errc::refused || last.error().code == Errc::invalid) return last;
    }
    if (std::chrono::steady_clock::now() > until) return last;
    pause();
  }
}

Result<std::vector<NodeSeen>> Site::nodes(Duration within) {
  SICKBAY_ASSIGN(const json::value answer, ask("GET", kCluster + "/nodes?page_size=500", nullptr, within));
  return from_json<std::vector<NodeSeen>>(answer.at("nodes"));
}

Status Site::put_policy(const Policy& policy) {
  SICKBAY_CHECK(ask("PUT", kCluster + "/policy", json::object{{"policy", to_json(policy)}, {"comment", "a test's"}}));
  return {};
}

Status Site::decide(const std::string& repair, const std::string& what, const json::value& body) {
  SICKBAY_CHECK(ask("POST", fmt::format("{}/instances/-/remediations/{}/{}", kCluster, repair, what), body));
  return {};
}

Status Site::weather(const simworld::Weather& weather) {
  SICKBAY_CHECK(world_->ask("POST", "/v1/demo/weather", to_json(weather)));
  return {};
}

bool Site::journal_is_clean(std::string& said) {
  const std::string out = directory_ / "check-journal.log";
  std::filesystem::remove(out);
  Program check({program_file("sickbay-simworld"), "check-journal", journal_file()}, out);
  wait_for("the checker", [&] { return !check.is_running(); });
  said = contents(out);
  return check.exit_code() == 0;
}

std::string Site::last_words() const {
  std::string words;
  for (const auto& file : std::filesystem::directory_iterator(directory_.path())) {
    if (file.path().extension() != ".log") continue;
    const std::string text = contents(file.path().string());
    words += fmt::format("--- {}\n{}\n", file.path().filename().string(),
                         text.substr(text.size() - std::min<std::size_t>(text.size(), 2000)));
  }
  return words;
}

Policy hasty_policy() {
  Policy policy;
  policy.confirmation = Confirmation::automatic;
  policy.limits.slots_per_pool = policy.limits.slots_per_cluster.emplace(100);
  policy.limits.out_of_service_percent = 100;
  policy.limits.cooldown = seconds{0};
  policy.breaker = {.approvals_percent = 100, .unhealthy_percent = 100};
  policy.wait.at_most = seconds{20};
  policy.wait.drain_deadline = seconds{30};
  policy.wait.force_drain_after_deadline = true;
  policy.deadlines = {.reboot = minutes{1},
                      .other_actions = minutes{1},
                      .verify = minutes{1},
                      .verify_quiet = seconds{2},
                      .auto_resolve = seconds{20}};
  policy.faults = rules::default_faults().rules;
  for (FaultRule& rule : policy.faults) rule.holds_for = std::min<Duration>(rule.holds_for, seconds{1});
  return policy;
}

}  // namespace sickbay::integration
