#include "base/ids.hpp"

#include <fmt/core.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

#include "base/text.hpp"

namespace sickbay {
namespace {

template <std::size_t N>
std::array<unsigned char, N> random_bytes() {
  std::array<unsigned char, N> bytes;
  // Without randomness no identifier is safe; there is nothing sensible to return.
  if (RAND_bytes(bytes.data(), static_cast<int>(N)) != 1) throw std::runtime_error("the random source failed");
  return bytes;
}

template <std::size_t N>
std::string hex(const std::array<unsigned char, N>& bytes) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

std::string RandomIds::next(std::string_view prefix) {
  return fmt::format("{}-{}", prefix, hex(random_bytes<12>()));
}

std::string SeededIds::next(std::string_view prefix) {
  return fmt::format("{}-{:016x}{:08x}", prefix, random_(), random_() & 0xffffffffU);
}

std::string random_uuid() {
  auto bytes = random_bytes<16>();
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  const std::string h = hex(bytes);
  return fmt::format("{}-{}-{}-{}-{}", h.substr(0, 8), h.substr(8, 4), h.substr(12, 4), h.substr(16, 4), h.substr(20));
}

std::string random_secret() {
  return hex(random_bytes<32>());
}

}  // namespace sickbay
