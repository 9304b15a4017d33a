// One page of a list, as it is asked for and answered.
#pragma once

#include <string>
#include <vector>

namespace sickbay::store {

// One page of a list: up to `size` items after `token`; `next` is empty at the end.
struct Page {
  std::size_t size = 100;
  std::string token;
};
template <class T>
struct Paged {
  std::vector<T> items;
  std::string next;
};

}  // namespace sickbay::store
