#include "cli/server.hpp"

#include <fmt/core.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "cli/words.hpp"
#include "net/client.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kLargestEvent = 1U << 20;
constexpr std::size_t kPage = 1000;         // the most that the server gives at once
constexpr Duration kSilence = seconds{60};  // the server says something every 15 s

net::ClientOptions client_options(const Settings& settings) {
  net::ClientOptions options;
  options.ca_file = settings.ca_file;
  options.insecure_http = settings.insecure_http;
  options.deadline = seconds{30};
  options.max_answer = 64U << 20;  // a page of a thousand repairs with their evidence
  return options;
}

Errc code_of(unsigned status) {
  switch (status) {
    case 400:
      return Errc::invalid;
    case 401:
      return Errc::unauthenticated;
    case 403:
      return Errc::forbidden;
    case 404:
      return Errc::not_found;
    case 409:
      return Errc::conflict;
    case 412:
      return Errc::changed;
    case 413:
      return Errc::too_large;
    case 422:
      return Errc::refused;
    default:
      return status >= 500 || status == 429 ? Errc::unavailable : Errc::internal;
  }
}

// The problem document's own words; what the status means where there is none.
Error explain(const net::Answer& answer) {
  Error error{code_of(answer.status), {}, {}};
  if (const auto problem = parse_json(answer.body); problem && problem->is_object()) {
    error.message = text_at(*problem, "detail");
    if (error.message.empty()) error.message = text_at(*problem, "title");
    error.field = text_at(*problem, "field");
  }
  if (error.message.empty()) error.message = fmt::format("the server answered {} and nothing else", answer.status);
  if (!error.field.empty()) error.message += fmt::format(" (field: {})", error.field);
  if (answer.status == 401) error.message += "; set SICKBAY_TOKEN to a valid token";
  return error;
}

Result<json::value> read_answer(const Result<net::Answer>& answer, std::string* etag) {
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status >= 300) return tl::unexpected(explain(*answer));
  if (etag) *etag = answer->etag;
  if (answer->body.empty()) return json::value(json::object());
  auto value = parse_json(answer->body);
  if (!value) return fail(Errc::invalid, "the server's answer is no JSON; is SICKBAY_SERVER a Sickbay server?");
  return value;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
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

struct Server::Parts {
  Settings settings;
  boost::asio::io_context io;
  std::unique_ptr<net::Client> reader;

  // Runs one coroutine of the client to its end.
  template <class Awaitable>
  Result<net::Answer> run(Awaitable awaitable) {
    Result<net::Answer> answer = fail(Errc::internal, "not sent");
    boost::asio::co_spawn(io, std::move(awaitable),
                          [&](std::exception_ptr, Result<net::Answer> given) { answer = std::move(given); });
    io.restart();
    io.run();
    return answer;
  }
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::Server(Server&&) noexcept = default;
Server::~Server() = default;

Result<Server> Server::connect(const Settings& settings) {
  if (settings.server.empty()) {
    return fail(Errc::invalid,
                "no server is named: set SICKBAY_SERVER (and SICKBAY_TOKEN), say --server URL, or write "
                "~/.config/sickbay/config.json {\"server\": \"https://...\", \"token\": \"...\"}");
  }
  auto parts = std::make_unique<Parts>();
  parts->settings = settings;
  SICKBAY_ASSIGN(parts->reader, net::Client::make(parts->io, settings.server, client_options(settings)));
  return Server(std::move(parts));
}

Result<json::value> Server::get(const std::string& target, std::string* etag) {
  return read_answer(parts_->run(parts_->reader->request("GET", target, {}, parts_->settings.token)), etag);
}

Result<json::value> Server::send(std::string_view verb, const std::string& target, const json::value& body,
                                 const std::string& etag) {
  SICKBAY_ASSIGN(const auto client,
                 net::Client::make(parts_->io, parts_->settings.server, client_options(parts_->settings)));
  net::Headers headers;
  if (!etag.empty()) headers.emplace_back("If-Match", etag);
  std::string text = body.is_null() ? std::string() : json::serialize(body);
  return read_answer(
      parts_->run(client->request(verb, target, std::move(text), parts_->settings.token, std::move(headers))), nullptr);
}

Result<json::array> Server::list(const std::string& path, Query query, const std::string& member, std::size_t limit) {
  json::array all;
  std::string token;
  for (;;) {
    const std::size_t wanted = limit == 0 ? kPage : std::min(kPage, limit - all.size());
    Query page = query;
    page.emplace_back("page_size", std::to_string(wanted));
    page.emplace_back("page_token", token);
    SICKBAY_ASSIGN(const json::value answer, get(with_query(path, page)));
    const json::value* elements = answer.is_object() ? answer.get_object().if_contains(member) : nullptr;
    if (!elements || !elements->is_array()) {
      return fail(Errc::invalid, fmt::format("the server's answer to {} has no list '{}'; are its version and ours far "
                                             "apart?",
                                             path, member));
    }
    for (const auto& element : elements->get_array()) all.push_back(element);
    const std::string next = text_at(answer, "next_page_token");
    if (next.empty() || next == token || elements->get_array().empty() || (limit != 0 && all.size() >= limit)) break;
    token = next;
  }
  if (limit != 0 && all.size() > limit) all.resize(limit);
  return all;
}

Status Server::follow(const std::string& target, const std::string& last_id,
                      const std::function<bool(const StreamEvent&)>& on_event) {
  net::Headers headers{{"Accept", "text/event-stream"}};
  if (!last_id.empty()) headers.emplace_back("Last-Event-ID", last_id);
  EventReader events;
  const auto on_bytes = [&](std::string_view bytes) {
    for (const auto& event : events.feed(bytes)) {
      if (!on_event(event)) return false;
    }
    return true;
  };
  const auto answer =
      parts_->run(parts_->reader->stream(target, parts_->settings.token, std::move(headers), kSilence, on_bytes));
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200) return tl::unexpected(explain(*answer));
  return {};
}

}  // namespace sickbay::cli
