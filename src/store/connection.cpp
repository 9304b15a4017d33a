#include "store/connection.hpp"

#include <fmt/core.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "store/failure.hpp"

namespace sickbay::store {

using namespace sqlite_api;  // where SOCI puts the declarations of sqlite3.h

namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

// Statements kept per connection; the store's own number is far below, filters of lists could grow it.
constexpr std::size_t kMaxPrepared = 500;

}  // namespace

// A prepared statement with the variables it is bound to. SOCI keeps pointers to them, so they never move.
struct Connection::Prepared {
  struct Input {
    Param::Type type = Param::Type::text;
    long long number = 0;
    std::string text;
    soci::indicator state = soci::i_ok;
  };
  struct Output {
    std::string text;
    soci::indicator state = soci::i_ok;
  };
  Prepared(soci::session& session, const Translated& translated, std::span<const Param> params, std::size_t columns)
      : statement(session), inputs(params.size()), outputs(columns) {
    statement.alloc();
    statement.prepare(translated.sql);
    for (std::size_t i = 0; i < params.size(); ++i) inputs[i].type = params[i].type;
    for (const std::size_t i : translated.order) {
      Input& input = inputs.at(i);
      if (input.type == Param::Type::number) {
        statement.exchange(soci::use(input.number, input.state));
      } else {
        statement.exchange(soci::use(input.text, input.state));
      }
    }
    for (Output& output : outputs) statement.exchange(soci::into(output.text, output.state));
    statement.define_and_bind();
  }
  soci::statement statement;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

struct Connection::Session {
  soci::session soci;
  // Declared after the session: statements are closed before it.
  std::unordered_map<std::string, std::unique_ptr<Prepared>, TextHash, std::equal_to<>> prepared;
};

Connection::Connection(Dialect dialect, const std::string& target, const Hooks& hooks)
    : dialect_(dialect), hooks_(hooks), session_(std::make_unique<Session>()) {
  try {
    if (dialect == Dialect::sqlite) {
      if (target.find('"') != std::string::npos) {
        refuse(Errc::invalid, "the database's path must not contain a quotation mark");
      }
      session_->soci.open(soci::sqlite3, fmt::format("dbname=\"{}\"", target));
    } else {
      session_->soci.open(soci::postgresql, target);
    }
  } catch (const soci::soci_error& error) {
    throw Failure(Remedy::lost, {Errc::unavailable, fmt::format("cannot open the database: {}", error.what())});
  }
}

Connection::~Connection() = default;

Connection::Prepared& Connection::prepare(std::string_view sql, std::span<const Param> params, std::size_t columns) {
  auto& cache = session_->prepared;
  if (const auto found = cache.find(sql); found != cache.end()) return *found->second;
  if (cache.size() >= kMaxPrepared) cache.clear();
  auto made = std::make_unique<Prepared>(session_->soci, translate(sql, dialect_), params, columns);
  return *cache.emplace(std::string(sql), std::move(made)).first->second;
}

std::vector<Row> Connection::run(std::string_view sql, std::span<const Param> params, std::size_t columns) {
  if (hooks_.before_statement) hooks_.before_statement(sql);
  try {
    Prepared& prepared = prepare(sql, params, columns);
    if (prepared.inputs.size() != params.size() || prepared.outputs.size() != columns) {
      refuse(Errc::internal, fmt::format("a statement is used with different parameters: {}", sql));
    }
    for (std::size_t i = 0; i < params.size(); ++i) {
      Prepared::Input& input = prepared.inputs[i];
      if (input.type != params[i].type) refuse(Errc::internal, fmt::format("parameter {} changed type: {}", i, sql));
      input.number = params[i].number;
      input.text.assign(params[i].text);
      input.state = params[i].null ? soci::i_null : soci::i_ok;
    }
    std::vector<Row> rows;
    for (bool more = prepared.statement.execute(true); more && columns > 0; more = prepared.statement.fetch()) {
      Row& row = rows.emplace_back();
      row.reserve(columns);
      for (Prepared::Output& output : prepared.outputs) {
        row.push_back(output.state == soci::i_null ? std::nullopt : std::optional(std::move(output.text)));
      }
    }
    const long long affected = prepared.statement.get_affected_rows();
    affected_ = affected < 0 ? 0 : static_cast<std::size_t>(affected);
    return rows;
  } catch (const soci::soci_error& error) {
    // Raised before the statement is dropped: dropping it would overwrite SQLite's error code.
    const auto drop = [&](const Connection* self) {
      if (dialect_ == Dialect::sqlite) {
        if (const auto found = self->session_->prepared.find(sql); found != self->session_->prepared.end()) {
          self->session_->prepared.erase(found);
        }
      }
    };
    const std::unique_ptr<const Connection, decltype(drop)> guard(this, drop);
    raise(error);
  }
}

void Connection::control(std::string_view sql) {
  try {
    if (dialect_ == Dialect::sqlite) {
      auto* backend = static_cast<soci::sqlite3_session_backend*>(session_->soci.get_backend());
      if (sqlite3_exec(backend->conn_, std::string(sql).c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        throw of_sqlite(sqlite3_extended_errcode(backend->conn_), sqlite3_errmsg(backend->conn_));
      }
    } else {
      session_->soci << std::string(sql);
    }
  } catch (const soci::soci_error& error) {
    raise(error);
  }
}

void Connection::raise(const soci::soci_error& error) const {
  if (dialect_ == Dialect::sqlite) {
    const auto* backend = static_cast<const soci::sqlite3_session_backend*>(session_->soci.get_backend());
    int code = sqlite3_extended_errcode(backend->conn_);
    if (const auto* known = dynamic_cast<const soci::sqlite3_soci_error*>(&error)) {
      if ((code & 0xff) != (known->result() & 0xff)) code = known->result();
    }
    throw of_sqlite(code, error.get_error_message());
  }
  const auto* backend = static_cast<const soci::postgresql_session_backend*>(session_->soci.get_backend());
  const bool connected = PQstatus(backend->conn_) == CONNECTION_OK;
  const auto* known = dynamic_cast<const soci::postgresql_soci_error*>(&error);
  throw of_postgresql(known ? known->sqlstate() : std::string(), connected, error.get_error_message());
}

bool Connection::rollback() {
  if (dialect_ == Dialect::sqlite && !in_transaction()) return true;
  try {
    control("ROLLBACK");
    return true;
  } catch (const Failure&) {
    return false;
  }
}

bool Connection::transaction_failed() const {
  const auto* backend = static_cast<const soci::postgresql_session_backend*>(session_->soci.get_backend());
  return PQtransactionStatus(backend->conn_) != PQTRANS_INTRANS;
}

bool Connection::in_transaction() const {
  const auto* backend = static_cast<const soci::sqlite3_session_backend*>(session_->soci.get_backend());
  return sqlite3_get_autocommit(backend->conn_) == 0;
}

std::string Connection::image() const {
  const auto* backend = static_cast<const soci::sqlite3_session_backend*>(session_->soci.get_backend());
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(backend->conn_, "main", &size, 0);
  if (!bytes) refuse(Errc::internal, "the schema's image could not be made");
  std::string copy(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  return copy;
}

void Connection::load_image(const std::string& image) {
  const auto* backend = static_cast<const soci::sqlite3_session_backend*>(session_->soci.get_backend());
  const auto size = static_cast<sqlite3_int64>(image.size());
  auto* bytes = static_cast<unsigned char*>(sqlite3_malloc64(image.size()));  // SQLite frees it
  if (!bytes) refuse(Errc::internal, "out of memory");
  std::memcpy(bytes, image.data(), image.size());
  const int result = sqlite3_deserialize(backend->conn_, "main", bytes, size, size,
                                         SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  if (result != SQLITE_OK) throw of_sqlite(result, "the schema's image could not be loaded");
}

Translated translate(std::string_view sql, Dialect dialect) {
  struct Rule {
    std::string_view from, sqlite, postgresql;
  };
  static constexpr std::array<Rule, 8> kRules{{
      {" FOR NO KEY UPDATE SKIP LOCKED", "", " FOR NO KEY UPDATE SKIP LOCKED"},
      {" FOR NO KEY UPDATE", "", " FOR NO KEY UPDATE"},
      {"LEAST(", "MIN(", "LEAST("},
      {"GREATEST(", "MAX(", "GREATEST("},
      {"EACH(", "json_each(", "json_array_elements_text(CAST("},
      {"ROWS(", "json_each(", "json_array_elements(CAST("},
      {"IDENTITY", "INTEGER PRIMARY KEY AUTOINCREMENT", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"},
      {" SLIM", " WITHOUT ROWID", ""},
  }};
  const bool sqlite = dialect == Dialect::sqlite;
  Translated out;
  std::size_t parameters = 0;
  bool closes = false;  // the next ")" ends EACH( or ROWS(
  while (!sql.empty()) {
    const auto* rule =
        std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return sql.starts_with(r.from); });
    std::size_t used = 1;
    if (rule != kRules.end()) {
      out.sql += sqlite ? rule->sqlite : rule->postgresql;
      closes = closes || rule->from == "EACH(" || rule->from == "ROWS(";
      used = rule->from.size();
    } else if (closes && sql.front() == ')') {
      out.sql += sqlite ? ") AS e" : " AS json)) AS e(value)";
      closes = false;
    } else if (sql.front() == '?') {
      std::size_t number = 0;
      while (used < sql.size() && sql[used] >= '0' && sql[used] <= '9') {
        number = number * 10 + static_cast<std::size_t>(sql[used++] - '0');
      }
      parameters = std::max(parameters, number);
      out.sql += fmt::format("{}{}", sqlite ? "?" : ":p", number);
      // SOCI's PostgreSQL wants names, and gives each place a number of its own.
      if (!sqlite) out.order.push_back(number - 1);
    } else {
      out.sql += sql.front();
    }
    sql.remove_prefix(used);
  }
  for (std::size_t i = 0; sqlite && i < parameters; ++i) out.order.push_back(i);
  return out;
}

}  // namespace sickbay::store
