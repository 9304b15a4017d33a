// The work table of engine.md 1: no wake-up is lost, no decision is made on old facts.
#include <atomic>
#include <thread>

#include "fixture.hpp"
#include "store/findings.hpp"

namespace sickbay::store {
namespace {

class WorkTable : public OnEveryDatabase {};
INSTANTIATE_TEST_SUITE_P(All, WorkTable,
                         testing::Values(Backend::sqlite_file, Backend::sqlite_memory, Backend::postgresql),
                         backend_name);

TEST_P(WorkTable, AWakeMakesARowDueAndRaisesItsVersion) {
  const Time at = clock_.now();
  write([&](Tx& tx) { wake(tx, WorkKind::node, "n1", at); });
  EXPECT_EQ(read([](Tx& tx) { return work_version(tx, WorkKind::node, "n1"); }), 1U);
  write([&](Tx& tx) { wake(tx, WorkKind::node, "n1", at + seconds{5}); });
  const auto taken = write([&](Tx& tx) { return take_due(tx, at, 10, seconds{30}); });
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0].version, 2U);
  EXPECT_EQ(taken[0].due, at) << "a later wake does not put an earlier one off";
}

TEST_P(WorkTable, AClaimHidesARowUntilItRunsOut) {
  const Time at = clock_.now();
  write([&](Tx& tx) { wake_all(tx, WorkKind::node, {"n2", "n1", "n2"}, at); });
  EXPECT_EQ(write([&](Tx& tx) { return take_due(tx, at, 1, seconds{30}); }).size(), 1U);
  EXPECT_EQ(write([&](Tx& tx) { return take_due(tx, at, 10, seconds{30}); }).size(), 1U);
  EXPECT_TRUE(write([&](Tx& tx) { return take_due(tx, at, 10, seconds{30}); }).empty());
  EXPECT_EQ(read([&](Tx& tx) { return next_due(tx); }), at + seconds{30});
  EXPECT_EQ(write([&](Tx& tx) { return take_due(tx, at + seconds{30}, 10, seconds{30}); }).size(), 2U);
}

TEST_P(WorkTable, AFinishedTurnRestsUntilItsDeadline) {
  const Time at = clock_.now();
  write([&](Tx& tx) { wake(tx, WorkKind::node, "n1", at); });
  write([&](Tx& tx) {
    EXPECT_TRUE(still(tx, WorkKind::node, "n1", 1));
    finish(tx, WorkKind::node, "n1", std::nullopt);
  });
  EXPECT_EQ(read([](Tx& tx) { return next_due(tx); }), std::nullopt);
  EXPECT_EQ(read([](Tx& tx) { return work_version(tx, WorkKind::node, "n1"); }), 2U);
  write([&](Tx& tx) { wake(tx, WorkKind::node, "n1", at + hours{1}); });
  EXPECT_EQ(read([](Tx& tx) { return next_due(tx); }), at + hours{1});
}

TEST_P(WorkTable, FailuresAreCountedUntilATurnEndsWell) {
  const Time at = clock_.now();
  write([&](Tx& tx) {
    wake(tx, WorkKind::sync, "c1", at);
    wake(tx, WorkKind::publish, "events", at);
    for (int i = 0; i < 5; ++i) finish_failed(tx, WorkKind::sync, "c1", at + seconds{9}, "no");
    for (int i = 0; i < 6; ++i) finish_failed(tx, WorkKind::publish, "events", at, "neither");
  });
  EXPECT_EQ(read([](Tx& tx) { return failures_of(tx, WorkKind::sync, "c1"); }), 5);
  const auto failing = read([](Tx& tx) { return failing_work(tx, "c1"); });
  ASSERT_EQ(failing.size(), 2U);
  EXPECT_EQ(failing[0].kind, WorkKind::publish);
  EXPECT_EQ(failing[0].cluster, "");
  EXPECT_EQ(failing[1].kind, WorkKind::sync);
  EXPECT_EQ(failing[1].error, "no");
  EXPECT_EQ(failing[1].due, at + seconds{9});
  EXPECT_EQ(read([](Tx& tx) { return failing_work(tx, "c2"); }).size(), 1U);
  write([&](Tx& tx) { finish(tx, WorkKind::sync, "c1", at); });
  EXPECT_EQ(read([](Tx& tx) { return failures_of(tx, WorkKind::sync, "c1"); }), 0);
  EXPECT_EQ(read([](Tx& tx) { return failing_work(tx, "c1"); }).size(), 1U);
}

TEST_P(WorkTable, ATurnOnOldFactsIsTurnedAway) {
  write([&](Tx& tx) { wake(tx, WorkKind::node, "n1", clock_.now()); });
  write([&](Tx& tx) { wake(tx, WorkKind::node, "n1", clock_.now()); });
  EXPECT_FALSE(write([](Tx& tx) { return still(tx, WorkKind::node, "n1", 1); }));
  EXPECT_TRUE(write([](Tx& tx) { return still(tx, WorkKind::node, "n1", 2); }));
}

TEST_P(WorkTable, AKeyWithoutARowIsVersionZeroAndCanBeTurned) {
  EXPECT_EQ(read([](Tx& tx) { return work_version(tx, WorkKind::cluster, "h1"); }), 0U);
  write([&](Tx& tx) {
    EXPECT_TRUE(still(tx, WorkKind::cluster, "h1", 0));
    finish(tx, WorkKind::cluster, "h1", clock_.now());
  });
  EXPECT_EQ(read([](Tx& tx) { return work_version(tx, WorkKind::cluster, "h1"); }), 1U);
}

// Writers add a fact and wake; turners read, then finish what they read. At the end every fact has been seen by a turn
// that finished after it: with a lost wake-up one would be left over and nothing due.
TEST_P(WorkTable, NoWakeIsLostToATurnThatFinishesMeanwhile) {
  add_cluster();
  add_node("n1");
  constexpr int kFacts = 60;
  std::atomic<int> written = 0;
  std::atomic<bool> writing = true;
  const auto turn = [&] {
    std::uint64_t version = 0;
    std::vector<std::string> seen;
    const Status looked = store_->read([&](Tx& tx) -> Status {
      version = work_version(tx, WorkKind::node, "n1");
      for (const StoredFinding& found : unfolded_findings(tx, "n1", 100)) seen.push_back(found.finding.id);
      return {};
    });
    ASSERT_TRUE(looked) << looked.error().message;
    const Status done = store_->write([&](Tx& tx) -> Status {
      if (!still(tx, WorkKind::node, "n1", version)) return fail(Errc::changed, "turn again");
      mark_folded(tx, seen);
      finish(tx, WorkKind::node, "n1", std::nullopt);
      return {};
    });
    if (!done) {
      ASSERT_EQ(done.error().code, Errc::changed) << done.error().message;
    }
  };
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 2; ++writer) {
    threads.emplace_back([&, writer] {
      for (int i = 0; i < kFacts / 2; ++i) {
        const std::string id = std::to_string(writer) + "-" + std::to_string(i);
        write([&](Tx& tx) {
          add_findings(tx, "n1", 1, {finding(id)}, clock_.now());
          wake(tx, WorkKind::node, "n1", clock_.now());
        });
        ++written;
      }
    });
  }
  for (int turner = 0; turner < 2; ++turner) {
    threads.emplace_back([&] {
      while (writing) turn();
    });
  }
  threads[0].join();
  threads[1].join();
  writing = false;
  threads[2].join();
  threads[3].join();
  while (!write([&](Tx& tx) { return take_due(tx, clock_.now(), 10, Duration{0}); }).empty()) turn();
  EXPECT_EQ(written, kFacts);
  EXPECT_TRUE(read([](Tx& tx) { return unfolded_findings(tx, "n1", 100); }).empty());
  EXPECT_EQ(read([](Tx& tx) { return list_findings(tx, "n1", 100); }).size(), static_cast<std::size_t>(kFacts));
}

// Each turn carries the version it read; of all that carry the same one, one may write.
TEST_P(WorkTable, OfTurnsOnTheSameVersionOneWrites) {
  write([&](Tx& tx) { wake(tx, WorkKind::node, "n1", clock_.now()); });
  std::atomic<int> wrote = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Status done = store_->write([&](Tx& tx) -> Status {
        if (!still(tx, WorkKind::node, "n1", 1)) return fail(Errc::changed, "turn again");
        finish(tx, WorkKind::node, "n1", std::nullopt);
        return {};
      });
      if (done) ++wrote;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrote, 1);
}

}  // namespace
}  // namespace sickbay::store
