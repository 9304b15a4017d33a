// One number in one place, no reference that leads nowhere, and nothing that names the machine it was written on.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "tests/unit/house/source_files.hpp"

namespace sickbay::house {
namespace {

// "hours{24 * 10}" and "hours{10 * 24}" are one: the factors in order, as microseconds would make every test here know
// arithmetic.
std::string value_of(std::string text) {
  static const std::regex product(R"((\d+) \* (\d+))");
  std::smatch found;
  if (std::regex_search(text, found, product)) {
    const auto least = std::min(std::stol(found[1]), std::stol(found[2]));
    const auto most = std::max(std::stol(found[1]), std::stol(found[2]));
    text = found.prefix().str() + std::to_string(least) + " * " + std::to_string(most) + found.suffix().str();
  }
  return text;
}

// What it detects: two constants of src/ with the same name and the same value, whatever the rooms; and the ten days
// for which evidence counts (product.md 4 rule 3) written a second time under any name. What it does not: one number
// under two names, when the number is a common one (7 days, 5 minutes) and may well mean two things.
TEST(Words, ATimeThatTheProductPromisesIsWrittenInOnePlace) {
  static const std::regex constant(R"(constexpr (?:Duration|int|unsigned|std::size_t|double) (k\w+) = ([^;,]+);)");
  static const std::regex ten_days(R"(hours\{24 \* 10\}|hours\{10 \* 24\}|hours\{240\}|days\{10\})");
  std::map<std::string, std::string> seen;
  std::vector<std::string> evidence;
  for (const auto& file : sources("src")) {
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      const std::string place = shown(file) + ":" + std::to_string(++number);
      std::smatch found;
      if (std::regex_search(line, found, ten_days)) evidence.push_back(place);
      if (!std::regex_search(line, found, constant)) continue;
      const std::string key = found[1].str() + " = " + value_of(found[2]);
      const auto [first, is_new] = seen.try_emplace(key, place);
      EXPECT_TRUE(is_new) << place << ": " << key << " is in " << first->second
                          << " already: define it once, below both";
    }
  }
  EXPECT_GT(seen.size(), 50U);
  ASSERT_LE(evidence.size(), 1U) << evidence[0] << " and " << evidence[1] << " both say for how long evidence counts";
}

// docs/reviews.md says of each fault which test would notice it again.
TEST(Words, EveryTestThatTheDocumentsNameIsThere) {
  static const std::regex defined(R"(TEST(?:_F|_P)?\((\w+), (\w+)\))");
  static const std::regex named(R"(`([A-Z]\w+)\.([A-Z]\w+)`)");
  std::set<std::string> tests;
  for (const auto& file : sources("tests")) {
    for (const std::string& line : lines_of(file)) {
      for (std::sregex_iterator at(line.begin(), line.end(), defined), end; at != end; ++at)
        tests.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  std::size_t count = 0;
  for (const std::string& line : lines_of(fs::path(SICKBAY_SOURCE_DIR) / "docs/reviews.md")) {
    for (std::sregex_iterator at(line.begin(), line.end(), named), end; at != end; ++at, ++count) {
      const std::string name = (*at)[1].str() + "." + (*at)[2].str();
      EXPECT_TRUE(tests.contains(name)) << "docs/reviews.md names " << name << ", which no test is called";
    }
  }
  EXPECT_GT(count, 30U);
}

TEST(Words, EveryDocumentThatAnythingNamesIsThere) {
  std::set<std::string> documents;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SICKBAY_SOURCE_DIR) / "docs")) {
    if (entry.path().extension() == ".md") documents.insert(entry.path().filename().string());
  }
  documents.insert("README.md");
  static const std::regex name(R"(\b[A-Za-z_-]+\.md\b)");
  const auto check = [&](const fs::path& file) {
    int number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      for (std::sregex_iterator at(line.begin(), line.end(), name), end; at != end; ++at) {
        EXPECT_TRUE(documents.contains(at->str()))
            << shown(file) << ":" << number << ": there is no " << at->str() << " below docs/";
      }
    }
  };
  for (const std::string directory : {"src", "apps", "tests", "bench"}) {
    for (const auto& file : sources(directory)) check(file);
  }
  for (const std::string directory : {"docs", "rules", "deploy", "cmake"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SICKBAY_SOURCE_DIR) / directory)) {
      if (entry.is_regular_file() && entry.path().extension() != ".svg") check(entry.path());
    }
  }
}

TEST(Words, AReferenceToASectionOfADesignLeadsToOne) {
  static const std::regex reference(R"(\b(product|engine)\.md (\d+(?:\.\d+)?))");
  std::map<std::string, std::string> text;
  for (const std::string name : {"product", "engine"}) {
    text[name] = read(fs::path(SICKBAY_SOURCE_DIR) / "docs/design" / (name + ".md"));
    ASSERT_FALSE(text[name].empty());
  }
  for (const std::string directory : {"src", "apps", "tests"}) {
    for (const auto& file : sources(directory)) {
      const std::string source = read(file);
      for (std::sregex_iterator at(source.begin(), source.end(), reference), end; at != end; ++at) {
        const std::string section = (*at)[2];
        const bool sub = section.find('.') != std::string::npos;
        const std::string heading = sub ? "\n### " + section + " " : "\n## " + section + ". ";
        EXPECT_NE(text[(*at)[1]].find(heading), std::string::npos) << shown(file) << " names " << at->str();
      }
    }
  }
}

TEST(Words, NothingNamesTheMachineItWasWrittenOn) {
  const std::string w = "/wo"
                        "rk/",
                    t = "/tmp/"
                        "w/",
                    h = "/ho"
                        "me/";  // spelled so that this file passes
  for (const std::string directory : {"src", "apps", "tests", "bench"}) {
    for (const auto& file : sources(directory)) {
      const std::string text = read(file);
      for (const auto& word : {w, t, h}) {
        EXPECT_EQ(text.find(word), std::string::npos) << shown(file) << " names " << word;
      }
    }
  }
}

}  // namespace
}  // namespace sickbay::house
