// A first look at a message: which of a few hundred literals are in it? An Aho-Corasick automaton, one table look-up
// per byte, so that the millions of lines no rule cares about cost next to nothing.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sickbay::rules {

constexpr std::size_t kMaxKeys = 1024;
using Keys = std::bitset<kMaxKeys>;

class Scanner {
 public:
  // Each literal (not empty) with the key (under kMaxKeys) it stands for. Several literals may share a key.
  // At most about 30,000 bytes of literals together.
  explicit Scanner(const std::vector<std::pair<std::string, std::uint16_t>>& literals);

  // Adds the keys of all literals in `text`; true when there are any.
  bool scan(std::string_view text, Keys& keys) const;
  std::size_t bytes() const { return next_.size() * sizeof(std::uint16_t); }

 private:
  std::uint8_t class_of_[256] = {};  // bytes that no literal has are all of class 0
  std::size_t classes_ = 1;
  std::vector<std::uint16_t> next_;                  // state * classes_ + class -> state
  std::uint16_t first_accepting_ = 0;                // accepting states have the highest numbers
  std::vector<std::vector<std::uint16_t>> accepts_;  // keys, by state - first_accepting_
};

}  // namespace sickbay::rules
