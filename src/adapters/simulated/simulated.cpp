// The simulated world's protocol: JSON over HTTP (src/simworld/service.hpp has the other side).
#include "adapters/simulated/simulated.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "clients/http.hpp"
#include "model/json.hpp"

namespace sickbay::adapters {

namespace {

using clients::HttpRequest;

constexpr std::size_t kLargestList = 512U << 20;  // 100,000 nodes with a few kilobytes each

Result<std::string> ask(const std::string& url, Duration timeout, const json::value* body,
                        std::size_t most = 1U << 20) {
  HttpRequest request;
  request.max_answer = most;
  request.url = url;
  request.timeout = timeout;
  if (body) {
    request.method = "POST";
    request.headers = {{"Content-Type", "application/json"}};
    request.body = json::serialize(*body);
  }
  SICKBAY_ASSIGN(clients::HttpAnswer answer, clients::call(request));
  if (answer.status == 200) return std::move(answer.body);
  return fail(Errc::unknown_outcome, fmt::format("{} answered {}: {}", url, answer.status,
                                                 truncate_utf8(to_utf8(answer.body.substr(0, 300)), 300)));
}

template <class T>
Result<T> read(const std::string& url, Duration timeout, std::size_t most = 1U << 20) {
  SICKBAY_ASSIGN(const std::string text, ask(url, timeout, nullptr, most));
  return from_json_text<T>(text, Reading::complete);
}

// A call that may change the world: an answer we cannot read tells nothing about what became of it.
Reply send(const std::string& url, Duration timeout, const json::value& body) {
  const auto text = ask(url, timeout, &body);
  if (!text) {
    const Answer answer = text.error().code == Errc::unknown_outcome ? Answer::unknown : Answer::not_sent;
    return {answer, "", text.error().message, {}};
  }
  const auto reply = from_json_text<Reply>(*text, Reading::complete);
  return reply ? *reply : Reply{Answer::unknown, "", reply.error().message, {}};
}

// Whether a name may stand in a path as it is.
bool is_plain(std::string_view name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") ==
                              std::string_view::npos;
}

}  // namespace

Reply SimulatedScheduler::send(const Operation& operation, OperationKind kind, Duration timeout) {
  Operation sent = operation;
  sent.kind = kind;
  sent.adapter = name_;
  return adapters::send(url_ + "/v1/hold", timeout,
                        json::object{{"installation", installation_}, {"operation", to_json(sent)}});
}

Reply SimulatedScheduler::cordon(const Operation& operation, Duration timeout) {
  return send(operation, OperationKind::cordon, timeout);
}
Reply SimulatedScheduler::uncordon(const Operation& operation, Duration timeout) {
  return send(operation, OperationKind::uncordon, timeout);
}
Reply SimulatedScheduler::drain(const Operation& operation, Duration timeout) {
  return send(operation, OperationKind::drain, timeout);
}

NodeStatus SimulatedScheduler::observe(std::string_view node_name, Duration timeout) {
  NodeStatus failed;
  failed.name = node_name;
  if (!is_plain(node_name)) {
    failed.error = fmt::format("'{}' is no name of a node", node_name);
    return failed;
  }
  const std::string url =
      fmt::format("{}/v1/schedulers/{}/nodes/{}?installation={}", url_, name_, node_name, installation_);
  auto seen = read<NodeStatus>(url, timeout);
  if (seen) return *seen;
  failed.error = seen.error().message;
  return failed;
}

Result<std::vector<NodeStatus>> SimulatedScheduler::list(Duration timeout) {
  return read<std::vector<NodeStatus>>(
      fmt::format("{}/v1/schedulers/{}/nodes?installation={}", url_, name_, installation_), timeout, kLargestList);
}

Result<ProviderCapabilities> SimulatedProvider::capabilities(Duration timeout) {
  return read<ProviderCapabilities>(url_ + "/v1/provider/capabilities", timeout);
}

Reply SimulatedProvider::start(const Operation& operation, Duration timeout) {
  return send(url_ + "/v1/provider/start", timeout, to_json(operation));
}

Reply SimulatedProvider::cancel(const Operation& operation, Duration timeout) {
  return send(url_ + "/v1/provider/cancel", timeout, to_json(operation));
}

OperationView SimulatedProvider::observe(const Operation& operation, Duration timeout) {
  const std::string id = is_plain(operation.id) ? operation.id : "-";
  const auto view = read<OperationView>(url_ + "/v1/provider/operations/" + id, timeout);
  return view ? *view : OperationView{Progress::unreadable, view.error().message, ""};
}

Result<std::vector<ListedHost>> SimulatedProvider::hosts(Duration timeout) {
  return read<std::vector<ListedHost>>(url_ + "/v1/provider/hosts", timeout, kLargestList);
}

}  // namespace sickbay::adapters
