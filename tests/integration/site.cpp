#include "site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "clients/http.hpp"
#include "rules/faults.hpp"
#include "simworld/journal_file.hpp"

namespace sickbay::integration {

namespace {

const std::string kPrograms = std::string(SICKBAY_BINARY_DIR) + "/apps/";
const std::string kCluster = "/v1/compute/clusters/demo";

Result<json::value> call(const std::string& method, const std::string& url, const std::string& token,
                         const json::value& body, Duration timeout) {
  clients::HttpRequest request;
  request.method = method;
  request.url = url;
  request.bearer = token;
  request.timeout = timeout;
  if (method != "GET") {
    request.headers = {{"Content-Type", "application/json"}};
    request.body = body.is_null() ? "{}" : json::serialize(body);
  }
  SICKBAY_ASSIGN(const clients::HttpAnswer answer, clients::call(request));
  if (answer.status / 100 == 2) return parse_json(answer.body);
  const Errc code = answer.status >= 500 ? Errc::unavailable : Errc::refused;
  return fail(code, fmt::format("{} {}: {} {}", method, url, answer.status, answer.body));
}

void pause() {
  std::this_thread::sleep_for(milliseconds{100});
}  // between two looks at programs in real time

}  // namespace

Site::Site(const SiteOptions& options) : options_(options), world_port_(free_port()), servers_(options.servers) {
  for (Server& server : servers_) server.port = free_port();
  std::ofstream(directory_ / "server.yaml") << fmt::format(
      "clusters:\n  - name: demo\n    simulated: {{url: \"http://127.0.0.1:{}\"}}\nheartbeat: 2s\n"
      "engine: {{dispatch_window: 3s, call_timeout: 2s, observe_grace: 3s}}\n",
      world_port_);
  start_world();
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

void Site::start_world() {
  world_ = Program({kPrograms + "sickbay-simworld",
                    "--listen",
                    fmt::format("127.0.0.1:{}", world_port_),
                    "--journal",
                    journal_file(),
                    "--nodes",
                    std::to_string(options_.nodes),
                    "--spares",
                    std::to_string(options_.spares),
                    "--capability",
                    options_.capability,
                    "--reboot",
                    "2s",
                    "--power-cycle",
                    "2s",
                    "--reprovision",
                    "2s",
                    "--migrate",
                    "3s",
                    "--remove",
                    "2s",
                    "--drain-grace",
                    "2s",
                    "--job-every",
                    format_duration(options_.job_every),
                    "--job-length",
                    "8s",
                    "--server",
                    fmt::format("http://127.0.0.1:{}", servers_[0].port),
                    "--cluster",
                    "demo",
                    "--admin-token-file",
                    directory_ / "server-0/admin-token",
                    "--agents",
                    directory_ / "agents"},
                   directory_ / "world.log");
}

void Site::start(std::size_t n) {
  std::vector<std::string> arguments{kPrograms + "sickbay-server",
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
    if (std::chrono::steady_clock::now() > until || !world_.is_running()) {
      directory_.keep();
      throw std::runtime_error(fmt::format("waited in vain for {}\n{}", what, last_words()));
    }
    pause();
  }
}

Result<json::value> Site::ask_one(std::size_t server, const std::string& method, const std::string& path,
                                  const json::value& body, Duration timeout) {
  return call(method, fmt::format("http://127.0.0.1:{}{}", servers_[server].port, path), token_, body, timeout);
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

Result<json::value> Site::ask_world(const std::string& method, const std::string& path, const json::value& body) {
  return call(method, fmt::format("http://127.0.0.1:{}{}", world_port_, path), "", body, seconds{5});
}

Status Site::fault(const std::string& node, const std::string& kind, std::uint32_t gpu) {
  SICKBAY_CHECK(ask_world("POST", "/v1/demo/fault", json::object{{"node", node}, {"fault", kind}, {"gpu", gpu}}));
  return {};
}

Status Site::weather(const simworld::Weather& weather) {
  SICKBAY_CHECK(ask_world("POST", "/v1/demo/weather", to_json(weather)));
  return {};
}

Result<std::map<std::string, std::string>> Site::marks() {
  SICKBAY_ASSIGN(const json::value state, ask_world("GET", "/v1/state"));
  std::map<std::string, std::string> marks;
  for (const json::value& node : state.at("nodes").as_array()) {
    if (node.at("removed").as_bool()) continue;  // taken out for good, and its mark with it
    for (const json::value& in : node.at("in").as_array()) {
      if (in.at("mark").is_null()) continue;
      const std::string place = fmt::format("{}/{}", std::string_view(node.at("name").as_string()),
                                            std::string_view(in.at("scheduler").as_string()));
      marks[place] = std::string(in.at("mark").as_string());
    }
  }
  return marks;
}

std::vector<simworld::Entry> Site::journal() const {
  auto entries = simworld::read_journal(journal_file());
  return entries ? std::move(*entries) : std::vector<simworld::Entry>{};
}

bool Site::journal_is_clean(std::string& said) {
  const std::string out = directory_ / "check-journal.log";
  std::filesystem::remove(out);
  Program check({kPrograms + "sickbay-simworld", "check-journal", journal_file()}, out);
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
