// Tables and colours for people: columns are aligned by what a terminal shows, the last one is cut at its edge rather
// than wrapped, and a pipe gets everything, uncut and without colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/environment.hpp"

namespace sickbay::cli {

enum class Colour { none, good, bad, busy, quiet };

class Terminal {
 public:
  // Colour only on a terminal, and never where NO_COLOR is set (no-color.org) or `no_colour` says so.
  Terminal(CliEnvironment& around, bool no_colour);

  std::ostream& out() { return around_.out; }
  std::string paint(std::string_view text, Colour colour) const;
  std::size_t width() const { return width_; }

 private:
  CliEnvironment& around_;
  bool colour_;
  std::size_t width_;
};

// The colour of a state, severity or other word that says how well something is.
Colour colour_of(std::string_view word);

class Table {
 public:
  explicit Table(std::vector<std::string> titles) : titles_(std::move(titles)) {}
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  void print(Terminal& paper) const;

 private:
  std::vector<std::string> titles_;
  std::vector<std::vector<std::string>> rows_;
};

// "name    value" lines, aligned; an empty value is left out.
class FieldList {
 public:
  void line(std::string name, std::string value);
  void print(Terminal& paper) const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

// At most `count` columns of it, with an ellipsis where something was cut.
std::string cut(const std::string& text, std::size_t count);

// Columns that text takes on a terminal: characters, not bytes.
std::size_t columns(std::string_view text);

}  // namespace sickbay::cli
