// Words from outside made fit to be stored and shown: every string of a described value becomes UTF-8 without control
// characters, of a bounded length, and every list a bounded one. Values that decide (names, ids) are compared, not
// mended, before this.
#pragma once

#include <algorithm>

#include "base/text.hpp"
#include "model/json.hpp"

namespace sickbay {

inline constexpr std::size_t kLongestWords = 1000;  // bytes
inline constexpr std::size_t kMostWords = 500;      // of one list: holders, blockers, conditions, labels

// Most are: nothing is copied then.
inline bool is_plain(std::string_view text) {
  return text.size() <= kLongestWords && std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
}

inline void make_plain(std::string& text) {
  if (is_plain(text)) return;
  text = truncate_utf8(to_utf8(truncate_utf8(text, kLongestWords)), kLongestWords);
}

template <class T>
void make_plain(T& value) {
  using namespace detail;
  if constexpr (IsOptional<T>::value) {
    if (value) make_plain(*value);
  } else if constexpr (IsVector<T>::value) {
    if (value.size() > kMostWords) value.resize(kMostWords);
    for (auto& element : value) make_plain(element);
  } else if constexpr (IsMap<T>::value) {
    const bool keys_are =
        value.size() <= kMostWords && std::ranges::all_of(value, [](const auto& one) { return is_plain(one.first); });
    if (keys_are) {
      for (auto& [key, element] : value) make_plain(element);
      return;
    }
    T plain;
    for (auto& [key, element] : value) {
      if (plain.size() == kMostWords) break;
      std::string name = key;
      make_plain(name);
      make_plain(element);
      plain.emplace(std::move(name), std::move(element));
    }
    value = std::move(plain);
  } else if constexpr (Described<T>) {
    boost::mp11::mp_for_each<Members<T>>([&](auto member) { make_plain(value.*member.pointer); });
  }  // numbers, times and words of ours are plain
}

}  // namespace sickbay
