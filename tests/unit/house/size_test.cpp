// Files are one idea and say which; a function fits a screen.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "tests/unit/house/source_files.hpp"

namespace sickbay::house {
namespace {

constexpr std::size_t kLongestFunction = 70;

// What is longer for a reason, by file and the beginning of its first line, and how long it may be.
struct Long {
  std::string file, begins;
  std::size_t lines;
};
const std::vector<Long> kLonger = {
    {"src/api/remediations.cpp", "std::vector<Route> remediation_routes()", 100},  // a table of data
    {"src/model/json.hpp", "Status read_json(", 90},  // one branch for each kind of member, a table in all but form
    {"src/engine/intake.cpp", "Result<wire::HelloReply> Intake::hello(", 72},  // one transaction, told in order
};

struct Function {
  std::string first_line;
  std::size_t line = 0, lines = 0;
};

// The functions of a file laid out by clang-format: one begins at a line that ends with ") {" (and the like) and is no
// statement, and ends at the brace of its own indentation. Lambdas count as lines of the function around them.
std::vector<Function> functions(const std::vector<std::string>& lines) {
  static const std::regex statement(
      R"(^\s*(\}|if|for|while|switch|else|do|return|namespace|class|struct|enum|union|catch)\b.*|^\s*\}.*)");
  std::vector<Function> found;
  std::size_t indent = 0, begun = 0;  // begun: 0, or the number of the line where the function's head begins
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (begun == 0) {
      if (!line.ends_with("{") || line.find("= [") != std::string::npos || std::regex_match(line, statement)) continue;
      std::size_t head = i;  // the head may be laid out over several lines
      while (head > 0 && lines[head].find('(') == std::string::npos) --head;
      if (line.find(')') == std::string::npos) continue;
      while (head > 0 && lines[head].starts_with("    ") && lines[head].find_first_not_of(' ') > 4) --head;
      indent = lines[head].find_first_not_of(' ');
      begun = head + 1;
    } else if (line.starts_with(std::string(indent, ' ') + "}")) {
      found.push_back({lines[begun - 1].substr(indent), begun, i + 2 - begun});
      begun = 0;
    }
  }
  return found;
}

TEST(Size, AFunctionFitsAScreen) {
  std::size_t seen = 0;
  for (const std::string directory : {"src", "apps"}) {
    for (const auto& file : sources(directory)) {
      for (const Function& function : functions(lines_of(file))) {
        ++seen;
        std::size_t most = kLongestFunction;
        for (const Long& each : kLonger) {
          if (shown(file) == each.file && function.first_line.starts_with(each.begins)) most = each.lines;
        }
        EXPECT_LE(function.lines, most) << shown(file) << ":" << function.line << ": " << function.first_line
                                        << "\nis too long: split it by what it does";
      }
    }
  }
  EXPECT_GT(seen, 1000U) << "the scanner does not find the functions any more";
}

TEST(Size, TheScannerSeesALongFunction) {
  std::vector<std::string> lines = {"namespace a {", "Result<int> long_one(int first,",
                                    "                     int second) {"};
  lines.insert(lines.end(), 80, "  if (first) {  }");
  lines.insert(lines.end(), {"}", "", "void short_one() {", "  x();", "}", "}  // namespace a"});
  const auto found = functions(lines);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].lines, 83U);
  EXPECT_EQ(found[0].line, 2U);
  EXPECT_EQ(found[1].lines, 3U);
}

TEST(Size, AFileIsOneIdeaOfFewLinesWithACommentOnTop) {
  for (const std::string directory : {"src", "apps"}) {
    for (const auto& file : sources(directory)) {
      const std::string text = read(file);
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 400) << shown(file) << " is too long: split it by idea";
      // A .cpp beside its header is explained there.
      const bool in_header = file.extension() == ".cpp" && fs::exists(fs::path(file).replace_extension(".hpp"));
      EXPECT_TRUE(text.starts_with("// ") || in_header)
          << shown(file) << " does not begin with a comment that says what it is for";
    }
  }
}

}  // namespace
}  // namespace sickbay::house
