// Text helpers that several rooms need: splitting, hexadecimal, hashing, and making bytes from outside safe to store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sickbay {

std::string_view trim(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);  // keeps empty pieces
std::string to_lower(std::string_view text);
std::string to_hex(std::string_view bytes);
std::string sha256_hex(std::string_view bytes);  // 64 lower-case digits

// Whole text as an integer of the given base, nothing else around it.
std::optional<std::int64_t> parse_int(std::string_view text, int base = 10);
std::optional<std::uint64_t> parse_uint(std::string_view text, int base = 10);

// Bytes from outside as valid UTF-8 without control characters: what is not valid, and every control character
// (U+007F to U+009F too) but newline and tab, becomes \xNN. A backslash stays as it is, so escape once only, where the
// bytes come in.
std::string to_utf8(std::string_view bytes);
bool is_utf8(std::string_view bytes);
// At most `bytes` bytes of valid UTF-8, cut at a character's edge.
std::string_view truncate_utf8(std::string_view text, std::size_t bytes);

// Comparison that takes the same time wherever the difference is; for secrets.
bool equal_secret(std::string_view a, std::string_view b);

// A PCI address from any of the forms tools print ("PCI:0000:05:00", "00000000:86:00.0", "18:00.0") in the one form
// Sickbay uses, dddd:bb:dd.f in lower case; empty if `text` is not one. A missing function is 0.
std::string normalize_pci(std::string_view text);

}  // namespace sickbay
