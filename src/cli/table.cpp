#include "cli/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "cli/format.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kGap = 2;

}  // namespace

Terminal::Terminal(CliEnvironment& around, bool no_colour)
    : around_(around), width_(around.terminal_out ? around.width : 0) {
  const auto refused = around.environment("NO_COLOR");
  colour_ = around.terminal_out && !no_colour && !(refused && !refused->empty());
}

std::string Terminal::paint(std::string_view text, Colour colour) const {
  constexpr std::array<std::string_view, 5> kCodes{"", "32", "31", "33", "2"};
  const std::string_view code = kCodes[static_cast<std::size_t>(colour)];
  if (!colour_ || code.empty()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

Colour colour_of(std::string_view word) {
  constexpr std::array<std::string_view, 7> kGood{"SUCCEEDED", "AUTO_RESOLVED", "healthy", "closed",
                                                  "in-use",    "spare",         "Ready"};
  constexpr std::array<std::string_view, 8> kBad{"FAILED", "critical",    "firing", "unhealthy",
                                                 "OPEN",   "quarantined", "ticket", "Degraded"};
  constexpr std::array<std::string_view, 8> kBusy{"PENDING_APPROVAL", "PENDING", "QUARANTINING", "QUARANTINED",
                                                  "RUNNING",          "warning", "pending",      "booting"};
  constexpr std::array<std::string_view, 4> kQuiet{"CANCELLED", "resolved", "info", "paused"};
  const auto in = [word](const auto& words) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (in(kGood)) return Colour::good;
  if (in(kBad)) return Colour::bad;
  if (in(kBusy)) return Colour::busy;
  return in(kQuiet) ? Colour::quiet : Colour::none;
}

void Table::row(std::vector<std::string> cells) {
  for (auto& cell : cells) cell = cell.empty() ? "-" : printable(cell);
  cells.resize(titles_.size(), "-");
  rows_.push_back(std::move(cells));
}

void Table::print(Terminal& paper) const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < titles_.size(); ++column) {
    std::size_t width = columns(titles_[column]);
    for (const auto& row : rows_) width = std::max(width, columns(row[column]));
    widths.push_back(width);
  }
  const auto print_row = [&](const std::vector<std::string>& cells, bool title) {
    std::string line;
    std::size_t at = 0;
    for (std::size_t column = 0; column < cells.size(); ++column) {
      std::string cell = cells[column];
      const bool last = column + 1 == cells.size();
      if (last && paper.width() > at + 8) cell = cut(cell, paper.width() - at);
      const Colour colour = title ? Colour::quiet : colour_of(cell);
      line += paper.paint(cell, colour);
      if (!last) line += std::string(widths[column] - columns(cell) + kGap, ' ');
      at += widths[column] + kGap;
    }
    paper.out() << line << '\n';
  };
  print_row(titles_, true);
  for (const auto& row : rows_) print_row(row, false);
}

void FieldList::line(std::string name, std::string value) {
  if (!value.empty()) lines_.emplace_back(std::move(name), printable(value));
}

void FieldList::print(Terminal& paper) const {
  std::size_t width = 0;
  for (const auto& [name, value] : lines_) width = std::max(width, columns(name));
  for (const auto& [name, value] : lines_) {
    paper.out() << paper.paint(name, Colour::quiet) << std::string(width - columns(name) + kGap, ' ')
                << paper.paint(value, colour_of(value)) << '\n';
  }
}

std::string cut(const std::string& text, std::size_t count) {
  if (columns(text) <= count) return text;
  std::size_t bytes = 0;
  for (std::size_t seen = 0; bytes < text.size(); ++bytes) {
    const bool begins = (static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80;
    if (begins && seen++ == count - 1) break;
  }
  return text.substr(0, bytes) + "…";
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace sickbay::cli
