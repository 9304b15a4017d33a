// YAML as people write it, read into the JSON form that every reader of ours takes: the server's configuration, rule
// files, policies. What is wrong is named with file and line. Files are small and hostile until read: size, depth and
// what aliases unfold to are bounded.
#pragma once

#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace sickbay::config {

constexpr std::size_t kLargestFile = 1 << 20;

// One document, which must be a map, in UTF-8; a file without any is an empty map. Plain scalars true, false and
// decimal numbers keep their type; quoted ones are strings. Each map in the list named `placed`, if the document has
// one, gets the members `file` and `line`, so that whoever reads it later can say where it came from. `file_name` is
// for messages.
Result<boost::json::object> yaml_to_json(std::string_view text, const std::string& file_name,
                                         std::string_view placed = {});

// The line of a member, named as errors name it ("clusters[0].provider.url"); of the nearest thing around it where it
// does not exist. 0 for a text that is no YAML.
int line_of(std::string_view text, std::string_view member);

}  // namespace sickbay::config
