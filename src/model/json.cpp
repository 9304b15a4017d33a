#include "model/json.hpp"

#include <fmt/core.h>

#include <boost/json/parse.hpp>
#include <cmath>

namespace sickbay {

Result<json::value> parse_json(std::string_view text) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = 32;
  json::value value = json::parse(text, error, {}, options);
  if (error) return fail(Errc::invalid, fmt::format("the text is not valid JSON: {}", error.message()));
  return value;
}

namespace detail {

tl::unexpected<Error> wrong(std::string_view path, std::string_view wanted, const json::value& got) {
  std::string shown = json::serialize(got);
  if (shown.size() > 60) shown = shown.substr(0, 60) + "...";
  const std::string_view where = path.empty() ? "the document" : path;
  return fail(Errc::invalid, fmt::format("{} must be {}, not {}", where, wanted, shown), std::string(path));
}

Result<std::int64_t> to_int64(const json::value& value, std::string_view path) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64() && std::in_range<std::int64_t>(value.get_uint64())) {
    return static_cast<std::int64_t>(value.get_uint64());
  }
  if (value.is_double() && std::nearbyint(value.get_double()) == value.get_double() &&
      std::abs(value.get_double()) < 9e15) {
    return static_cast<std::int64_t>(value.get_double());
  }
  return wrong(path, "a whole number", value);
}

Result<std::uint64_t> to_uint64(const json::value& value, std::string_view path) {
  if (value.is_uint64()) return value.get_uint64();
  SICKBAY_ASSIGN(const std::int64_t number, to_int64(value, path));
  if (number < 0) return wrong(path, "zero or more", value);
  return static_cast<std::uint64_t>(number);
}

}  // namespace detail
}  // namespace sickbay
