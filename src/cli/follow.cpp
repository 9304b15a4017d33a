#include "cli/follow.hpp"

#include <algorithm>
#include <ostream>

namespace sickbay::cli {
namespace {

// Trying again cannot help with these.
bool is_final(Errc code) {
  return code == Errc::unauthenticated || code == Errc::forbidden || code == Errc::not_found || code == Errc::invalid ||
         code == Errc::refused;
}

}  // namespace

Result<std::vector<Told>> newest_events(Context& context, const Query& filter, std::size_t count) {
  SICKBAY_ASSIGN(const json::array items, context.list<resources::EventList>("/events", filter, count));
  std::vector<Told> told;
  for (const json::value& item : items) {
    SICKBAY_ASSIGN(Event event, read_as<Event>(item));
    told.push_back({std::move(event), item});
  }
  std::reverse(told.begin(), told.end());
  return told;
}

Status follow_events(Context& context, std::optional<std::uint64_t> last_seen,
                     const std::function<bool(const Told& told)>& on_event) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  std::string last = last_seen ? std::to_string(*last_seen) : std::string();
  bool wanted = true, lost = false;
  while (wanted) {
    const Status status = server->follow(cluster + "/stream", last, [&](const StreamEvent& event) {
      if (lost) context.around.err << "sickbay: the server is back\n";
      lost = false;
      if (!event.id.empty()) last = event.id;
      const auto document = parse_json(event.data);
      const auto read = document ? from_json<Event>(*document) : Result<Event>(fail(Errc::invalid, "no JSON"));
      wanted = !read || on_event({*read, *document});
      return wanted;
    });
    if (!wanted) break;
    if (!status && is_final(status.error().code)) return status;
    if (!lost && !status && status.error().code != Errc::timeout) {
      context.around.err << "sickbay: " << printable(status.error().message) << "; trying again\n";
      lost = true;
    }
    context.around.pause(seconds{1});
  }
  return {};
}

}  // namespace sickbay::cli
