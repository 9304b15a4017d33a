// Transactions: what is acknowledged stays, what failed left nothing, what is unknown is repeated, and time only grows.
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <fstream>
#include <latch>
#include <set>
#include <thread>

#include "fixture.hpp"
#include "store/events.hpp"
#include "store/only_forward.hpp"
#include "store/upkeep.hpp"

namespace sickbay::store {
namespace {

class Transactions : public OnEveryDatabase {
 protected:
  std::size_t events() {
    return read([](Tx& tx) { return unpublished_events(tx, 10'000); }).size();
  }
};
INSTANTIATE_TEST_SUITE_P(All, Transactions,
                         testing::Values(Backend::sqlite_file, Backend::sqlite_memory, Backend::postgresql),
                         backend_name);

Event event(const std::string& id) {
  Event made;
  made.id = id;
  return made;
}

struct SimulatedCrash {};  // on purpose not a std::exception

TEST_P(Transactions, ABodyThatReturnsAnErrorWritesNothing) {
  const Status refused = store_->write([](Tx& tx) -> Status {
    add_event(tx, event("a"));
    return fail(Errc::refused, "no");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::refused);
  EXPECT_EQ(events(), 0U);
}

TEST_P(Transactions, ABodyThatThrowsWritesNothingAndTheStoreGoesOn) {
  const Status failed = store_->write([](Tx& tx) -> Status {
    add_event(tx, event("a"));
    throw std::runtime_error("an internal error");
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::internal);
  EXPECT_THROW((void)store_->write([](Tx& tx) -> Status {
    add_event(tx, event("b"));
    throw SimulatedCrash{};
  }),
               SimulatedCrash);
  EXPECT_THROW((void)store_->read([](Tx& tx) -> Status {
    unpublished_events(tx, 1);
    throw SimulatedCrash{};
  }),
               SimulatedCrash);
  EXPECT_EQ(events(), 0U);
  write([](Tx& tx) { add_event(tx, event("c")); });
  EXPECT_EQ(events(), 1U);
}

TEST_P(Transactions, AReadSeesOneSnapshot) {
  if (in_memory()) GTEST_SKIP() << "one connection for all: nobody can write meanwhile";
  write([](Tx& tx) { add_event(tx, event("a")); });
  const auto seen = store_->read([&](Tx& tx) -> Result<std::pair<std::size_t, std::size_t>> {
    const std::size_t before = unpublished_events(tx, 10).size();
    std::thread([&] { write([](Tx& other) { add_event(other, event("b")); }); }).join();
    return std::pair(before, unpublished_events(tx, 10).size());
  });
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(*seen, std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_EQ(events(), 2U);
}

TEST_P(Transactions, OfManyThreadsEachGetsItsOwnAnswer) {
  constexpr int kThreads = 8, kEach = 20;
  std::vector<std::thread> threads;
  std::atomic<int> refused = 0;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string id = std::to_string(t) + "-" + std::to_string(i);
        const auto answer = store_->write([&](Tx& tx) -> Result<std::string> {
          add_event(tx, event(id));
          if (i % 4 == 3) return fail(Errc::refused, id);
          return id;
        });
        if (answer) {
          EXPECT_EQ(*answer, id);
        } else {
          EXPECT_EQ(answer.error().message, id);
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(refused, kThreads * kEach / 4);
  EXPECT_EQ(events(), static_cast<std::size_t>(kThreads * kEach * 3 / 4));
}

TEST_P(Transactions, AnUnknownCommitIsRepeatedUntilItIsKnown) {
  for (const auto how : {Hooks::Commit::lost_before, Hooks::Commit::lost_after}) {
    int commits = 0, runs = 0;
    Hooks hooks;
    hooks.at_commit = [&] { return ++commits == 1 ? how : Hooks::Commit::normal; };
    store_ = open(std::move(hooks));
    const std::string id = how == Hooks::Commit::lost_before ? "before" : "after";
    const std::string key = "n-" + id;
    const Status done = store_->write([&](Tx& tx) -> Status {
      ++runs;
      if (still(tx, WorkKind::node, key, 0)) {
        finish(tx, WorkKind::node, key, std::nullopt);
        add_event(tx, event(id));
      }
      return {};
    });
    EXPECT_TRUE(done) << done.error().message;
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(read([&](Tx& tx) { return work_version(tx, WorkKind::node, key); }), 1U)
        << "done once, though it ran twice";
    const auto ids = read([](Tx& tx) { return unpublished_events(tx, 10); });
    EXPECT_EQ(std::count(ids.begin(), ids.end(), id), 1);
  }
}

TEST_P(Transactions, ADatabaseThatLosesEveryCommitIsUnavailable) {
  Hooks hooks;
  std::atomic<int> commits = 0;
  hooks.at_commit = [&] { return ++commits, Hooks::Commit::lost_before; };
  store_ = open(std::move(hooks));
  const Status done = store_->write([](Tx& tx) -> Status {
    add_event(tx, event("a"));
    return {};
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::unavailable);
  EXPECT_GE(commits, 2);
  EXPECT_LE(commits, 10);
  store_ = open({});
  EXPECT_EQ(events(), 0U);
}

TEST_P(Transactions, ADatabaseOfANewerVersionIsRefusedAndLeftAlone) {
  if (in_memory()) GTEST_SKIP() << "nothing outlives the store";
  write([](Tx& tx) {
    add_event(tx, event("a"));
    tx.connection().control("UPDATE schema_version SET version = 99, oldest_reader = 98");
  });
  store_.reset();
  auto opened = Store::open({database_->url()}, clock_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::refused);
  EXPECT_NE(opened.error().message.find("schema version 99"), std::string::npos) << opened.error().message;
}

TEST_P(Transactions, ANewerVersionThatStillAllowsThisProgramIsUsed) {
  if (in_memory()) GTEST_SKIP() << "nothing outlives the store";
  write([](Tx& tx) { tx.connection().control("UPDATE schema_version SET version = 99, oldest_reader = 1"); });
  reopen();
  write([](Tx& tx) { add_event(tx, event("a")); });
  EXPECT_EQ(events(), 1U);
}

TEST_P(Transactions, ServersThatStartTogetherMakeOneDatabase) {
  if (in_memory()) GTEST_SKIP() << "each store has its own";
  const TestDatabase fresh(GetParam());
  constexpr int kServers = 4;
  std::latch start(kServers);
  std::mutex mutex;
  std::set<std::string> installations;
  std::vector<std::thread> servers;
  for (int i = 0; i < kServers; ++i) {
    servers.emplace_back([&] {
      start.arrive_and_wait();
      auto opened = Store::open({fresh.url()}, clock_);
      ASSERT_TRUE(opened) << opened.error().message;
      auto id = (*opened)->read([](Tx& tx) -> Result<std::string> { return installation_id(tx); });
      ASSERT_TRUE(id) << id.error().message;
      const std::lock_guard lock(mutex);
      installations.insert(*id);
    });
  }
  for (std::thread& server : servers) server.join();
  EXPECT_EQ(installations.size(), 1U);
}

TEST_P(Transactions, TheInstallationKeepsItsId) {
  auto opened = Store::open({"sqlite::memory:", 1, "inst-1"}, clock_);
  ASSERT_TRUE(opened) << opened.error().message;
  auto given = (*opened)->read([](Tx& tx) -> Result<std::string> { return installation_id(tx); });
  EXPECT_EQ(*given, "inst-1");
  const std::string id = read([](Tx& tx) { return installation_id(tx); });
  EXPECT_EQ(id.size(), 36U);
  if (in_memory()) return;
  reopen();
  EXPECT_EQ(read([](Tx& tx) { return installation_id(tx); }), id);
}

TEST_P(Transactions, TimeDoesNotGoBackWhenTheClockDoes) {
  const auto time = [&] {
    const auto got = store_->now();
    EXPECT_TRUE(got) << got.error().message;
    return *got;
  };
  const Time first = time();
  clock_.step_wall(-hours{1});
  EXPECT_GE(time(), first);
  const Time inside = write([](Tx& tx) {
    add_event(tx, event("a"));
    return now(tx);
  });
  EXPECT_GE(inside, first);
  EXPECT_GE(time(), inside);
  if (in_memory()) return;
  reopen();
  EXPECT_GE(time() + seconds{2}, inside) << "not across a restart either, but for what was never written";
  if (GetParam() == Backend::sqlite_file) {
    EXPECT_GE(time(), inside);
  }
}

TEST(OnlyForward, TimeGoesOnByTheSteadyClockWhileTheWallClockIsBehind) {
  const Time start = from_micros(1'800'000'000'000'000);
  OnlyForward time(start);
  EXPECT_EQ(time.at(start + seconds{1}, seconds{100}), start + seconds{1});
  const Time back = start - hours{2};
  EXPECT_EQ(time.at(back, seconds{110}), start + seconds{11}) << "set back two hours, ten seconds passed";
  EXPECT_EQ(time.at(back + seconds{30}, seconds{140}), start + seconds{41});
  EXPECT_EQ(time.at(start + minutes{5}, seconds{141}), start + minutes{5}) << "the wall clock is right again";
  EXPECT_EQ(time.at(start + minutes{5} - seconds{2}, seconds{150}), start + minutes{5})
      << "two connections a little apart do not make time run ahead";
  time.note(start + hours{1});
  EXPECT_EQ(time.at(start + minutes{6}, seconds{151}), start + hours{1} + seconds{1}) << "another replica is further";
}

TEST_P(Transactions, TimeGoesOnAfterTheClockWasSetBack) {
  if (GetParam() == Backend::postgresql) GTEST_SKIP() << "its clock is its own; OnlyForward has its rule";
  const Time before = *store_->now();
  clock_.step_wall(-hours{2});
  clock_.advance(minutes{10});
  EXPECT_EQ(*store_->now(), before + minutes{10});
}

TEST_P(Transactions, WhatWasAcknowledgedOutlivesAKilledProcess) {
  if (in_memory()) GTEST_SKIP() << "nothing outlives the store";
  for (int round = 0; round < 3; ++round) {
    store_.reset();
    int acknowledged[2];
    ASSERT_EQ(pipe(acknowledged), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(acknowledged[0]);
      auto opened = Store::open({database_->url()}, clock_);
      for (std::uint32_t i = 0; opened; ++i) {
        const std::string id = std::to_string(round) + "-" + std::to_string(i);
        const Status done = (*opened)->write([&](Tx& tx) -> Status {
          add_event(tx, event(id));
          add_event(tx, event(id + "-twin"));
          return {};
        });
        if (!done || ::write(acknowledged[1], &i, sizeof i) != sizeof i) break;
      }
      _exit(1);
    }
    ::close(acknowledged[1]);
    std::uint32_t last = 0, count = 0;
    while (count < 40U && ::read(acknowledged[0], &last, sizeof last) == sizeof last) ++count;
    kill(child, SIGKILL);
    while (::read(acknowledged[0], &last, sizeof last) == sizeof last) ++count;  // said before it died
    int status = 0;
    waitpid(child, &status, 0);
    ::close(acknowledged[0]);
    EXPECT_TRUE(WIFSIGNALED(status));
    ASSERT_GE(count, 40U);
    reopen();
    const auto ids = read([](Tx& tx) { return unpublished_events(tx, 100'000); });
    const std::set<std::string> kept(ids.begin(), ids.end());
    for (std::uint32_t i = 0; i < count; ++i) {
      EXPECT_TRUE(kept.contains(std::to_string(round) + "-" + std::to_string(i)));
    }
    for (const std::string& id : kept) {
      EXPECT_TRUE(id.ends_with("-twin") || kept.contains(id + "-twin")) << "half a transaction";
    }
    if (GetParam() == Backend::sqlite_file) {
      const Row check = write([](Tx& tx) { return tx.connection().run("PRAGMA integrity_check", {}, 1).at(0); });
      EXPECT_EQ(check.at(0), "ok");
    }
  }
}

TEST(Store, AnAddressOfNoKnownDatabaseIsRefusedWithoutItsSecrets) {
  const ManualClock clock;
  const auto opened = Store::open({"mysql://user:secret@host/db"}, clock);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::invalid);
  EXPECT_EQ(opened.error().message.find("secret"), std::string::npos);
}

TEST(Store, ADatabaseThatCannotBeReachedSaysSo) {
  const ManualClock clock;
  for (const char* url : {"sqlite:/nowhere/at/all/sickbay.db", "postgresql://user:secret@/x?host=/nowhere"}) {
    const auto opened = Store::open({url}, clock);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, Errc::unavailable) << opened.error().message;
    EXPECT_EQ(opened.error().message.find("secret"), std::string::npos) << opened.error().message;
  }
}

TEST(Store, AFileThatIsNoDatabaseIsRefused) {
  const TestDatabase place(Backend::sqlite_file);
  const std::string path = place.url().substr(7);
  {
    std::ofstream file(path);
    file << std::string(8192, 'x');
  }
  const ManualClock clock;
  const auto opened = Store::open({place.url()}, clock);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::internal);
}

}  // namespace
}  // namespace sickbay::store
