// Taking request targets apart (Boost.URL does the grammar), and the few words HTTP itself has.
#include "net/message.hpp"

#include <fmt/core.h>

#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "base/text.hpp"

namespace sickbay::net {

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  const auto same = [](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(a) == lower(b);
  };
  for (const auto& [key, value] : headers) {
    if (std::equal(key.begin(), key.end(), name.begin(), name.end(), same)) return value;
  }
  return std::nullopt;
}

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

Response plain_problem(int status, std::string_view detail) {
  std::string quoted;
  for (const char c : to_utf8(detail)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' || c == '\t' ? ' ' : c;
  }
  Response response;
  response.status = status;
  response.headers = {{"Content-Type", "application/problem+json"}};
  response.body = fmt::format(R"({{"type":"about:blank","title":"{}","status":{},"detail":"{}"}})", reason_of(status),
                              status, quoted);
  return response;
}

Result<Target> parse_target(std::string_view text) {
  const auto parsed = boost::urls::parse_origin_form({text.data(), text.size()});
  if (!parsed) return fail(Errc::invalid, "the request target is not a path with an optional query");
  const auto clean = [](const std::string& piece) { return is_utf8(piece) && piece.find('\0') == std::string::npos; };
  const auto unclean = [] {
    return fail(Errc::invalid, "the request target holds NUL or bytes that are not UTF-8 once decoded");
  };
  Target target;
  for (const auto& segment : parsed->segments()) {
    target.path.emplace_back(segment);
    if (!clean(target.path.back())) return unclean();
  }
  boost::urls::encoding_opts plus_is_space;
  plus_is_space.space_as_plus = true;
  for (const auto& param : parsed->params(plus_is_space)) {
    target.query.emplace_back(param.key, param.value);
    if (!clean(target.query.back().first) || !clean(target.query.back().second)) return unclean();
  }
  return target;
}

}  // namespace sickbay::net
