// The same tests on every database: TEST_P(OnEveryDatabase, ...) runs on an SQLite file, SQLite in memory, and, where
// SICKBAY_TEST_POSTGRES names a server, on PostgreSQL in a schema of its own.
#pragma once

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/ids.hpp"
#include "store/clusters.hpp"
#include "store/connection.hpp"
#include "store/nodes.hpp"
#include "store/store.hpp"
#include "store/work.hpp"

namespace sickbay::store {

enum class Backend { sqlite_file, sqlite_memory, postgresql };

inline std::string backend_name(const testing::TestParamInfo<Backend>& info) {
  switch (info.param) {
    case Backend::sqlite_file:
      return "SqliteFile";
    case Backend::sqlite_memory:
      return "SqliteMemory";
    case Backend::postgresql:
      return "PostgreSQL";
  }
  return "";
}

inline std::string postgres_url() {
  const char* url = std::getenv("SICKBAY_TEST_POSTGRES");
  return url ? url : "";
}

// One statement outside of any store.
inline void on_postgres(const std::string& sql) {
  PGconn* connection = PQconnectdb(postgres_url().c_str());
  PQclear(PQexec(connection, "SET client_min_messages = 'warning'"));
  PGresult* result = PQexec(connection, sql.c_str());
  const bool done = PQresultStatus(result) == PGRES_COMMAND_OK || PQresultStatus(result) == PGRES_TUPLES_OK;
  EXPECT_TRUE(done) << PQerrorMessage(connection);
  PQclear(result);
  PQfinish(connection);
}

// Makes the document of a row unreadable, as an internal error or of the disk would.
inline void damage_for_test(Tx& tx, const std::string& table, const std::string& id) {
  tx.connection().control("UPDATE " + table + " SET doc = '{\"id\": ' WHERE id = '" + id + "'");
}

// An empty database, gone with the object.
class TestDatabase {
 public:
  explicit TestDatabase(Backend backend) : backend_(backend) {
    name_ = "test_" + random_uuid().substr(0, 8) + "_" + std::to_string(getpid());
    if (backend == Backend::sqlite_file) {
      directory_ = std::filesystem::temp_directory_path() / name_;
      std::filesystem::create_directories(directory_);
      url_ = "sqlite:" + (directory_ / "sickbay.db").string();
    } else if (backend == Backend::sqlite_memory) {
      url_ = "sqlite::memory:";
    } else {
      on_postgres("CREATE SCHEMA " + name_);
      const std::string base = postgres_url();
      url_ = base + (base.find('?') == std::string::npos ? "?" : "&") + "options=-csearch_path%3D" + name_;
    }
  }
  ~TestDatabase() {
    if (backend_ == Backend::sqlite_file) std::filesystem::remove_all(directory_);
    if (backend_ == Backend::postgresql) on_postgres("DROP SCHEMA " + name_ + " CASCADE");
  }
  TestDatabase(const TestDatabase&) = delete;
  TestDatabase& operator=(const TestDatabase&) = delete;
  const std::string& url() const { return url_; }
  const std::string& name() const { return name_; }

 private:
  Backend backend_;
  std::string name_, url_;
  std::filesystem::path directory_;
};

class OnEveryDatabase : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (GetParam() == Backend::postgresql && postgres_url().empty()) {
      GTEST_SKIP() << "SICKBAY_TEST_POSTGRES is not set: no PostgreSQL to test on";
    }
    database_ = std::make_unique<TestDatabase>(GetParam());
    reopen();
  }
  // Another start on the same database (in memory: a new one).
  void reopen() {
    store_.reset();
    store_ = open({});
  }
  std::unique_ptr<Store> open(Hooks hooks) {
    auto opened = Store::open({database_->url()}, clock_, std::move(hooks));
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }
  bool in_memory() const { return GetParam() == Backend::sqlite_memory; }

  // Runs a body that returns a plain value, and expects the database to agree.
  template <class Body>
  auto write(Body body) -> std::invoke_result_t<Body, Tx&> {
    using T = std::invoke_result_t<Body, Tx&>;
    if constexpr (std::is_void_v<T>) {
      const Status done = store_->write([&](Tx& tx) -> Status {
        body(tx);
        return {};
      });
      EXPECT_TRUE(done) << done.error().message;
    } else {
      auto done = store_->write([&](Tx& tx) -> Result<T> { return body(tx); });
      EXPECT_TRUE(done) << done.error().message;
      return done ? std::move(*done) : T{};
    }
  }
  template <class Body>
  auto read(Body body) -> std::invoke_result_t<Body, Tx&> {
    using T = std::invoke_result_t<Body, Tx&>;
    auto done = store_->read([&](Tx& tx) -> Result<T> { return body(tx); });
    EXPECT_TRUE(done) << done.error().message;
    return done ? std::move(*done) : T{};
  }

  void add_cluster() {
    write([](Tx& tx) { put_cluster(tx, cluster()); });
  }
  void add_node(const std::string& id) {
    write([&](Tx& tx) { put_node(tx, node(id)); });
  }
  static Cluster cluster() {
    Cluster made;
    made.id = "c1";
    made.name = "training";
    return made;
  }
  static Node node(const std::string& id) {
    Node made;
    made.id = id;
    made.cluster = "c1";
    made.name = "name-of-" + id;
    made.pool = "h100";
    return made;
  }
  static Repair repair(const std::string& id, const std::string& node) {
    Repair made;
    made.id = id;
    made.cluster = "c1";
    made.node = node;
    made.created_at = from_micros(1'800'000'000'000'000);
    return made;
  }
  static Operation act(const std::string& id, const std::string& repair, const std::string& node,
                       const std::string& host) {
    Operation made;
    made.id = id;
    made.repair = repair;
    made.cluster = "c1";
    made.node = node;
    made.host = host;
    return made;
  }
  static Finding finding(const std::string& id) {
    Finding made;
    made.id = id;
    made.fault = {"DmesgXidError", "119"};
    made.sentence = "GPU 3 stopped answering";
    return made;
  }

  ManualClock clock_;
  std::unique_ptr<TestDatabase> database_;
  std::unique_ptr<Store> store_;
};

}  // namespace sickbay::store
