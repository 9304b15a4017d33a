// The simulated world's protocol: JSON over HTTP (src/simworld/service.hpp has the other side).
#include "adapters/simulated/simulated.hpp"

#include <fmt/core.h>

#include "clients/http.hpp"
#include "model/json.hpp"

namespace sickbay::adapters {

namespace {

using clients::HttpRequest;

Result<std::string> ask(const Clock& clock, const std::string& url, Duration deadline, const json::value* body) {
  HttpRequest request;
  request.url = url;
  request.timeout = deadline - clock.steady();
  if (body) {
    request.method = "POST";
    request.headers = {{"Content-Type", "application/json"}};
    request.body = json::serialize(*body);
  }
  SICKBAY_ASSIGN(clients::HttpAnswer answer, clients::call(request));
  if (answer.status == 200) return std::move(answer.body);
  return fail(Errc::unknown_outcome, fmt::format("{} answered {}: {}", url, answer.status, answer.body.substr(0, 300)));
}

template <class T>
Result<T> read(const Clock& clock, const std::string& url, Duration deadline) {
  SICKBAY_ASSIGN(const std::string text, ask(clock, url, deadline, nullptr));
  return from_json_text<T>(text);
}

// A call that may change the world: an answer we cannot read tells nothing about what became of it.
Reply send(const Clock& clock, const std::string& url, Duration deadline, const json::value& body) {
  const auto text = ask(clock, url, deadline, &body);
  if (!text) {
    const Answer answer = text.error().code == Errc::unknown_outcome ? Answer::unknown : Answer::not_sent;
    return {answer, "", text.error().message};
  }
  const auto reply = from_json_text<Reply>(*text);
  return reply ? *reply : Reply{Answer::unknown, "", reply.error().message};
}

// Whether a name may stand in a path as it is.
bool is_plain(std::string_view name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") ==
                              std::string_view::npos;
}

}  // namespace

Reply SimulatedScheduler::send(const Operation& operation, OperationKind kind, Duration deadline) {
  Operation sent = operation;
  sent.kind = kind;
  sent.adapter = name_;
  return adapters::send(clock_, url_ + "/v1/hold", deadline,
                        json::object{{"installation", installation_}, {"operation", to_json(sent)}});
}

Reply SimulatedScheduler::place(const Operation& operation, Duration deadline) {
  return send(operation, OperationKind::cordon, deadline);
}
Reply SimulatedScheduler::release(const Operation& operation, Duration deadline) {
  return send(operation, OperationKind::uncordon, deadline);
}
Reply SimulatedScheduler::drain(const Operation& operation, Duration deadline) {
  return send(operation, OperationKind::drain, deadline);
}

Observation SimulatedScheduler::observe(std::string_view node_name, Duration deadline) {
  Observation failed;
  failed.node = node_name;
  failed.scheduler = name_;
  if (!is_plain(node_name)) {
    failed.error = fmt::format("'{}' is no name of a node", node_name);
    return failed;
  }
  const std::string url =
      fmt::format("{}/v1/schedulers/{}/nodes/{}?installation={}", url_, name_, node_name, installation_);
  auto seen = read<Observation>(clock_, url, deadline);
  if (seen) return *seen;
  failed.error = seen.error().message;
  return failed;
}

Result<std::vector<ListedNode>> SimulatedScheduler::list(Duration deadline) {
  return read<std::vector<ListedNode>>(
      clock_, fmt::format("{}/v1/schedulers/{}/nodes?installation={}", url_, name_, installation_), deadline);
}

ProviderCapabilities SimulatedProvider::capabilities() const {
  const std::lock_guard lock(mutex_);
  if (!capabilities_) {
    const auto asked =
        read<ProviderCapabilities>(clock_, url_ + "/v1/provider/capabilities", clock_.steady() + seconds{3});
    if (!asked) return {};
    capabilities_ = *asked;
  }
  return *capabilities_;
}

Reply SimulatedProvider::start(const Operation& operation, Duration deadline) {
  return send(clock_, url_ + "/v1/provider/start", deadline, to_json(operation));
}

OperationView SimulatedProvider::observe(const Operation& operation, Duration deadline) {
  const std::string id = is_plain(operation.id) ? operation.id : "-";
  const auto view = read<OperationView>(clock_, url_ + "/v1/provider/operations/" + id, deadline);
  return view ? *view : OperationView{Progress::unreadable, view.error().message, "", ""};
}

Result<std::vector<ListedHost>> SimulatedProvider::hosts(Duration deadline) {
  return read<std::vector<ListedHost>>(clock_, url_ + "/v1/provider/hosts", deadline);
}

}  // namespace sickbay::adapters
