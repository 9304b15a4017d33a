#include "base/text.hpp"

#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <array>
#include <charconv>

namespace sickbay {
namespace {

// Length of the valid UTF-8 sequence at the front of `text` (1 to 4), or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xc0) == 0x80; };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return tail(1) ? 2 : 0;
  if (first < 0xf0) {
    if (!tail(1) || !tail(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;  // surrogates
    return 3;
  }
  if (first < 0xf5) {
    if (!tail(1) || !tail(2) || !tail(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

template <class T>
std::optional<T> parse_number(std::string_view text, int base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const auto at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

std::optional<std::int64_t> parse_int(std::string_view text, int base) {
  return parse_number<std::int64_t>(text, base);
}
std::optional<std::uint64_t> parse_uint(std::string_view text, int base) {
  return parse_number<std::uint64_t>(text, base);
}

std::string to_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    const std::size_t length = utf8_length(bytes);
    const bool high = length == 2 && byte == 0xc2 && static_cast<unsigned char>(bytes[1]) < 0xa0;  // C1, as 0x9b: CSI
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f || high;
    if (length == 0 || control) {
      out += fmt::format("\\x{:02x}", byte);
      bytes.remove_prefix(1);
    } else {
      out += bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
  }
  return out;
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string_view truncate_utf8(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

bool equal_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string normalize_pci(std::string_view text) {
  if (text.starts_with("PCI:") || text.starts_with("pci:")) text.remove_prefix(4);
  std::uint64_t function = 0;
  if (const auto dot = text.rfind('.'); dot != std::string_view::npos) {
    const auto parsed = parse_uint(text.substr(dot + 1), 16);
    if (!parsed || *parsed > 7 || text.size() - dot != 2) return {};
    function = *parsed;
    text = text.substr(0, dot);
  }
  const auto parts = split(text, ':');
  if (parts.size() != 2 && parts.size() != 3) return {};
  std::array<std::uint64_t, 3> values{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool domain = parts.size() == 3 && i == 0;
    const auto parsed = parse_uint(parts[i], 16);
    if (!parsed || parts[i].size() > (domain ? 8U : 2U)) return {};
    values[i + 3 - parts.size()] = *parsed;
  }
  if (values[2] > 0x1f) return {};
  return fmt::format("{:04x}:{:02x}:{:02x}.{}", values[0], values[1], values[2], function);
}

}  // namespace sickbay
