// The server as the command line sees it: blocking calls that give JSON or an Error with the problem document's own
// words. Each change goes over a connection of its own, so that it is never sent twice by a retry below us.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/settings.hpp"
#include "model/json.hpp"

namespace sickbay::cli {

// "a b/c" as one segment or value of a target: "a%20b%2Fc".
std::string escape(std::string_view text);

// "/v1/x" and {{"state", "PENDING"}} as "/v1/x?state=PENDING"; empty values are left out.
using Query = std::vector<std::pair<std::string, std::string>>;
std::string with_query(std::string path, const Query& query);

struct StreamEvent {
  std::string id, event, data;
};

// Server-sent events from bytes as they come. Lines and events beyond a mebibyte are dropped.
class EventReader {
 public:
  // The events that these bytes complete.
  std::vector<StreamEvent> feed(std::string_view bytes);

 private:
  void line(std::string_view text, std::vector<StreamEvent>& complete);
  std::string rest_;
  StreamEvent current_;
  bool started_ = false;
};

class Server {
 public:
  // Errc::invalid with what to do when no address is set.
  static Result<Server> connect(const Settings& settings);
  Server(Server&&) noexcept;
  ~Server();

  Result<json::value> get(const std::string& target, std::string* etag = nullptr);
  // `etag`, when given, is the precondition: Errc::changed where the thing is another by now.
  Result<json::value> send(std::string_view verb, const std::string& target, const json::value& body,
                           const std::string& etag = {});
  // All pages of a list: the array `member` of each answer, at most `limit` elements (0: all).
  Result<json::array> list(const std::string& path, Query query, const std::string& member, std::size_t limit);
  // Calls `on_event` for each event after `last_id` until it returns false or the stream breaks.
  Status follow(const std::string& target, const std::string& last_id,
                const std::function<bool(const StreamEvent&)>& on_event);

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sickbay::cli
