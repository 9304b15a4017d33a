// A real PostgreSQL that loses what it committed: an asynchronous standby that is promoted behind a primary that died,
// and a primary that comes back from a backup, both under load. What was approved was sent by servers whose database no
// longer knows of it; they must notice before anything else, send nothing more, and ask a person (engine.md 3).
// SICKBAY_FAILOVERS: how many of each kind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <thread>

#include "site.hpp"

namespace sickbay::integration {
namespace {

using std::chrono::steady_clock;

std::string postgres_programs() {
  std::string newest;
  if (!std::filesystem::is_directory("/usr/lib/postgresql")) return newest;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql")) {
    const std::string programs = version.path().string() + "/bin";
    if (std::filesystem::exists(programs + "/initdb")) newest = std::max(newest, programs);
  }
  return newest;
}

// A primary and, when it is asked for, an asynchronous standby or a backup of it. Root hands them to the user postgres.
class Pair {
 public:
  explicit Pair(const std::string& log) : log_(log) {
    if (const passwd* owner = ::geteuid() == 0 ? ::getpwnam("postgres") : nullptr) {
      as_ = {"/usr/sbin/runuser", "-u", "postgres", "--"};
      if (::chown(directory_.path().c_str(), owner->pw_uid, owner->pw_gid) != 0) throw std::runtime_error("chown");
    }
    run({"initdb", "-D", data(0), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "-N"});
    start(0);
    run({"createdb", "-h", "127.0.0.1", "-p", port(0), "-U", "postgres", "sickbay"});
  }
  ~Pair() {
    for (int n = 0; n < 2; ++n) {
      if (std::filesystem::exists(data(n) + "/postmaster.pid")) stop(n);
    }
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  // Both places; libpq finds which of them is the primary.
  std::string url() const {
    return fmt::format("postgresql://postgres@127.0.0.1:{},127.0.0.1:{}/sickbay?target_session_attrs=read-write",
                       ports_[0], ports_[1]);
  }
  void add_standby() {
    run({"pg_basebackup", "-D", data(1), "-R", "-X", "stream", "-c", "fast", "-h", "127.0.0.1", "-p", port(0), "-U",
         "postgres"});
    start(1);
  }
  // What the primary commits from now on does not reach the standby.
  void cut_off() {
    query(1, "ALTER SYSTEM SET primary_conninfo = ''");
    query(1, "SELECT pg_reload_conf()");
    const auto until = steady_clock::now() + seconds{30};
    while (query(0, "SELECT count(*) FROM pg_stat_replication") != "0") {
      if (steady_clock::now() > until) throw std::runtime_error("the standby still hears its primary");
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }
  void fail_over() {
    stop(0);
    run({"pg_ctl", "-D", data(1), "-w", "promote"});
  }
  void back_up() {
    run({"pg_basebackup", "-D", directory_ / "backup", "-X", "stream", "-c", "fast", "-h", "127.0.0.1", "-p", port(0),
         "-U", "postgres"});
  }
  // As a snapshot of its disk comes back: the same system on the same timeline, as it was.
  void restore() {
    stop(0);
    std::filesystem::remove_all(data(0));
    std::filesystem::rename(directory_ / "backup", data(0));
    start(0);
  }

 private:
  std::string data(int n) const { return directory_ / fmt::format("data-{}", n); }
  std::string port(int n) const { return std::to_string(ports_[n]); }
  void run(std::vector<std::string> arguments) {
    arguments[0] = postgres_programs() + "/" + arguments[0];
    arguments.insert(arguments.begin(), as_.begin(), as_.end());
    Program program(arguments, log_);
    const auto until = steady_clock::now() + minutes{2};
    while (program.is_running() && steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    if (program.exit_code() != 0) throw std::runtime_error(fmt::format("{} failed", fmt::join(arguments, " ")));
  }
  void start(int n) {
    run({"pg_ctl", "-D", data(n), "-w", "-l", directory_ / fmt::format("log-{}", n), "-o",
         fmt::format("-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories= -c fsync=off", ports_[n]),
         "start"});
  }
  void stop(int n) { run({"pg_ctl", "-D", data(n), "-m", "immediate", "stop"}); }
  std::string query(int n, const std::string& sql) const {
    PGconn* connection =
        PQconnectdb(fmt::format("host=127.0.0.1 port={} user=postgres dbname=sickbay", ports_[n]).c_str());
    PGresult* result = PQexec(connection, sql.c_str());
    const std::string answer = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    PQfinish(connection);
    return answer;
  }

  Directory directory_;
  const std::string log_;
  std::vector<std::string> as_;
  const std::uint16_t ports_[2] = {free_port(), free_port()};
};

class Failover : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (postgres_programs().empty()) GTEST_SKIP() << "PostgreSQL's programs are not installed";
  }
  void wait_for(const std::string& what, const std::function<bool()>& holds) {
    const auto until = steady_clock::now() + minutes{2};
    while (!holds()) {
      ASSERT_LT(steady_clock::now(), until) << "waited in vain for " << what;
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  }
  // Requests of acts that reached the provider, by repair.
  std::map<std::string, int> acts() {
    std::map<std::string, int> found;
    for (const simworld::Entry& entry : site_->journal()) {
      const bool asked = entry.what == simworld::What::request && entry.kind == OperationKind::act && !entry.outcome;
      if (asked) ++found[entry.repair];
    }
    return found;
  }
  std::vector<NodeSeen::Repair> repairs() {
    std::vector<NodeSeen::Repair> open;
    for (const NodeSeen& node : site_->nodes(seconds{30}).value_or(std::vector<NodeSeen>{})) {
      if (node.repair) open.push_back(*node.repair);
    }
    return open;
  }
  bool only_looks(std::size_t server) {
    const auto said = site_->ask_one(server, "GET", "/v1/restore", nullptr, seconds{5});
    return said && said->at("observe_only") == true;
  }
  void round(bool promoted);

  std::optional<Pair> pair_;
  std::optional<Site> site_;
};

void Failover::round(bool promoted) {
  site_.reset();
  pair_.reset();
  Directory logs;
  pair_.emplace(logs / "postgres.log");
  site_.emplace(SiteOptions{
      .servers = 2, .database = pair_->url(), .capability = "none", .nodes = 12, .spares = 4, .job_every = seconds{2}});
  Policy policy = hasty_policy();
  policy.confirmation = Confirmation::approve;
  const Status put = site_->put_policy(policy);
  ASSERT_TRUE(put) << put.error().message;
  if (promoted) pair_->add_standby();
  for (int n = 1; n <= 8; ++n) ASSERT_TRUE(site_->fault(fmt::format("gpu-00{}", n), "xid-119", 0));
  wait_for("eight recommendations", [&] { return repairs().size() == 8; });
  for (const NodeSeen::Repair& repair : repairs())
    ASSERT_TRUE(site_->decide(repair.id, "approve", json::object{{"comment", "go on"}}));
  promoted ? pair_->cut_off() : pair_->back_up();
  wait_for("acts that the other database does not know", [&] { return acts().size() >= 3; });

  promoted ? pair_->fail_over() : pair_->restore();
  std::this_thread::sleep_for(std::chrono::seconds{2});  // what was on its way has arrived: a call lasts so long
  const auto sent = acts();
  for (std::size_t n = 0; n < 2; ++n) wait_for("a server that only looks", [&] { return only_looks(n); });
  std::this_thread::sleep_for(std::chrono::seconds{8});  // several passes over every node
  EXPECT_EQ(acts(), sent) << "something was sent before a person confirmed";
  for (const auto& [repair, count] : acts()) EXPECT_EQ(count, 1) << repair << " was sent twice";

  // A person looks at it, calls off what this database only believes to be waiting, and lets it go on.
  const auto events = site_->ask("GET", "/v1/compute/clusters/demo/events?page_size=500", nullptr, seconds{30});
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_NE(json::serialize(*events).find("nothing is started or sent until a person confirms"), std::string::npos);
  for (const NodeSeen::Repair& repair : repairs()) {
    (void)site_->decide(repair.id, "cancel?at_safe_point=true", json::object{{"reason", "it may have been done"}});
  }
  const auto confirmed = site_->ask("POST", "/v1/restore/confirm", json::object{{"reason", "looked at every node"}});
  ASSERT_TRUE(confirmed) << confirmed.error().message;
  for (std::size_t n = 0; n < 2; ++n) wait_for("a server that acts again", [&] { return !only_looks(n); });
  ASSERT_TRUE(site_->fault("gpu-010", "xid-119", 0));
  wait_for("a new fault to be repaired", [&] {
    for (const NodeSeen::Repair& repair : repairs())
      (void)site_->decide(repair.id, "approve", json::object{{"comment", "go on"}});
    const auto entries = site_->journal();
    return std::ranges::any_of(entries, [](const simworld::Entry& entry) {
      return entry.what == simworld::What::begin && entry.node == "gpu-010";
    });
  });
  for (const auto& [repair, count] : acts()) EXPECT_EQ(count, 1) << repair << " was sent twice";
  if (!HasFailure()) return;
  std::cout << site_->last_words();
  site_->directory().keep();
  logs.keep();
}

TEST_P(Failover, WhatWasSentBeforeIsNotSentAgainAndAPersonIsAskedFirst) {
  const char* text = std::getenv("SICKBAY_FAILOVERS");
  const int rounds = text ? std::atoi(text) : 20;
  for (int n = 0; n < rounds && !HasFailure(); ++n) {
    round(GetParam() == "PromotedStandby");
    std::cout << GetParam() << " " << n + 1 << " of " << rounds << (HasFailure() ? " failed" : "") << std::endl;
  }
}
INSTANTIATE_TEST_SUITE_P(RealPostgreSQL, Failover, testing::Values("PromotedStandby", "RestoredBackup"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sickbay::integration
