// Starts the world's program with effects that take seconds, and speaks to it.
#include "running_world.hpp"

#include <fmt/format.h>

#include "clients/http.hpp"
#include "simworld/journal_file.hpp"

namespace sickbay::integration {

Result<json::value> call_http(const std::string& method, const std::string& url, const std::string& token,
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

std::string program_file(const std::string& name) {
  return std::string(SICKBAY_BINARY_DIR) + "/apps/" + name;
}

RunningWorld::RunningWorld(const Directory& directory, const WorldOptions& options)
    : port_(free_port()), journal_(directory / (options.cluster + ".jsonl")) {
  program_ = Program({program_file("sickbay-simworld"),
                      "--listen",
                      fmt::format("127.0.0.1:{}", port_),
                      "--journal",
                      journal_,
                      "--nodes",
                      std::to_string(options.nodes),
                      "--spares",
                      std::to_string(options.spares),
                      "--serials",
                      options.cluster,
                      "--capability",
                      options.capability,
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
                      format_duration(options.job_every),
                      "--job-length",
                      "8s",
                      "--server",
                      options.server,
                      "--cluster",
                      options.cluster,
                      "--admin-token-file",
                      options.admin_token_file,
                      "--agents",
                      directory / (options.cluster + ".agents")},
                     directory / (options.cluster + "-world.log"));
}

std::string RunningWorld::url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

Result<json::value> RunningWorld::ask(const std::string& method, const std::string& path, const json::value& body) {
  return call_http(method, url() + path, "", body, seconds{5});
}

Status RunningWorld::fault(const std::string& node, const std::string& kind, std::uint32_t gpu) {
  SICKBAY_CHECK(ask("POST", "/v1/demo/fault", json::object{{"node", node}, {"fault", kind}, {"gpu", gpu}}));
  return {};
}

Result<std::map<std::string, std::string>> RunningWorld::marks() {
  SICKBAY_ASSIGN(const json::value state, ask("GET", "/v1/state"));
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

std::vector<simworld::Entry> RunningWorld::journal() const {
  auto entries = simworld::read_journal(journal_);
  return entries ? std::move(*entries) : std::vector<simworld::Entry>{};
}

}  // namespace sickbay::integration
