// Values as JSON: writes and reads every described struct of model/. Boost.JSON's own value_to refuses unknown and
// absent members; this reader takes absent ones as the default and, when lenient, ignores unknown ones, so that
// documents of older and newer versions read. Errors name the member ("consent[2].actions[0]").
#pragma once

#include <boost/describe/members.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/text.hpp"
#include "base/time.hpp"
#include "model/words.hpp"

namespace sickbay {

namespace json = boost::json;

// strict: an unknown member is an error. complete: an absent one is, but for optional ones; for answers that prove
// something, where a default would be a claim that nobody made.
enum class Reading { lenient, strict, complete };

// Parses JSON text from outside: at most 32 levels deep, valid UTF-8, one value. Errc::invalid says where it broke.
Result<json::value> parse_json(std::string_view text);

namespace detail {

template <class T>
concept Described = boost::describe::has_describe_members<T>::value && !std::is_union_v<T>;
template <class T>
concept DescribedEnum = boost::describe::has_describe_enumerators<T>::value;
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};
template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;

inline std::string at(std::string_view path, std::string_view member) {
  return path.empty() ? std::string(member) : std::string(path) + "." + std::string(member);
}
tl::unexpected<Error> wrong(std::string_view path, std::string_view wanted, const json::value& got);
// Checked integers from any JSON number that holds one exactly.
Result<std::int64_t> to_int64(const json::value& value, std::string_view path);
Result<std::uint64_t> to_uint64(const json::value& value, std::string_view path);

}  // namespace detail

template <class T>
json::value to_json(const T& value) {
  using namespace detail;
  if constexpr (std::is_same_v<T, Time>) {
    return json::string(format_time(value));
  } else if constexpr (std::is_same_v<T, Duration>) {
    return json::string(format_duration(value));
  } else if constexpr (std::is_same_v<T, json::object> || std::is_same_v<T, json::value>) {
    return value;
  } else if constexpr (DescribedEnum<T>) {
    return json::string(name_of(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    // What is written must be readable again: one wrong byte would cost its whole document.
    return is_utf8(value) ? json::string(value) : json::string(to_utf8(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return json::value(value);
  } else if constexpr (IsOptional<T>::value) {
    return value ? to_json(*value) : json::value(nullptr);
  } else if constexpr (IsVector<T>::value) {
    json::array array;
    array.reserve(value.size());
    for (const auto& element : value) array.push_back(to_json(element));
    return array;
  } else if constexpr (IsMap<T>::value) {
    json::object object;
    for (const auto& [key, element] : value) object[is_utf8(key) ? key : to_utf8(key)] = to_json(element);
    return object;
  } else {
    static_assert(Described<T>, "describe the type with BOOST_DESCRIBE_CLASS");
    json::object object;
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
      const auto& field = value.*member.pointer;
      using Field = std::remove_cvref_t<decltype(field)>;
      if constexpr (IsOptional<Field>::value) {
        if (field) object[member.name] = to_json(*field);  // absent, not null
      } else {
        object[member.name] = to_json(field);
      }
    });
    return object;
  }
}

template <class T>
std::string to_json_text(const T& value) {
  return json::serialize(to_json(value));
}

// Reads into `out`, which holds the defaults for what is absent. `path` is where `value` stands in its document.
template <class T>
Status read_json(const json::value& value, T& out, Reading reading, std::string_view path = {}) {
  using namespace detail;
  if constexpr (std::is_same_v<T, json::value>) {
    out = value;
  } else if constexpr (std::is_same_v<T, json::object>) {
    if (!value.is_object()) return wrong(path, "an object", value);
    out = value.get_object();
  } else if constexpr (std::is_same_v<T, Time>) {
    if (!value.is_string()) return wrong(path, "a time such as 2026-05-01T10:00:00Z", value);
    auto time = parse_time(std::string_view(value.get_string()));
    if (!time) return fail(Errc::invalid, time.error().message, std::string(path));
    out = *time;
  } else if constexpr (std::is_same_v<T, Duration>) {
    if (!value.is_string()) return wrong(path, "a duration such as \"30m\"", value);
    auto duration = parse_duration(std::string_view(value.get_string()));
    if (!duration) return fail(Errc::invalid, duration.error().message, std::string(path));
    out = *duration;
  } else if constexpr (DescribedEnum<T>) {
    if (!value.is_string() || !value_of(std::string_view(value.get_string()), out)) {
      std::string wanted = "one of";
      boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
          [&](auto d) { wanted += " " + name_of(d.value); });
      return wrong(path, wanted, value);
    }
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!value.is_string()) return wrong(path, "a string", value);
    out = std::string(value.get_string());
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_bool()) return wrong(path, "true or false", value);
    out = value.get_bool();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!value.is_number()) return wrong(path, "a number", value);
    out = value.to_number<T>();
  } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
    SICKBAY_ASSIGN(const std::int64_t number, to_int64(value, path));
    if (!std::in_range<T>(number)) return wrong(path, "a smaller number", value);
    out = static_cast<T>(number);
  } else if constexpr (std::is_integral_v<T>) {
    SICKBAY_ASSIGN(const std::uint64_t number, to_uint64(value, path));
    if (!std::in_range<T>(number)) return wrong(path, "a smaller number", value);
    out = static_cast<T>(number);
  } else if constexpr (IsOptional<T>::value) {
    if (value.is_null()) {
      out.reset();
    } else {
      SICKBAY_CHECK(read_json(value, out.emplace(), reading, path));
    }
  } else if constexpr (IsVector<T>::value) {
    if (!value.is_array()) return wrong(path, "a list", value);
    out.clear();
    for (const json::value& element : value.get_array()) {
      const std::string where = std::string(path) + "[" + std::to_string(out.size()) + "]";
      SICKBAY_CHECK(read_json(element, out.emplace_back(), reading, where));
    }
  } else if constexpr (IsMap<T>::value) {
    if (!value.is_object()) return wrong(path, "an object", value);
    out.clear();
    for (const auto& [key, element] : value.get_object()) {
      SICKBAY_CHECK(read_json(element, out[std::string(key)], reading, at(path, key)));
    }
  } else {
    static_assert(Described<T>, "describe the type with BOOST_DESCRIBE_CLASS");
    if (!value.is_object()) return wrong(path, "an object", value);
    const json::object& object = value.get_object();
    std::size_t known = 0;
    Status status;
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
      using Field = std::remove_cvref_t<decltype(out.*member.pointer)>;
      const json::value* field = object.if_contains(member.name);
      if (!field && status && reading == Reading::complete && !IsOptional<Field>::value) {
        const std::string where = at(path, member.name);
        status = fail(Errc::invalid, "'" + where + "' is missing", where);
      }
      if (!field || !status) return;
      ++known;
      status = read_json(*field, out.*member.pointer, reading, at(path, member.name));
    });
    SICKBAY_CHECK(status);
    if (reading == Reading::strict && known != object.size()) {
      for (const auto& [key, ignored] : object) {
        bool found = false;
        boost::mp11::mp_for_each<Members<T>>([&](auto member) { found = found || key == member.name; });
        if (!found) return fail(Errc::invalid, "'" + at(path, key) + "' is not known here", at(path, key));
      }
    }
  }
  return {};
}

template <class T>
Result<T> from_json(const json::value& value, Reading reading = Reading::lenient) {
  T out{};
  SICKBAY_CHECK(read_json(value, out, reading));
  return out;
}

template <class T>
Result<T> from_json_text(std::string_view text, Reading reading = Reading::lenient) {
  SICKBAY_ASSIGN(const json::value value, parse_json(text));
  return from_json<T>(value, reading);
}

}  // namespace sickbay
