// Equality of described values, member by member, so that a turn returns only what it changed without every noun of
// model/ having to spell an operator== that forgets the next field.
#pragma once

#include <boost/describe/members.hpp>
#include <boost/json/object.hpp>
#include <boost/mp11/algorithm.hpp>
#include <optional>
#include <type_traits>
#include <vector>

namespace sickbay::decide {

template <class T>
bool same(const T& a, const T& b);

namespace detail {
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
}  // namespace detail

template <class T>
bool same(const T& a, const T& b) {
  if constexpr (detail::is_optional<T>) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (detail::is_vector<T>) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i])) return false;
    }
    return true;
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    bool equal = true;
    using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;
    boost::mp11::mp_for_each<Members>(
        [&](auto member) { equal = equal && same(a.*member.pointer, b.*member.pointer); });
    return equal;
  } else {
    return a == b;
  }
}

}  // namespace sickbay::decide
