#include "rules/scanner.hpp"

namespace sickbay::rules {
namespace {

struct Node {
  std::vector<std::uint16_t> next;  // by class; 0 is the root, which means "none" while the trie grows
  std::vector<std::uint16_t> keys;
  std::uint16_t fail = 0;
};

}  // namespace

Scanner::Scanner(const std::vector<std::pair<std::string, std::uint16_t>>& literals) {
  for (const auto& [literal, key] : literals) {
    for (const char c : literal) {
      std::uint8_t& klass = class_of_[static_cast<unsigned char>(c)];
      if (klass == 0) klass = static_cast<std::uint8_t>(classes_++);
    }
  }
  std::vector<Node> trie(1);
  trie[0].next.resize(classes_);
  for (const auto& [literal, key] : literals) {
    std::size_t at = 0;
    for (const char c : literal) {
      const std::size_t klass = class_of_[static_cast<unsigned char>(c)];
      if (trie[at].next[klass] == 0) {
        if (trie.size() >= 0xffff) break;
        trie[at].next[klass] = static_cast<std::uint16_t>(trie.size());
        trie.emplace_back().next.resize(classes_);
      }
      at = trie[at].next[klass];
    }
    trie[at].keys.push_back(key);
  }
  // Breadth first: a state without a way on takes the way of its longest proper suffix.
  std::vector<std::uint16_t> order;
  for (const std::uint16_t child : trie[0].next) {
    if (child) order.push_back(child);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint16_t at = order[i];
    const Node suffix = trie[trie[at].fail];
    trie[at].keys.insert(trie[at].keys.end(), suffix.keys.begin(), suffix.keys.end());
    for (std::size_t klass = 0; klass < classes_; ++klass) {
      std::uint16_t& child = trie[at].next[klass];
      if (child) {
        trie[child].fail = suffix.next[klass];
        order.push_back(child);
      } else {
        child = suffix.next[klass];
      }
    }
  }
  // Number the states so that accepting ones come last: the scan then tests one comparison per byte.
  std::vector<std::uint16_t> states;
  for (const bool accepting : {false, true}) {
    for (std::size_t i = 0; i < trie.size(); ++i) {
      if (trie[i].keys.empty() != accepting) states.push_back(static_cast<std::uint16_t>(i));
    }
  }
  std::vector<std::uint16_t> number(trie.size());
  for (std::size_t i = 0; i < states.size(); ++i) number[states[i]] = static_cast<std::uint16_t>(i);
  first_accepting_ = static_cast<std::uint16_t>(trie.size());
  next_.resize(trie.size() * classes_);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Node& node = trie[states[i]];
    for (std::size_t klass = 0; klass < classes_; ++klass) next_[i * classes_ + klass] = number[node.next[klass]];
    if (node.keys.empty()) continue;
    if (accepts_.empty()) first_accepting_ = static_cast<std::uint16_t>(i);
    accepts_.push_back(node.keys);
  }
}

bool Scanner::scan(std::string_view text, Keys& keys) const {
  std::size_t state = 0;
  bool any = false;
  const std::uint16_t* next = next_.data();
  for (const char c : text) {
    state = next[state * classes_ + class_of_[static_cast<unsigned char>(c)]];
    if (state >= first_accepting_) [[unlikely]] {
      for (const std::uint16_t key : accepts_[state - first_accepting_]) keys.set(key);
      any = true;
    }
  }
  return any;
}

}  // namespace sickbay::rules
