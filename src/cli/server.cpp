#include "cli/server.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/describe/class.hpp>
#include <boost/url/encode.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>

#include "resources/problem.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kLargestEvent = 1U << 20;
constexpr std::size_t kPage = 1000;         // the most that the server gives at once
constexpr Duration kSilence = seconds{60};  // the server says something every 15 s

// What all lists end with; their items are taken out as they came.
struct Rest {
  std::string next_page_token;
  BOOST_DESCRIBE_CLASS(Rest, (), (next_page_token), (), ())
};

// The problem document's own words; what the status means where there is none.
Error explain(const net::Response& answer) {
  Error error{resources::errc_of(answer.status), {}, {}};
  if (const auto problem = from_json_text<resources::Problem>(answer.body)) {
    error.message = problem->detail.empty() ? problem->title : problem->detail;
    error.field = problem->field.value_or("");
  }
  if (error.message.empty()) error.message = fmt::format("the server answered {} and nothing else", answer.status);
  if (!error.field.empty()) error.message += fmt::format(" (field: {})", error.field);
  if (answer.status == 401) error.message += "; set SICKBAY_TOKEN to a valid token";
  return error;
}

Result<json::value> read_answer(const Result<net::Response>& answer, std::string* etag) {
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (answer->status >= 300) return tl::unexpected<Error>(explain(*answer));
  if (etag) *etag = net::find_header(answer->headers, "ETag").value_or("");
  if (answer->body.empty()) return json::value(json::object());
  auto value = parse_json(answer->body);
  if (!value) return fail(Errc::invalid, "the server's answer is no JSON; is SICKBAY_SERVER a Sickbay server?");
  return value;
}

}  // namespace

std::string escape(std::string_view text) {
  return boost::urls::encode({text.data(), text.size()}, boost::urls::unreserved_chars);
}

std::string with_query(std::string path, const Query& query) {
  char separator = '?';
  for (const auto& [name, value] : query) {
    if (value.empty()) continue;
    path += fmt::format("{}{}={}", separator, escape(name), escape(value));
    separator = '&';
  }
  return path;
}

std::vector<StreamEvent> EventReader::feed(std::string_view bytes) {
  std::vector<StreamEvent> complete;
  rest_ += bytes;
  std::size_t begin = 0;
  for (;;) {
    const auto end = rest_.find('\n', begin);
    if (end == std::string::npos) break;
    std::string_view text(rest_.data() + begin, end - begin);
    if (text.ends_with('\r')) text.remove_suffix(1);
    line(text, complete);
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (rest_.size() > kLargestEvent) rest_.clear();
  return complete;
}

void EventReader::line(std::string_view text, std::vector<StreamEvent>& complete) {
  if (text.empty()) {
    if (started_) complete.push_back(std::move(current_));
    current_ = {};
    started_ = false;
    return;
  }
  if (text.front() == ':') return;  // a comment: the server is still there
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "id") current_.id = value;
  if (name == "event") current_.event = value;
  if (name == "data" && current_.data.size() + value.size() < kLargestEvent) {
    if (!current_.data.empty()) current_.data += '\n';
    current_.data += value;
    started_ = true;
  }
}

Result<Server> Server::connect(const Settings& settings, const Connect& connect) {
  if (settings.server.empty()) {
    return fail(Errc::invalid,
                "no server is named: set SICKBAY_SERVER (and SICKBAY_TOKEN), say --server URL, or write "
                "~/.config/sickbay/config.json {\"server\": \"https://...\", \"token\": \"...\"}");
  }
  SICKBAY_ASSIGN(auto transport, connect(settings));
  return Server(std::move(transport));
}

Result<json::value> Server::get(const std::string& target, std::string* etag) {
  net::Request request;
  request.method = "GET";
  request.target = target;
  return read_answer(transport_->request(request), etag);
}

Result<json::value> Server::send(std::string_view verb, const std::string& target, const json::value& body,
                                 const std::string& etag) {
  net::Request request;
  request.method = verb;
  request.target = target;
  if (!etag.empty()) request.headers.emplace_back("If-Match", etag);
  if (!body.is_null()) request.body = json::serialize(body);
  return read_answer(transport_->request(request), nullptr);
}

Result<json::array> Server::pages(const std::string& path, const Query& query, std::string_view member,
                                  std::size_t limit) {
  json::array all;
  std::string token;
  for (;;) {
    const std::size_t wanted = limit == 0 ? kPage : std::min(kPage, limit - all.size());
    Query page = query;
    page.emplace_back("page_size", std::to_string(wanted));
    page.emplace_back("page_token", token);
    SICKBAY_ASSIGN(const json::value answer, get(with_query(path, page)));
    SICKBAY_ASSIGN(const Rest rest, read_as<Rest>(answer));
    const json::value* elements = answer.get_object().if_contains(member);
    if (!elements || !elements->is_array()) {
      return fail(Errc::invalid, fmt::format("the server's answer to {} has no list '{}'; are its version and ours far "
                                             "apart?",
                                             path, member));
    }
    for (const auto& element : elements->get_array()) all.push_back(element);
    const bool enough = limit != 0 && all.size() >= limit;
    if (rest.next_page_token.empty() || rest.next_page_token == token || elements->get_array().empty() || enough) break;
    token = rest.next_page_token;
  }
  if (limit != 0 && all.size() > limit) all.resize(limit);
  return all;
}

Status Server::follow(const std::string& target, const std::string& last_id,
                      const std::function<bool(const StreamEvent&)>& on_event) {
  net::Request request;
  request.method = "GET";
  request.target = target;
  request.headers.emplace_back("Accept", "text/event-stream");
  if (!last_id.empty()) request.headers.emplace_back("Last-Event-ID", last_id);
  EventReader events;
  const auto answer = transport_->stream(request, kSilence, [&](std::string_view bytes) {
    const auto complete = events.feed(bytes);
    return std::all_of(complete.begin(), complete.end(), on_event);
  });
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (answer->status != 200) return tl::unexpected<Error>(explain(*answer));
  return {};
}

}  // namespace sickbay::cli
