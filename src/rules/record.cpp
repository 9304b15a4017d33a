#include "rules/record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace sickbay::rules {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The kernel writes every byte that is not printable ASCII, and the backslash, as \xNN; this takes it back.
std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x' && hex_digit(text[i + 2]) >= 0 &&
        hex_digit(text[i + 3]) >= 0) {
      out += static_cast<char>(hex_digit(text[i + 2]) * 16 + hex_digit(text[i + 3]));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f && c != '\\'; });
}

std::string bounded(std::string_view text) {
  if (text.size() <= kMaxMessage && plain_ascii(text)) return std::string(text);  // nearly every line
  // Escaping makes at most four bytes of one, so cutting first keeps a megabyte line cheap.
  std::string safe = to_utf8(text.substr(0, kMaxMessage));
  if (safe.size() > kMaxMessage) safe.resize(truncate_utf8(safe, kMaxMessage).size());
  return safe;
}

tl::unexpected<Error> bad_header(std::string_view header, std::string_view why) {
  return fail(Errc::invalid, fmt::format("kernel record header '{}': {}; expected priority,sequence,microseconds,flags",
                                         to_utf8(header.substr(0, 60)), why));
}

Result<Record> parse_header(std::string_view header) {
  std::array<std::string_view, 4> fields;
  std::string_view rest = header;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto comma = rest.find(',');
    fields[i] = rest.substr(0, comma);
    if (comma == std::string_view::npos && i + 1 < fields.size()) return bad_header(header, "has fewer than 4 fields");
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  const auto priority = parse_uint(fields[0]);
  if (!priority || *priority > 0x7fff) return bad_header(header, "the priority is not a number");
  const auto sequence = parse_uint(fields[1]);
  if (!sequence) return bad_header(header, "the sequence is not a number");
  const auto micros = parse_uint(fields[2]);
  if (!micros || *micros > static_cast<std::uint64_t>(INT64_MAX)) return bad_header(header, "the time is not a number");
  Record record;
  record.facility = static_cast<int>(*priority >> 3);
  record.level = static_cast<int>(*priority & 7);
  record.sequence = *sequence;
  record.since_boot_us = static_cast<std::int64_t>(*micros);
  record.continued = fields[3] == "c";
  if (const auto caller = rest.find("caller="); caller != std::string_view::npos) {
    record.caller = bounded(rest.substr(caller + 7, rest.find(',', caller) - caller - 7));
  }
  return record;
}

}  // namespace

Result<Record> parse_kmsg(std::string_view raw) {
  const auto semicolon = raw.substr(0, 512).find(';');
  if (semicolon == std::string_view::npos) return bad_header(raw, "no ';' ends it");
  SICKBAY_ASSIGN(Record record, parse_header(raw.substr(0, semicolon)));
  raw.remove_prefix(semicolon + 1);
  const auto newline = raw.find('\n');
  const std::string_view text = raw.substr(0, newline).substr(0, 4 * kMaxMessage);
  record.message = text.find('\\') == std::string_view::npos ? bounded(text) : bounded(unescape(text));
  while (!record.message.empty() && record.message.back() == '\n') record.message.pop_back();
  if (newline == std::string_view::npos) return record;
  raw.remove_prefix(newline + 1);
  while (!raw.empty() && record.dictionary.size() < kMaxDictionary) {
    const auto end = raw.find('\n');
    std::string_view line = raw.substr(0, end);
    raw.remove_prefix(end == std::string_view::npos ? raw.size() : end + 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
    const auto equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    record.dictionary.emplace_back(bounded(unescape(line.substr(0, equals))),
                                   bounded(unescape(line.substr(equals + 1, 4 * kMaxMessage))));
  }
  return record;
}

}  // namespace sickbay::rules
