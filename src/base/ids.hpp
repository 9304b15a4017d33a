// Ids: where new identifiers come from. Passed in like the clock, so that a simulation replays exactly.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace sickbay {

class Ids {
 public:
  virtual ~Ids() = default;
  // A new identifier "PREFIX-xxxxxxxxxxxxxxxxxxxxxxxx" of lower-case hexadecimal digits (96 bits).
  virtual std::string next(std::string_view prefix) = 0;
};

// From the kernel's random source. Thread safe.
class RandomIds final : public Ids {
 public:
  std::string next(std::string_view prefix) override;
};

// The same sequence for the same seed. For tests and the simulation; not thread safe.
class SeededIds final : public Ids {
 public:
  explicit SeededIds(std::uint64_t seed) : random_(seed) {}
  std::string next(std::string_view prefix) override;

 private:
  std::mt19937_64 random_;
};

// A version 4 UUID from the kernel's random source.
std::string random_uuid();
// 32 random bytes as 64 hexadecimal digits: a bearer token's secret.
std::string random_secret();

}  // namespace sickbay
