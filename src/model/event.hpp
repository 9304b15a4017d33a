// Events: what happened, as people and programs are told of it, and the one way to make one.
#pragma once

#include <boost/json/object.hpp>

#include "model/repair.hpp"

namespace sickbay {

// Something that happened, for people and programs. `sequence` is given after commit, by the publisher.
struct Event {
  std::string id;
  std::optional<std::uint64_t> sequence;
  Time at{};
  std::string cluster, node, node_name, repair, alert;
  EventKind kind = EventKind::operation;
  std::string message;  // a plain sentence
  std::string actor;    // who did it: a principal's name, or "sickbay"
  boost::json::object data;
  BOOST_DESCRIBE_CLASS(Event, (),
                       (id, sequence, at, cluster, node, node_name, repair, alert, kind, message, actor, data), (), ())
};

// Events about nothing in particular, a node, a repair, or an operation: they name what they are about. `id` is a fresh
// one ("ev-...").
Event event_of(EventKind kind, std::string id, Time at, std::string message, std::string actor = "sickbay");
Event event_of(const Node& node, EventKind kind, std::string id, Time at, std::string message,
               std::string actor = "sickbay");
Event event_of(const Repair& repair, EventKind kind, std::string id, Time at, std::string message,
               std::string actor = "sickbay");
Event event_of(const Operation& operation, EventKind kind, std::string id, Time at, std::string message,
               std::string actor = "sickbay");

}  // namespace sickbay
