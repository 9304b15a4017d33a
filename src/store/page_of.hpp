// Paged lists: keyset paging over (a growing column, id), so that a page costs the same wherever it is and rows that
// come meanwhile neither repeat nor hide others. The token is that pair; it comes back from clients, so it is checked.
#pragma once

#include <algorithm>

#include "base/text.hpp"
#include "store/paging.hpp"
#include "store/sql.hpp"

namespace sickbay::store {

constexpr std::size_t kMaxPage = 1000;

struct PageToken {
  std::int64_t position = 0;
  std::string id;
};
PageToken read_token(std::string_view token);  // Errc::invalid, field page_token

// The page of `table`'s documents that `where` selects, by (`column`, id).
template <class T>
Paged<T> page_of(Tx& tx, const Table& table, Where where, std::string_view column, bool ascending, const Page& page) {
  PageToken after;
  if (!page.token.empty()) {
    after = read_token(page.token);
    const std::string position = where.next();
    where.bind(param(after.position));
    where.add(fmt::format("({}, id) {} ({}, {{}})", column, ascending ? ">" : "<", position), param(after.id));
  }
  const std::size_t size = std::clamp<std::size_t>(page.size, 1, kMaxPage);
  const std::string_view direction = ascending ? "ASC" : "DESC";
  const std::string condition = where.text();
  const std::string limit = where.next();
  where.bind(param(size + 1));
  const std::string sql = fmt::format("SELECT id, doc, {} FROM {}{} ORDER BY {} {}, id {} LIMIT {}", column, table.name,
                                      condition, column, direction, direction, limit);
  Paged<T> out;
  std::string last;
  for (const Row& row : tx.connection().run(sql, where.params(), 3)) {
    if (out.items.size() == size) {
      out.next = last;
      break;
    }
    out.items.push_back(parse_document<T>(table, *row[0], row[1].value_or("")));
    last = fmt::format("{}.{}", row[2].value_or("0"), *row[0]);
  }
  return out;
}

}  // namespace sickbay::store
