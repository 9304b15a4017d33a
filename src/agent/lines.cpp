#include "agent/lines.hpp"

#include <utility>

namespace sickbay::agent {
namespace {

// "priority,sequence,microseconds,flags...;": the header of a raw kernel record.
bool is_raw(std::string_view text) {
  int commas = 0;
  for (std::size_t i = 0; i < text.size() && i < 64; ++i) {
    if (text[i] == ',') {
      if (++commas == 3) return text.find(';') != std::string_view::npos;
    } else if (text[i] < '0' || text[i] > '9') {
      return false;
    }
  }
  return false;
}

}  // namespace

void Lines::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline);
    if (!skipping_) {
      const std::size_t fits = kMaxLine - partial_.size();
      partial_.append(piece.substr(0, fits));
      if (piece.size() > fits) {
        skipping_ = true;
        ++cut_;
      }
    }
    if (newline == std::string_view::npos) return;
    bytes.remove_prefix(newline + 1);
    skipping_ = false;
    line(partial_);
    partial_.clear();
  }
}

void Lines::line(std::string_view text) {
  ++count_;
  if (!record_.empty() && text.starts_with(' ') && is_raw(record_)) {
    if (record_.size() + text.size() < kMaxRecord) record_.append("\n").append(text);
    return;
  }
  rest();
  if (text.empty()) return;
  record_ = text;
  record_line_ = count_;
}

void Lines::rest() {
  if (record_.empty()) return;
  const std::string record = std::move(record_);
  record_.clear();
  take_(record, record_line_);
}

void Lines::end() {
  if (!partial_.empty()) line(std::exchange(partial_, {}));
  rest();
}

}  // namespace sickbay::agent
