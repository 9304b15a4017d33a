#include "model/event.hpp"

#include <utility>

namespace sickbay {

Event event_of(EventKind kind, std::string id, Time at, std::string message, std::string actor) {
  Event event;
  event.id = std::move(id);
  event.at = at;
  event.kind = kind;
  event.message = std::move(message);
  event.actor = std::move(actor);
  return event;
}

Event event_of(const Node& node, EventKind kind, std::string id, Time at, std::string message, std::string actor) {
  Event event = event_of(kind, std::move(id), at, std::move(message), std::move(actor));
  event.cluster = node.cluster;
  event.node = node.id;
  event.node_name = node.name;
  return event;
}

Event event_of(const Repair& repair, EventKind kind, std::string id, Time at, std::string message, std::string actor) {
  Event event = event_of(kind, std::move(id), at, std::move(message), std::move(actor));
  event.cluster = repair.cluster;
  event.node = repair.node;
  event.node_name = repair.node_name;
  event.repair = repair.id;
  return event;
}

Event event_of(const Operation& operation, EventKind kind, std::string id, Time at, std::string message,
               std::string actor) {
  Event event = event_of(kind, std::move(id), at, std::move(message), std::move(actor));
  event.cluster = operation.cluster;
  event.node = operation.node;
  event.node_name = operation.node_name;
  event.repair = operation.repair;
  return event;
}

}  // namespace sickbay
