#include "rules/xid_line.hpp"

#include <charconv>

#include "base/text.hpp"

namespace sickbay::rules {
namespace {

constexpr std::uint32_t kHighestCode = 9999;  // above are sentinels of failed reads, not codes

// A decimal number at the front of `text`, taken off.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') ++length;
  const auto number = parse_uint(text.substr(0, length));
  if (number) text.remove_prefix(length);
  return number;
}

void skip(std::string_view& text, std::string_view characters) {
  const auto first = text.find_first_not_of(characters);
  text.remove_prefix(first == std::string_view::npos ? text.size() : first);
}

// "(ADDRESS): CODE" at the front: the part both Xid and SXid lines have.
bool take_address_and_code(std::string_view& text, std::string& device, std::string_view& extra, std::uint32_t& code) {
  const auto close = text.substr(0, 64).find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return false;
  const std::string_view inside = text.substr(1, close - 1);
  const auto space = inside.find(' ');
  std::string_view address = inside.substr(0, space);
  // Drivers before R260 print bus and device with four digits: "(0058:00)".
  if (address.size() == 7 && address[4] == ':' && address.starts_with("00")) address.remove_prefix(2);
  device = normalize_pci(address);
  if (device.empty()) return false;
  extra = space == std::string_view::npos ? std::string_view{} : trim(inside.substr(space));
  text.remove_prefix(close + 1);
  skip(text, " ");
  if (!text.starts_with(':')) return false;
  text.remove_prefix(1);
  skip(text, " ");
  const auto number = take_number(text);
  if (!number || *number == 0 || *number > kHighestCode * 10ULL) return false;
  code = static_cast<std::uint32_t>(*number);
  return text.empty() || text.front() == ',' || text.front() == ' ' || text.front() == '\n' || text.front() == '.';
}

// The value of "KEY" at the front up to the next ", ", taken off with it.
std::string_view take_field(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key)) return {};
  text.remove_prefix(key.size());
  const auto comma = text.find(", ");
  std::string_view value = text.substr(0, comma);
  text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 2);
  if (value.size() > 1 && value.front() == '\'' && value.back() == '\'') value = value.substr(1, value.size() - 2);
  return value == "<unknown>" ? std::string_view{} : trim(value);
}

std::optional<int> link_number(std::string_view text) {
  const auto at = text.find("Link ");
  if (at == std::string_view::npos || (at > 0 && text[at - 1] != ' ')) return std::nullopt;
  text.remove_prefix(at + 5);
  int link = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), link);
  if (error != std::errc{} || link < -1 || link > 1023) return std::nullopt;
  return link;
}

std::optional<std::uint32_t> take_hex(std::string_view& text) {
  skip(text, " ,");
  if (!text.starts_with("0x")) return std::nullopt;
  text.remove_prefix(2);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

}  // namespace

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  return take_number(text);
}

std::optional<XidLine> parse_xid(std::string_view line) {
  constexpr std::string_view kStart = "NVRM: Xid ";
  if (!line.starts_with(kStart)) return std::nullopt;
  line.remove_prefix(kStart.size());
  XidLine out;
  std::string_view extra;
  if (!take_address_and_code(line, out.device, extra, out.code) || out.code > kHighestCode) return std::nullopt;
  if (extra.starts_with("GPU-I:")) out.gpu_instance = std::string(extra.substr(6));
  skip(line, ", ");
  out.pid = take_field(line, "pid=");
  out.name = take_field(line, "name=");
  out.tail = trim(line);
  return out;
}

std::optional<Nvlink5Line> parse_nvlink5(std::string_view tail) {
  Nvlink5Line out;
  for (const std::string_view word : {" Fatal", " Nonfatal", " Non-fatal"}) {
    const auto at = tail.substr(0, 80).find(word);
    if (at == std::string_view::npos || at == 0) continue;
    const std::string_view after = tail.substr(at + word.size());
    if (!after.empty() && after.front() != ' ') continue;
    out.unit = trim(tail.substr(0, at));
    out.word = word == " Fatal" ? "Fatal" : "Nonfatal";
    out.link = link_number(after);
    if (const auto open = after.find('('); open != std::string_view::npos) {
      std::string_view words = after.substr(open + 1);
      while (out.words.size() < 8) {
        const auto value = take_hex(words);
        if (!value) break;
        out.words.push_back(*value);
      }
    }
    return out;
  }
  return std::nullopt;
}

std::optional<RecoveryLine> parse_recovery(std::string_view tail) {
  const auto at = tail.find("recovery action changed from ");
  if (at == std::string_view::npos) return std::nullopt;
  RecoveryLine out;
  tail.remove_prefix(at + 29);
  const auto from = take_hex(tail);
  const auto to_at = tail.find(" to ");
  if (!from || to_at == std::string_view::npos) return std::nullopt;
  tail.remove_prefix(to_at + 4);
  const auto to = take_hex(tail);
  if (!to) return std::nullopt;
  out.from = *from;
  out.to = *to;
  const auto open = tail.find('('), close = tail.find(')');
  if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
    out.words = tail.substr(open + 1, close - open - 1);
  }
  return out;
}

std::optional<SxidLine> parse_sxid(std::string_view line) {
  constexpr std::string_view kStart = "nvidia-nvswitch";
  if (!line.starts_with(kStart)) return std::nullopt;
  line.remove_prefix(kStart.size());
  SxidLine out;
  const auto colon = line.substr(0, 8).find(": SXid ");
  if (colon == std::string_view::npos) return std::nullopt;
  out.index = line.substr(0, colon);
  if (!out.index.empty() && !parse_uint(out.index)) return std::nullopt;
  line.remove_prefix(colon + 7);
  std::string_view extra;
  if (!take_address_and_code(line, out.device, extra, out.code)) return std::nullopt;
  skip(line, ", ");
  out.detail = trim(line);
  for (const std::string_view word : {"Fatal", "Non-fatal", "Nonfatal"}) {
    if (!line.starts_with(word) ||
        (line.size() > word.size() && line[word.size()] != ',' && line[word.size()] != ' ')) {
      continue;
    }
    out.word = word == "Fatal" ? "Fatal" : "Non-fatal";
    line.remove_prefix(word.size());
    skip(line, ", ");
    out.link = link_number(line);
    out.detail = trim(line);
  }
  out.secondary = out.word.empty() && (line.starts_with("Data ") || line.starts_with("Severity ") ||
                                       line.find("data[") != std::string_view::npos);
  return out;
}

}  // namespace sickbay::rules
