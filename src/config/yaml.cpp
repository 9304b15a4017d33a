#include "config/yaml.hpp"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

#include "base/text.hpp"
#include "config/names.hpp"

namespace sickbay::config {
namespace {

namespace json = boost::json;

constexpr int kMaxDepth = 12;
constexpr std::size_t kMaxNodes = 200'000;  // aliases can make a small file huge

// The first line that yaml-cpp would take for something else: it reads other encodings by guess, what is no UTF-8 as it
// is, and ends silently at some control characters. 0: there is none.
int line_that_is_no_text(std::string_view text) {
  int number = 1;
  for (const std::string_view line : split(text, '\n')) {
    std::string plain(line);
    std::erase(plain, '\r');
    if (to_utf8(plain) != plain) return number;
    ++number;
  }
  return 0;
}

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
        return fail(Errc::invalid,
                    fmt::format("{}:{}: '{}' is there twice", file, pair.first.Mark().line + 1, quotable(key)));
      }
      SICKBAY_ASSIGN(json::value value, convert(pair.second, file, depth + 1, budget));
      object[key] = std::move(value);
    }
    return object;
  }
  return json::value(nullptr);
}

void note_places(json::object& document, const YAML::Node& root, const std::string& file, std::string_view placed) {
  json::value* list = document.if_contains(placed);
  if (!list || !list->is_array()) return;
  std::size_t index = 0;
  for (const YAML::Node& node : root[std::string(placed)]) {
    json::value& element = list->get_array()[index++];
    if (!element.is_object()) continue;
    element.get_object()["file"] = file;
    element.get_object()["line"] = node.Mark().line + 1;
  }
}

// Takes the first step off a member's path: "clusters[0].name" is clusters, then 0, then name.
std::string_view next_step(std::string_view& path) {
  const auto end = path.find_first_of(".[]");
  const std::string_view step = path.substr(0, end);
  path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  return step;
}

// The node below `node` that one step leads to, and the line it begins on, where a map's member begins at its name.
std::pair<YAML::Node, int> below(const YAML::Node& node, std::string_view step) {
  if (node.IsMap()) {
    for (const auto& pair : node) {
      if (pair.first.IsScalar() && pair.first.Scalar() == step) return {pair.second, pair.first.Mark().line + 1};
    }
  }
  const auto index = parse_uint(step);
  if (node.IsSequence() && index && *index < node.size()) {
    const YAML::Node element = node[static_cast<std::size_t>(*index)];
    return {element, element.Mark().line + 1};
  }
  return {YAML::Node(), 0};
}

// Notes only where a document begins.
class Beginnings : public YAML::EventHandler {
 public:
  int line = 0;  // of the last one, from 1

  void OnDocumentStart(const YAML::Mark& mark) override { line = mark.line + 1; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// The line on which the text goes on after its first document; 0: it ends there. Looks at two documents and no more:
// yaml-cpp finds an endless row of empty ones at a stray comma or bracket, so LoadAll would never end.
int line_after_the_end(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Beginnings beginnings;
  if (!parser.HandleNextDocument(beginnings)) return 0;
  return parser.HandleNextDocument(beginnings) ? beginnings.line : 0;
}

}  // namespace

Result<json::object> yaml_to_json(std::string_view text, const std::string& file_name, std::string_view placed) {
  if (text.size() > kLargestFile) return fail(Errc::too_large, fmt::format("{} is larger than 1 MiB", file_name));
  if (const int line = line_that_is_no_text(text); line > 0) {
    return fail(Errc::invalid,
                fmt::format("{}:{}: not text in UTF-8, or a control character in it; save the file as plain UTF-8",
                            file_name, line));
  }
  try {
    if (const int line = line_after_the_end(std::string(text)); line > 0) {
      return fail(Errc::invalid, fmt::format("{}:{}: something stands here that belongs to nothing before it: a stray "
                                             "character, or a second document; write all of it as one map of members, "
                                             "without a '---' or '...' between",
                                             file_name, line));
    }
    const YAML::Node root = YAML::Load(std::string(text));
    if (root.IsNull()) return json::object();
    if (!root.IsMap())
      return fail(Errc::invalid, fmt::format("{}:1: must be a map of members, 'name: value'", file_name));
    std::size_t budget = kMaxNodes;
    SICKBAY_ASSIGN(json::value value, convert(root, file_name, 0, budget));
    if (!placed.empty()) note_places(value.get_object(), root, file_name, placed);
    return std::move(value.get_object());
  } catch (const YAML::Exception& error) {
    return fail(Errc::invalid, fmt::format("{}:{}: {}", file_name, error.mark.line + 1, quotable(error.msg, 200)));
  }
}

int line_of(std::string_view text, std::string_view member) {
  try {
    YAML::Node node = YAML::Load(std::string(text));
    int line = node.Mark().line + 1;
    while (!member.empty()) {
      const std::string_view step = next_step(member);
      if (step.empty()) continue;  // between ']' and '.'
      const auto [next, at] = below(node, step);
      if (at == 0) break;
      line = at;
      node.reset(next);
    }
    return line;
  } catch (const YAML::Exception&) {
    return 0;
  }
}

}  // namespace sickbay::config
