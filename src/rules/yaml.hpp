// Rule files as people write them: YAML, read into the JSON form every program reads. Only the build tool, the server
// and the command line use this; the agent reads the compiled form.
#pragma once

#include <boost/json/value.hpp>
#include <filesystem>
#include <string>
#include <string_view>

#include "rules/pack.hpp"

namespace sickbay::rules {

// One rule file as a JSON document; each member of `rules` gets its `file` and `line`. Errc::invalid names the file and
// line of a YAML error. Plain scalars true, false and decimal numbers keep their type; quoted ones are strings.
Result<boost::json::object> yaml_to_json(std::string_view text, const std::string& file_name);

// All *.yaml files of a directory, in the order of their names, as one compiled pack document (lists joined, maps
// merged). Errc::io for what cannot be read.
Result<boost::json::object> compile_directory(const std::filesystem::path& directory);

// The pack of a directory, read but not checked: an operator's files may lean on the shipped macros and buckets, so
// merge first (pack.hpp); KernelLog::load checks.
Result<Pack> load_directory(const std::filesystem::path& directory);

}  // namespace sickbay::rules
