// The forms in which people and tools hand kernel messages around (parse_line). Prefixes are taken off one after the
// other until none is left, because they nest: a journal line may hold a dmesg line.
#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"
#include "rules/record.hpp"

namespace sickbay::rules {
namespace {

// Programs whose lines some rule reads, and that write "NAME[PID]: " in front. Others cannot be told from kernel
// messages such as "python3[42]: segfault at ...".
constexpr std::array<std::string_view, 13> kPrograms = {
    "systemd", "systemd-networkd", "systemd-journald",     "kubelet",        "containerd",    "dockerd",
    "docker",  "nv-fabricmanager", "nvidia-fabricmanager", "NetworkManager", "nv-hostengine", "aws-k8s-agent",
    "ipamd"};

constexpr std::array<std::string_view, 8> kLevels = {"emerg", "alert",  "crit", "err",
                                                     "warn",  "notice", "info", "debug"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == '.';
}

void skip_spaces(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

// "<6>": syslog's priority.
bool take_priority(std::string_view& text, Record& record) {
  const auto close = text.find('>');
  if (!text.starts_with('<') || close == std::string_view::npos || close > 5) return false;
  const auto priority = parse_uint(text.substr(1, close - 1));
  if (!priority || *priority > 0x7fff) return false;
  record.facility = static_cast<int>(*priority >> 3);
  record.level = static_cast<int>(*priority & 7);
  text.remove_prefix(close + 1);
  skip_spaces(text);
  return true;
}

// "kern  :warn  : 2026-02-03T04:05:06,789012+00:00 ": dmesg --decode.
bool take_decoded(std::string_view& text, Record& record) {
  const auto first = text.substr(0, 16).find(':');
  if (first == std::string_view::npos) return false;
  const auto second = text.substr(0, 32).find(':', first + 1);
  if (second == std::string_view::npos) return false;
  const std::string_view facility = trim(text.substr(0, first));
  const std::string_view level = trim(text.substr(first + 1, second - first - 1));
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (level != kLevels[i]) continue;
    record.level = static_cast<int>(i);
    record.facility = facility == "kern" ? 0 : facility == "user" ? 1 : 3;
    text.remove_prefix(second + 1);
    skip_spaces(text);
    return true;
  }
  return false;
}

// "[   12.345678] ": seconds since boot, with anything dmesg, printk's caller or people put into brackets there.
bool take_bracket(std::string_view& text, Record& record) {
  const auto close = text.substr(0, 40).find(']');
  if (!text.starts_with('[') || close == std::string_view::npos) return false;
  const std::string_view inside = trim(text.substr(1, close - 1));
  const bool caller = inside.size() > 1 && (inside[0] == 'T' || inside[0] == 'C') && parse_uint(inside.substr(1));
  const bool level = inside == "ERROR" || inside == "INFO" || inside == "WARNING" || inside == "CRITICAL" ||
                     inside == "DEBUG" || inside == "NOTICE";
  bool stamp = inside == "..." || inside.starts_with("tid ");
  if (!inside.empty() && is_digit(inside[0])) {
    stamp = inside.find_first_not_of("0123456789.:-, TZ+") == std::string_view::npos;
    const auto dot = inside.find('.');
    const auto seconds = parse_uint(inside.substr(0, dot));
    if (seconds && *seconds < (1ULL << 40)) {
      std::string fraction(dot == std::string_view::npos ? "" : inside.substr(dot + 1, 6));
      fraction.resize(6, '0');
      record.since_boot_us = static_cast<std::int64_t>(*seconds * 1'000'000 + parse_uint(fraction).value_or(0));
    }
  }
  for (const std::string_view month : kMonths) {  // "Tue May  1 10:00:00 2026", "Jul 23 2024 07:53:55"
    stamp = stamp || (inside.size() > 15 && inside.find(':') != std::string_view::npos &&
                      (inside.substr(0, 3) == month || inside.substr(4, 3) == month));
  }
  if (!caller && !stamp && !level) return false;
  if (level || inside.starts_with("tid ")) record.origin = Origin::program, record.program = "nv-fabricmanager";
  if (caller) record.caller = std::string(inside);
  text.remove_prefix(close + 1);
  skip_spaces(text);
  return true;
}

std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_word(text[length])) ++length;
  return length;
}

bool is_month(std::string_view text) {
  return std::find(kMonths.begin(), kMonths.end(), text.substr(0, 3)) != kMonths.end();
}

// "May  1 10:00:00 ", with a weekday before and a year after, or "2026-05-01T10:00:00.123456+00:00 ", with a space for
// the T: the date of syslog and the journal.
bool take_date(std::string_view& text) {
  std::string_view rest = text;
  if (rest.size() > 20 && rest[3] == ' ' && !is_month(rest) && is_month(rest.substr(4))) rest.remove_prefix(4);
  std::size_t end = std::string_view::npos;
  if (rest.size() > 16 && is_month(rest) && rest[3] == ' ' && rest[6] == ' ' && rest[9] == ':' && rest[12] == ':') {
    end = rest.find(' ', 7);
    const bool year = end != std::string_view::npos && parse_uint(rest.substr(end + 1, 4)).has_value() &&
                      rest.substr(end + 5).starts_with(' ');
    if (year) end += 5;
  } else if (rest.size() > 20 && is_digit(rest[0]) && rest[4] == '-' && rest[7] == '-' &&
             (rest[10] == 'T' || rest[10] == ' ') && rest[13] == ':') {
    end = rest.find(' ', 11);
  }
  if (end == std::string_view::npos) return false;
  text = rest.substr(end);
  skip_spaces(text);
  return true;
}

// "kernel: ", "host kernel: ", "host systemd-networkd[12]: ", "systemd[1]: ": who wrote it.
bool take_writer(std::string_view& text, Record& record, bool dated) {
  std::string_view rest = text;
  for (int words = 0; words < 2; ++words) {
    const std::size_t length = word_length(rest);
    if (length == 0) return false;
    const std::string_view word = rest.substr(0, length);
    std::string_view tail = rest.substr(length);
    if (tail.starts_with('[')) {
      const auto close = tail.substr(0, 12).find(']');
      if (close == std::string_view::npos || !parse_uint(tail.substr(1, close - 1))) return false;
      tail.remove_prefix(close + 1);
    }
    if (tail.starts_with(": ")) {
      const bool kernel = word == "kernel";
      bool known = false;
      for (const std::string_view program : kPrograms) known = known || word == program;
      const bool after_host = dated && words == 1;
      if (!kernel && !known && !after_host) return false;
      tail.remove_prefix(2);
      skip_spaces(tail);
      if (!kernel && tail.starts_with("segfault at")) return false;  // the kernel about the program
      record.origin = kernel ? Origin::kernel : Origin::program;
      record.program = kernel ? "" : std::string(word);
      if (!kernel && record.facility == 0) record.facility = 3;
      text = tail;
      return true;
    }
    if (!tail.starts_with(' ') || (rest.size() != text.size())) return false;
    rest = tail.substr(1);
  }
  return false;
}

// "message repeated 9 times: [TEXT]": rsyslog folds repetitions.
bool take_repeated(std::string_view& text) {
  constexpr std::string_view kStart = "message repeated ", kMiddle = " times: [";
  const auto middle = text.substr(0, 40).find(kMiddle);
  if (!text.starts_with(kStart) || !text.ends_with(']') || middle == std::string_view::npos) return false;
  if (!parse_uint(text.substr(kStart.size(), middle - kStart.size()))) return false;
  text.remove_prefix(middle + kMiddle.size());
  text.remove_suffix(1);
  skip_spaces(text);
  return true;
}

bool looks_raw(std::string_view text) {
  const auto semicolon = text.substr(0, 128).find(';');
  if (semicolon == std::string_view::npos) return false;
  const std::string_view header = text.substr(0, semicolon);
  return !header.empty() && is_digit(header[0]) && header.find(',') != std::string_view::npos &&
         header.find_first_of(" \n:") == std::string_view::npos;
}

}  // namespace

Result<Record> parse_line(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (looks_raw(line)) return parse_kmsg(line);
  if (line.empty()) return fail(Errc::invalid, "the line is empty");
  Record record;
  record.origin = Origin::bare;
  bool dated = false, decoded = false, headed = false;  // decoded: dmesg's date, which no host and program follow
  for (bool more = true; more && !line.empty();) {
    const bool date = take_date(line);
    dated = dated || (date && !decoded);
    const bool decoding = !date && take_decoded(line, record);
    decoded = decoded || decoding;
    more = date || decoding || take_priority(line, record) || take_bracket(line, record) || take_repeated(line);
    if (!more && take_writer(line, record, dated)) more = true, dated = false;  // one writer a date
    headed = headed || more;
  }
  if (headed && record.origin == Origin::bare) record.origin = Origin::kernel;
  std::string safe = to_utf8(line.substr(0, kMaxMessage));
  if (safe.size() > kMaxMessage) safe.resize(truncate_utf8(safe, kMaxMessage).size());
  record.message = std::move(safe);
  return record;
}

}  // namespace sickbay::rules
