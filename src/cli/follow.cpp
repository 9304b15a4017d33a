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

Result<json::array> newest_events(Context& context, const Query& filter, std::size_t count) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(json::array events, server->list(cluster + "/events", filter, "events", count));
  std::reverse(events.begin(), events.end());
  return events;
}

Status follow_events(Context& context, std::string last,
                     const std::function<bool(const json::value& event)>& on_event) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  bool wanted = true, lost = false;
  while (wanted) {
    const Status status = server->follow(cluster + "/stream", last, [&](const StreamEvent& event) {
      if (lost) context.around.err << "sickbay: the server is back\n";
      lost = false;
      if (!event.id.empty()) last = event.id;
      const auto value = parse_json(event.data);
      wanted = !value || on_event(*value);
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
