#include "rules/yaml.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <vector>

#include "base/files.hpp"
#include "config/yaml.hpp"

namespace sickbay::rules {
namespace {

namespace json = boost::json;

void join(json::object& into, json::object&& from) {
  for (auto& [key, value] : from) {
    json::value* there = into.if_contains(key);
    if (there && there->is_array() && value.is_array()) {
      for (json::value& element : value.get_array()) there->get_array().push_back(std::move(element));
    } else if (there && there->is_object() && value.is_object()) {
      for (auto& [name, member] : value.get_object()) there->get_object()[name] = std::move(member);
    } else {
      into[key] = std::move(value);
    }
  }
}

}  // namespace

Result<json::object> yaml_to_json(std::string_view text, const std::string& file_name) {
  return config::yaml_to_json(text, file_name, "rules");
}

Result<json::object> compile_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".yaml") files.push_back(at->path());
  }
  if (error) return fail(Errc::io, fmt::format("{}: {}", directory.string(), error.message()));
  std::sort(files.begin(), files.end());
  json::object document;
  for (const std::filesystem::path& file : files) {
    SICKBAY_ASSIGN(const std::string text, read_file(file.string(), config::kLargestFile));
    SICKBAY_ASSIGN(json::object part, yaml_to_json(text, file.filename().string()));
    join(document, std::move(part));
  }
  return document;
}

Result<Pack> load_directory(const std::filesystem::path& directory) {
  SICKBAY_ASSIGN(const json::object document, compile_directory(directory));
  return read_pack(json::serialize(document));
}

}  // namespace sickbay::rules
