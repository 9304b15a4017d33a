#include "decide/session.hpp"

#include "decide/turn.hpp"

namespace sickbay::decide {

std::string host_under(const Node& node, const std::optional<Session>& session) {
  return node.host.empty() && session ? session->host : node.host;
}

Shape expected_shape(const Node& node, const Shape& of_agent) {
  return node.shape.gpus == 0 ? of_agent : node.shape;
}

std::optional<std::string> identity_conflict(const Node& node, Time now) {
  const bool over = now - node.identity_conflict_at.value_or(now) >= kIdentityConflict;
  return over ? std::nullopt : node.identity_conflict;
}

void note_session(Turn& turn) {
  turn.node.host = host_under(turn.node, turn.facts.session);
  if (!turn.facts.session || turn.facts.session->epoch <= turn.node.epoch) return;
  const Session& session = *turn.facts.session;
  Node& node = turn.node;
  if (!node.boot_id.empty() && node.boot_id != session.boot_id) {
    const bool ours = turn.repair && has_acted(*turn.repair);
    turn.say(EventKind::node_booted,
             fmt::format("{} runs a new boot, {}", node.name, ours ? "by our repair" : "not by us"))
        .data["boot"] = session.boot_id;
  }
  if (!node.machine_id.empty() && node.machine_id != session.machine_id) ++node.incarnation;
  node.epoch = session.epoch;
  node.boot_id = session.boot_id;
  node.machine_id = session.machine_id;
  node.boot_started_at = session.boot_started_at;
  node.shape = expected_shape(node, session.shape);
}

void note_conflict(Turn& turn) {
  Node& node = turn.node;
  if (!node.identity_conflict) return;
  if (!identity_conflict(node, turn.now)) {
    node.identity_conflict.reset();
    node.identity_conflict_at.reset();
  } else if (node.identity_conflict_at) {
    turn.look_again(*node.identity_conflict_at + kIdentityConflict);
  }
}

}  // namespace sickbay::decide
