// sickbay-rules-compile DIRECTORY OUT: reads and checks the rule files of a directory and writes them as the compiled
// pack: JSON, or C++ source that embeds the JSON when OUT ends in .cpp. The build runs it on rules/; operators may, to
// give agents a pack of their own.
#include <fmt/core.h>

#include <boost/json/serialize.hpp>
#include <fstream>
#include <string>

#include "rules/yaml.hpp"

namespace {

using namespace sickbay;

std::string as_source(std::string_view text) {
  std::string out =
      "// Made from rules/*.yaml by sickbay-rules-compile.\n#include \"rules/pack.hpp\"\n\n"
      "namespace sickbay::rules {\n\nstd::string_view built_in_pack() {\n  static constexpr char text[] =";
  constexpr std::size_t kPiece = 4000;  // compilers bound the length of one literal
  for (std::size_t i = 0; i < text.size(); i += kPiece) {
    out += "\n      \"";
    for (const char c : text.substr(i, kPiece)) {
      if (c == '"' || c == '\\') {
        out += fmt::format("\\{}", c);
      } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
        out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
      } else {
        out += c;
      }
    }
    out += '"';
  }
  return out + ";\n  return std::string_view(text, sizeof(text) - 1);\n}\n\n}  // namespace sickbay::rules\n";
}

int compile(const std::string& directory, const std::string& out) {
  const auto pack = rules::load_directory(directory);
  const Status checked = pack ? rules::check_pack(*pack) : tl::unexpected<Error>(pack.error());
  if (!checked) {
    fmt::print(stderr, "{}\n", checked.error().message);
    return 1;
  }
  auto document = rules::compile_directory(directory);
  if (!document) {
    fmt::print(stderr, "{}\n", document.error().message);
    return 1;
  }
  if (auto* rule_list = document->if_contains("rules"); rule_list && rule_list->is_array()) {
    for (auto& rule : rule_list->get_array()) {  // tests are for the build, not for every node's memory
      rule.get_object().erase("match");
      rule.get_object().erase("differ");
    }
  }
  const std::string text = boost::json::serialize(*document);
  std::ofstream file(out, std::ios::binary);
  file << (out.ends_with(".cpp") ? as_source(text) : text);
  file.close();
  if (!file) {
    fmt::print(stderr, "{} cannot be written\n", out);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: sickbay-rules-compile DIRECTORY OUT.json|OUT.cpp\n");
    return 2;
  }
  return compile(argv[1], argv[2]);
}
