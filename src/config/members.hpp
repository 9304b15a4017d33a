// Reads the members of one map of a configuration, strictly: what is absent keeps its default, what is of the wrong
// kind or not known is an error that names the member and says what belongs there. The first error wins.
//
// A small sibling of model/json.hpp for a room below the model: configuration is read by people line by line, so every
// error here lists what could have been written instead.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "config/names.hpp"

namespace sickbay::config {

class Members {
 public:
  // `path`: where the map stands in its document; empty for the document itself.
  Members(const boost::json::value& value, std::string path);

  // `flaw_of` says why a text is none of these names (names.hpp).
  void name(std::string_view name, std::string& out, std::string_view (*flaw_of)(std::string_view) = flaw_of_name);
  void one_of(std::string_view name, std::string& out, std::vector<std::string> words);
  void url(std::string_view name, std::string& out);  // http or https, with a host; no '/' at its end
  void duration(std::string_view name, Duration& out, Duration least, Duration most);
  void count(std::string_view name, std::uint32_t& out, std::uint32_t least, std::uint32_t most);
  // A member that is a map or a list of maps: `read(value, path)` returns a Result of what goes into `out`.
  template <class T, class Read>
  void map(std::string_view name, T& out, Read read) {
    if (const auto* value = take(name))
      keep(read(*value, at(name)), [&](auto read_value) { out = std::move(read_value); });
  }
  template <class T, class Read>
  void list(std::string_view name, std::vector<T>& out, Read read) {
    const auto* value = take(name);
    if (!value) return;
    if (!value->is_array()) return wrong(name, "must be a list: one '- ' for each");
    for (const auto& element : value->get_array()) {
      const std::string path = at(name) + "[" + std::to_string(out.size()) + "]";
      keep(read(element, path), [&](auto read_value) { out.push_back(std::move(read_value)); });
      if (!status_) return;
    }
  }

  bool has(std::string_view name) const;
  void need(std::string_view name, std::string_view what);  // an error that says what is missing, where it is missing
  void wrong(std::string_view name, std::string_view why);  // an error of this member
  // Every member asked for is known now; any other is an error.
  Status done();

 private:
  const boost::json::value* take(std::string_view name);
  const boost::json::string* take_text(std::string_view name);
  std::string at(std::string_view name) const;
  template <class R, class Put>
  void keep(R&& result, Put put) {
    if (!status_) return;
    if (result) {
      put(std::move(*result));
    } else {
      status_ = tl::unexpected<Error>(std::move(result.error()));
    }
  }

  const boost::json::object* object_ = nullptr;
  std::string path_;
  std::vector<std::string> known_;
  Status status_;
};

}  // namespace sickbay::config
