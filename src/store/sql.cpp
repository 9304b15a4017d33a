#include "store/sql.hpp"

#include <boost/json/array.hpp>

#include "store/page_of.hpp"

namespace sickbay::store {

void put_columns(Tx& tx, const Table& table, std::span<const Column> columns) {
  std::string names, places, updates;
  std::vector<Param> params;
  const std::string keys = fmt::format(", {}, ", table.key);
  for (const Column& column : columns) {
    params.push_back(column.value);
    const char* comma = names.empty() ? "" : ", ";
    names += fmt::format("{}{}", comma, column.name);
    places += fmt::format("{}?{}", comma, params.size());
    if (keys.find(fmt::format(", {}, ", column.name)) != std::string::npos) continue;
    updates += fmt::format("{}{} = excluded.{}", updates.empty() ? "" : ", ", column.name, column.name);
  }
  tx.connection().run(fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT ({}) DO UPDATE SET {}", table.name,
                                  names, places, table.key, updates),
                      params, 0);
}

void Where::add(std::string_view condition, Param value) {
  if (!conditions_.empty()) conditions_ += " AND ";
  conditions_ += fmt::format(fmt::runtime(condition), next());
  params_.push_back(value);
}

std::string json_texts(const std::vector<std::string>& texts) {
  return to_json_text(texts);
}

PageToken read_token(std::string_view token) {
  PageToken out;
  const auto dot = token.find('.');
  const auto position = parse_int(token.substr(0, dot));
  if (dot == std::string_view::npos || !position || token.size() > 300) {
    refuse(Errc::invalid, "the page token is not one that a list gave; begin again without one", "page_token");
  }
  out.position = *position;
  out.id = std::string(token.substr(dot + 1));
  return out;
}

}  // namespace sickbay::store
