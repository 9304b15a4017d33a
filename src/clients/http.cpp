// libcurl, held to our rules. A connection is never used again: on one that the other side has just closed, libcurl
// would send the request a second time by itself, and whether the first had arrived nobody could say.
#include "clients/http.hpp"

#include <curl/curl.h>
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace sickbay::clients {

namespace {

struct Received {
  std::string body;
  std::size_t most = 0;
  bool too_large = false;
};

std::size_t take(char* data, std::size_t size, std::size_t count, void* target) {
  auto& received = *static_cast<Received*>(target);
  if (received.body.size() + size * count > received.most) {
    received.too_large = true;
    return 0;  // ends the transfer
  }
  received.body.append(data, size * count);
  return size * count;
}

struct CloseCurl {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Curl = std::unique_ptr<CURL, CloseCurl>;
using Headers = std::unique_ptr<curl_slist, CloseCurl>;

Headers headers_of(const HttpRequest& request) {
  Headers headers;
  const auto add = [&](const std::string& line) { headers.reset(curl_slist_append(headers.release(), line.c_str())); };
  for (const auto& [name, value] : request.headers) add(name + ": " + value);
  if (!request.bearer.empty()) add("Authorization: Bearer " + request.bearer);
  add("Expect:");  // no waiting for 100 Continue
  return headers;
}

// Whether anything of the request has left this process.
bool was_sent(CURL* curl) {
  long bytes = 0;
  return curl_easy_getinfo(curl, CURLINFO_REQUEST_SIZE, &bytes) != CURLE_OK || bytes > 0;
}

}  // namespace

Result<HttpAnswer> call(const HttpRequest& request) {
  static std::once_flag once;  // libcurl's own start is not thread safe before 7.84
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  if (request.timeout < milliseconds{1}) {
    return fail(Errc::unavailable, fmt::format("the deadline passed before {} was asked", request.url));
  }
  const Curl curl(curl_easy_init());
  if (!curl) return fail(Errc::unavailable, "libcurl has no memory for a call");
  const Headers headers = headers_of(request);
  Received received;
  received.most = request.max_answer;
  char reason[CURL_ERROR_SIZE] = "";
  const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl.get(), option, value); };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.method != "GET") {
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.c_str());
  }
  set(CURLOPT_HTTPHEADER, headers.get());
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::min<std::int64_t>(request.timeout.count() / 1000, 3'600'000)));
  set(CURLOPT_FRESH_CONNECT, 1L);
  set(CURLOPT_FORBID_REUSE, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_PROXY, "");  // what we talk to is on the operator's own network
  set(CURLOPT_WRITEFUNCTION, take);
  set(CURLOPT_WRITEDATA, &received);
  set(CURLOPT_ERRORBUFFER, reason);
  if (!request.ca_file.empty()) set(CURLOPT_CAINFO, request.ca_file.c_str());

  const CURLcode code = curl_easy_perform(curl.get());
  if (code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
    const char* type = nullptr;
    curl_easy_getinfo(curl.get(), CURLINFO_CONTENT_TYPE, &type);
    return HttpAnswer{static_cast<int>(status), std::move(received.body), type ? type : ""};
  }
  const std::string why = received.too_large ? fmt::format("the answer is larger than {} bytes", request.max_answer)
                          : *reason          ? std::string(reason)
                                             : std::string(curl_easy_strerror(code));
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) {
    return fail(Errc::invalid, fmt::format("'{}' is no http or https address: {}", request.url, why));
  }
  if (!was_sent(curl.get())) return fail(Errc::unavailable, fmt::format("{} cannot be reached: {}", request.url, why));
  return fail(Errc::unknown_outcome, fmt::format("{} was asked, but: {}", request.url, why));
}

}  // namespace sickbay::clients
