// Every list of the API has one form: its items, then has_next and next_page_token. A list is a described struct whose
// first member is a vector; what that member is called is the name in JSON, and both doors take it from here.
#pragma once

#include <boost/describe/members.hpp>
#include <boost/mp11/list.hpp>
#include <string_view>
#include <type_traits>

namespace sickbay::resources {

namespace detail {
template <class List>
using FirstMember = boost::mp11::mp_front<boost::describe::describe_members<List, boost::describe::mod_public>>;
}  // namespace detail

// "nodes" of a NodeList.
template <class List>
constexpr std::string_view items_name() {
  return detail::FirstMember<List>::name;
}

template <class List>
auto& items_of(List& list) {
  return list.*detail::FirstMember<std::remove_const_t<List>>::pointer;
}

// What is in it: Node of a NodeList.
template <class List>
using ItemOf = typename std::remove_cvref_t<decltype(items_of(std::declval<List&>()))>::value_type;

}  // namespace sickbay::resources
