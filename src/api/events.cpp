// What happened: as pages, and as a stream of server-sent events that is taken up where it broke off. A stream polls
// the store by sequence, so it needs no memory of what it was told, and a replica knows of the events of all others.
#include "store/events.hpp"

#include <fmt/core.h>

#include "api/routes.hpp"
#include "api/schema.hpp"
#include "base/text.hpp"
#include "resources/event.hpp"
#include "store/paging.hpp"

namespace sickbay::api {
namespace {

constexpr std::size_t kEventsAtOnce = 100;  // one piece of a stream
constexpr std::size_t kNewest = 200;
constexpr Duration kLookAgainWhoItIs = seconds{30};  // a revoked token ends its streams within this

Result<store::EventFilter> filter_of(Call& call) {
  store::EventFilter filter;
  filter.cluster = call.cluster->id;
  filter.kind = call.parameter("kind").value_or("");
  filter.repair = call.parameter("repair").value_or("");
  if (const auto name = call.parameter("node")) {
    SICKBAY_ASSIGN(const Node node, call.find_node(*name));
    filter.node = node.id;
  }
  return filter;
}

Result<std::optional<std::uint64_t>> sequence_of(const std::optional<std::string>& text, std::string_view field) {
  if (!text) return std::nullopt;
  const auto number = parse_uint(*text);
  if (!number)
    return fail(Errc::invalid, fmt::format("{} must be the sequence of an event, a number", field), std::string(field));
  return number;
}

// Newest first; with `after`, those that follow that sequence, oldest first.
Result<net::Response> list(Call& call) {
  SICKBAY_ASSIGN(const store::Page page, call.page());
  SICKBAY_ASSIGN(const store::EventFilter filter, filter_of(call));
  SICKBAY_ASSIGN(const auto after, sequence_of(call.parameter("after"), "after"));
  return call.read([&](store::Tx& tx) -> Result<net::Response> {
    if (after) {
      return call.answer_list<resources::EventList>(store::events_after(tx, filter, *after, page.size));
    }
    auto paged = store::list_events(tx, filter, page);
    return call.answer_list<resources::EventList>(std::move(paged.items), paged.next);
  });
}

class EventStream final : public net::BodyStream {
 public:
  EventStream(Services& services, store::EventFilter filter, std::uint64_t after, std::string secret)
      : services_(services),
        filter_(std::move(filter)),
        after_(after),
        secret_(std::move(secret)),
        checked_(services.clock.steady()) {}

  std::optional<std::string> more() override {
    std::string text;
    if (!std::exchange(greeted_, true))
      text = "retry: 2000\n: what follows is newer than " + std::to_string(after_) + "\n\n";
    if (const Duration now = services_.clock.steady(); now - checked_ >= kLookAgainWhoItIs) {
      const auto caller = services_.people.authenticate(secret_);
      if (!caller && caller.error().code == Errc::unauthenticated) return std::nullopt;
      checked_ = now;
    }
    const auto events = services_.store.read([&](store::Tx& tx) -> Result<std::vector<Event>> {
      return store::events_after(tx, filter_, after_, kEventsAtOnce);
    });
    if (!events) return text;  // the store is away for a moment: the stream waits
    for (const Event& event : *events) {
      text += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", *event.sequence, name_of(event.kind), to_json_text(event));
      after_ = *event.sequence;
    }
    return text;
  }
  std::string keep_alive() const override { return ": still here\n\n"; }

 private:
  Services& services_;
  const store::EventFilter filter_;
  std::uint64_t after_;
  const std::string secret_;  // in memory only, to see that it is still good
  Duration checked_;
  bool greeted_ = false;
};

Result<net::Response> stream(Call& call) {
  SICKBAY_ASSIGN(const store::EventFilter filter, filter_of(call));
  const auto header = call.request.header("Last-Event-ID");
  const auto resumed =
      header && !header->empty() ? std::optional<std::string>(*header) : call.parameter("last_event_id");
  SICKBAY_ASSIGN(auto after, sequence_of(resumed, "Last-Event-ID"));
  SICKBAY_ASSIGN(const std::uint64_t newest, call.read([](store::Tx& tx) -> Result<std::uint64_t> {
    std::uint64_t newest = 0;  // the very newest may not be published yet
    for (const Event& event : store::list_events(tx, {}, {kNewest, {}}).items) {
      newest = std::max(newest, event.sequence.value_or(0));
    }
    return newest;
  }));
  // From now on; and so for an id of the future, which only a restored database has not seen.
  if (!after || *after > newest) after = newest;
  const std::string_view authorization = call.request.header("Authorization").value_or("");
  net::Response response;
  response.headers = {
      {"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  response.stream = std::make_unique<EventStream>(call.services, filter, *after,
                                                  std::string(trim(authorization.substr(authorization.find(' ') + 1))));
  return response;
}

}  // namespace

std::vector<Route> event_routes() {
  const std::string base = "/v1/compute/clusters/{cluster}";
  return {
      {.path = base + "/events",
       .run = list,
       .summary = "What happened, newest first; after=SEQUENCE: what came later",
       .parameters = {"node", "repair", "kind", "after", "page_size", "page_token"},
       .answer = schema_of<resources::EventList>},
      {.path = base + "/stream",
       .run = stream,
       .summary = "The same as server-sent events from now on, or from Last-Event-ID",
       .parameters = {"node", "repair", "kind", "last_event_id"}},
  };
}

}  // namespace sickbay::api
