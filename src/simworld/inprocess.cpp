// Direct calls into a World.
#include "simworld/inprocess.hpp"

namespace sickbay::simworld {

namespace {

void at(const Hook& hook, Point point) {
  if (hook) hook(point);
}

const Reply too_late{Answer::not_sent, "", "there was no time left to send it", {}};

}  // namespace

Reply InProcessScheduler::send(const Operation& operation, OperationKind kind, Duration timeout) {
  if (timeout <= Duration{}) return too_late;
  Operation sent = operation;
  sent.kind = kind;
  sent.adapter = name_;
  at(hook_, Point::before_send);
  Reply reply = world_.hold(installation_, sent);
  at(hook_, Point::after_send);
  return reply;
}

Reply InProcessScheduler::cordon(const Operation& operation, Duration timeout) {
  return send(operation, OperationKind::cordon, timeout);
}
Reply InProcessScheduler::uncordon(const Operation& operation, Duration timeout) {
  return send(operation, OperationKind::uncordon, timeout);
}
Reply InProcessScheduler::drain(const Operation& operation, Duration timeout) {
  return send(operation, OperationKind::drain, timeout);
}

NodeStatus InProcessScheduler::observe(std::string_view node_name, Duration) {
  at(hook_, Point::looking);
  NodeStatus seen = world_.look(name_, installation_, node_name);
  at(hook_, Point::looked);
  return seen;
}

Result<std::vector<NodeStatus>> InProcessScheduler::list(Duration) {
  at(hook_, Point::looking);
  auto nodes = world_.list(name_, installation_);
  at(hook_, Point::looked);
  return nodes;
}

Reply InProcessProvider::start(const Operation& operation, Duration timeout) {
  if (timeout <= Duration{}) return too_late;
  at(hook_, Point::before_send);
  Reply reply = world_.start(operation);
  at(hook_, Point::after_send);
  return reply;
}

Reply InProcessProvider::cancel(const Operation& operation, Duration timeout) {
  if (timeout <= Duration{}) return too_late;
  at(hook_, Point::before_send);
  Reply reply = world_.cancel(operation);
  at(hook_, Point::after_send);
  return reply;
}

Result<ProviderCapabilities> InProcessProvider::capabilities(Duration) {
  at(hook_, Point::looking);
  auto capabilities = world_.capabilities();
  at(hook_, Point::looked);
  return capabilities;
}

OperationView InProcessProvider::observe(const Operation& operation, Duration) {
  at(hook_, Point::looking);
  OperationView view = world_.view(operation.id);
  at(hook_, Point::looked);
  return view;
}

Result<std::vector<ListedHost>> InProcessProvider::hosts(Duration) {
  at(hook_, Point::looking);
  auto hosts = world_.hosts();
  at(hook_, Point::looked);
  return hosts;
}

}  // namespace sickbay::simworld
