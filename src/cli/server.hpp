// The server as the command line sees it: blocking calls that give JSON or an Error with the problem document's own
// words, and the reader that makes the public API's values of that JSON.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/settings.hpp"
#include "model/json.hpp"
#include "resources/list.hpp"

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

// What the server said, as the value it is. Errc::invalid names the member that is not as it should be.
template <class T>
Result<T> read_as(const json::value& answer, Reading reading = Reading::lenient) {
  auto value = from_json<T>(answer, reading);
  if (!value) {
    return fail(Errc::invalid, "the server's answer is not as expected: " + value.error().message +
                                   "; are its version and ours far apart?");
  }
  return value;
}

class Server {
 public:
  // Errc::invalid with what to do when no address is set.
  static Result<Server> connect(const Settings& settings, const Connect& connect);

  Result<json::value> get(const std::string& target, std::string* etag = nullptr);
  template <class T>
  Result<T> get_as(const std::string& target, std::string* etag = nullptr) {
    SICKBAY_ASSIGN(const json::value answer, get(target, etag));
    return read_as<T>(answer);
  }
  // `etag`, when given, is the precondition: Errc::changed where the thing is another by now.
  Result<json::value> send(std::string_view verb, const std::string& target, const json::value& body,
                           const std::string& etag = {});
  // All pages of a list of resources/list.hpp, as the server said them: at most `limit` elements (0: all).
  template <class List>
  Result<json::array> list(const std::string& path, const Query& query, std::size_t limit) {
    return pages(path, query, resources::items_name<List>(), limit);
  }
  // Calls `on_event` for each event after `last_id` until it returns false or the stream breaks.
  Status follow(const std::string& target, const std::string& last_id,
                const std::function<bool(const StreamEvent&)>& on_event);

 private:
  explicit Server(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}
  Result<json::array> pages(const std::string& path, const Query& query, std::string_view member, std::size_t limit);

  std::unique_ptr<Transport> transport_;
};

}  // namespace sickbay::cli
