// Statements with types: select<std::string, Time>(tx, "SELECT ... ?1", id) and execute(tx, "UPDATE ..."), and the one
// helper for aggregates, which are rows of a few narrow columns (what is queried, constrained or counted) and the whole
// value as JSON in `doc`. For the store's own .cpp files.
#pragma once

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <initializer_list>
#include <tuple>

#include "model/json.hpp"
#include "store/connection.hpp"
#include "store/failure.hpp"

namespace sickbay::store {

inline Param param(std::string_view text) {
  return {Param::Type::text, false, 0, text};
}
inline Param param(const std::string& text) {
  return param(std::string_view(text));
}
inline Param param(const char* text) {
  return param(std::string_view(text));
}
template <class T>
  requires std::is_integral_v<T>
Param param(T number) {
  return {Param::Type::number, false, static_cast<std::int64_t>(number), {}};
}
inline Param param(Time time) {
  return param(to_micros(time));
}
inline Param param(const std::optional<Time>& time) {
  Param made = param(time.value_or(Time{}));
  made.null = !time;
  return made;
}
// NULL where there is no text: unique indexes do not count it.
inline Param text_or_null(std::string_view text) {
  return {Param::Type::text, text.empty(), 0, text};
}

template <class T>
T column(std::optional<std::string>& cell) {
  if constexpr (std::is_same_v<T, std::optional<std::string>>) {
    return std::move(cell);
  } else if constexpr (std::is_same_v<T, std::optional<Time>>) {
    return cell ? std::optional(column<Time>(cell)) : std::nullopt;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return cell ? std::move(*cell) : std::string();
  } else if constexpr (std::is_same_v<T, Time>) {
    return from_micros(column<std::int64_t>(cell));
  } else {
    T value{};
    if (cell) std::from_chars(cell->data(), cell->data() + cell->size(), value);
    return value;
  }
}

// The rows of a query, as tuples of std::string, integers, Time, or optionals of string and Time.
template <class... Columns, class... Args>
std::vector<std::tuple<Columns...>> select(Tx& tx, std::string_view sql, const Args&... args) {
  const std::array<Param, sizeof...(Args)> params{param(args)...};
  std::vector<std::tuple<Columns...>> out;
  for (Row& row : tx.connection().run(sql, params, sizeof...(Columns))) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      out.emplace_back(column<Columns>(row[I])...);
    }(std::index_sequence_for<Columns...>{});
  }
  return out;
}
// The first column of the rows.
template <class Column, class... Args>
std::vector<Column> select_column(Tx& tx, std::string_view sql, const Args&... args) {
  std::vector<Column> out;
  for (auto& row : select<Column>(tx, sql, args...)) out.push_back(std::move(std::get<0>(row)));
  return out;
}
// The one value of the first row, if there is one.
template <class Column, class... Args>
std::optional<Column> select_one(Tx& tx, std::string_view sql, const Args&... args) {
  auto rows = select<Column>(tx, sql, args...);
  if (rows.empty()) return std::nullopt;
  return std::move(std::get<0>(rows.front()));
}

// Runs a statement without results and says how many rows it touched.
template <class... Args>
std::size_t execute(Tx& tx, std::string_view sql, const Args&... args) {
  const std::array<Param, sizeof...(Args)> params{param(args)...};
  tx.connection().run(sql, params, 0);
  return tx.connection().affected();
}

// A table of documents. `key`: its primary key's columns; `label`: an SQL expression that names a row for a person.
struct Table {
  std::string_view name, key, label;
};

// The document of a row. One that does not parse is an internal error or a damaged database; the error names the row.
template <class T>
T parse_document(const Table& table, std::string_view label, std::string_view text) {
  auto value = from_json_text<T>(text);
  if (!value) {
    refuse(Errc::internal, fmt::format("row '{}' of table {} cannot be read ({}); restore it from a backup", label,
                                       table.name, value.error().message));
  }
  return std::move(*value);
}

// The documents of the rows that `rest` ("WHERE ... ORDER BY ...") selects.
template <class T>
std::vector<T> documents_of(Tx& tx, const Table& table, std::string_view rest, std::span<const Param> params) {
  const std::string sql = fmt::format("SELECT {}, doc FROM {} {}", table.label, table.name, rest);
  std::vector<T> out;
  for (const Row& row : tx.connection().run(sql, params, 2)) {
    out.push_back(parse_document<T>(table, row[0].value_or(""), row[1].value_or("")));
  }
  return out;
}
template <class T, class... Args>
std::vector<T> documents(Tx& tx, const Table& table, std::string_view rest, const Args&... args) {
  const std::array<Param, sizeof...(Args)> params{param(args)...};
  return documents_of<T>(tx, table, rest, params);
}
template <class T, class... Args>
std::optional<T> document(Tx& tx, const Table& table, std::string_view rest, const Args&... args) {
  auto all = documents<T>(tx, table, rest, args...);
  if (all.empty()) return std::nullopt;
  return std::move(all.front());
}

struct Column {
  std::string_view name;
  Param value;
};
// Inserts the row or replaces the one of the same key.
void put_columns(Tx& tx, const Table& table, std::span<const Column> columns);
// The same with the value as `doc`.
template <class T>
void put(Tx& tx, const Table& table, const T& value, std::initializer_list<Column> columns) {
  const std::string doc = to_json_text(value);
  std::vector<Column> all(columns);
  all.push_back({"doc", param(doc)});
  put_columns(tx, table, all);
}

// Conditions of a filtered list: only those that are set, joined by AND, with their parameters.
class Where {
 public:
  // `condition` holds "{}" where its parameter stands.
  void add(std::string_view condition, Param value);
  void add_if_set(std::string_view condition, std::string_view text) {  // `text` must outlive this
    if (!text.empty()) add(condition, param(text));
  }
  std::string text() const { return conditions_.empty() ? "" : " WHERE " + conditions_; }
  std::string next() const { return fmt::format("?{}", params_.size() + 1); }
  void bind(Param value) { params_.push_back(value); }
  std::span<const Param> params() const { return params_; }

 private:
  std::string conditions_;
  std::vector<Param> params_;
};

// A JSON array of texts, for EACH(?N).
std::string json_texts(const std::vector<std::string>& texts);

}  // namespace sickbay::store
