#include "rules/yaml.hpp"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/text.hpp"

namespace sickbay::rules {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxFile = 1 << 20;
constexpr int kMaxDepth = 12;
constexpr std::size_t kMaxNodes = 200'000;  // aliases can make a small file huge

json::value scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return json::string(text);  // quoted
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto number = parse_int(text)) return *number;
  return json::string(text);
}

Result<json::value> convert(const YAML::Node& node, const std::string& file, int depth, std::size_t& budget) {
  if (depth > kMaxDepth || budget == 0) {
    return fail(Errc::too_large, fmt::format("{}:{}: nested too deep or too large", file, node.Mark().line + 1));
  }
  --budget;
  if (node.IsScalar()) return scalar(node);
  if (node.IsSequence()) {
    json::array array;
    for (const YAML::Node& element : node) {
      SICKBAY_ASSIGN(json::value value, convert(element, file, depth + 1, budget));
      array.push_back(std::move(value));
    }
    return array;
  }
  if (node.IsMap()) {
    json::object object;
    for (const auto& pair : node) {
      const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : "";
      if (object.contains(key)) {
        return fail(Errc::invalid, fmt::format("{}:{}: '{}' is there twice", file, pair.first.Mark().line + 1, key));
      }
      SICKBAY_ASSIGN(json::value value, convert(pair.second, file, depth + 1, budget));
      object[key] = std::move(value);
    }
    return object;
  }
  return json::value(nullptr);
}

void note_places(json::object& document, const YAML::Node& root, const std::string& file) {
  json::value* rules = document.if_contains("rules");
  if (!rules || !rules->is_array()) return;
  std::size_t index = 0;
  for (const YAML::Node& node : root["rules"]) {
    json::value& rule = rules->get_array()[index++];
    if (!rule.is_object()) continue;
    rule.get_object()["file"] = file;
    rule.get_object()["line"] = node.Mark().line + 1;
  }
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(Errc::io, fmt::format("{} cannot be opened", path.string()));
  std::string text(kMaxFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxFile) return fail(Errc::too_large, fmt::format("{} is larger than 1 MiB", path.string()));
  return text;
}

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
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (root.IsNull()) return json::object();
    if (!root.IsMap())
      return fail(Errc::invalid, fmt::format("{}:1: must be a map with 'rules' and the like", file_name));
    std::size_t budget = kMaxNodes;
    SICKBAY_ASSIGN(json::value value, convert(root, file_name, 0, budget));
    note_places(value.get_object(), root, file_name);
    return std::move(value.get_object());
  } catch (const YAML::Exception& error) {
    return fail(Errc::invalid, fmt::format("{}:{}: {}", file_name, error.mark.line + 1, error.msg));
  }
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
    SICKBAY_ASSIGN(const std::string text, read_file(file));
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
