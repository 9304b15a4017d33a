// A PostgreSQL that is not the one that wrote last is known by the database alone, on each connection before it is
// used.
#include "store/restore.hpp"

#include "fixture.hpp"
#include "store/sql.hpp"

namespace sickbay::store {
namespace {

class BrokenOff : public OnEveryDatabase {
 protected:
  struct Seen {
    std::optional<std::string> why;
    std::string broken;
    std::uint64_t breaks = 0;
    bool untold = false;
  };
  Seen seen() {
    return read(
        [](Tx& tx) { return Seen{observe_only_because(tx), broken_off(tx), lineage(tx).breaks, is_break_untold(tx)}; });
  }
  // As a database that another PostgreSQL wrote.
  void move() {
    write([](Tx& tx) { execute(tx, "UPDATE installation SET line = ?1", "1 timeline 00000001 database 2"); });
  }
};
INSTANTIATE_TEST_SUITE_P(All, BrokenOff,
                         testing::Values(Backend::sqlite_file, Backend::sqlite_memory, Backend::postgresql),
                         backend_name);

TEST_P(BrokenOff, ADatabaseThatGoesOnWhereItWasIsNone) {
  for (int start = 0; start < 3; ++start) {
    reopen();
    const Seen now = seen();
    EXPECT_FALSE(now.why) << *now.why;
    EXPECT_EQ(now.broken, "");
    EXPECT_EQ(now.breaks, 0U);
    EXPECT_FALSE(now.untold);
  }
}

class BrokenOffLine : public BrokenOff {};  // SQLite has none: it is one file
INSTANTIATE_TEST_SUITE_P(All, BrokenOffLine, testing::Values(Backend::postgresql), backend_name);

TEST_P(BrokenOffLine, AConnectionThatWasThereBeforeSeesIt) {
  (void)seen();
  move();
  EXPECT_NE(seen().broken.find("not 1 timeline 00000001 database 2"), std::string::npos)
      << "the place that wrote before is not named: " << seen().broken;
}

TEST_P(BrokenOffLine, ANewConnectionIsUsedOnlyAfterItWasNotedOnce) {
  (void)seen();
  move();
  for (int start = 0; start < 3; ++start) {
    reopen();
    const Seen now = seen();
    ASSERT_TRUE(now.why) << "start " << start;
    EXPECT_NE(now.why->find("a standby took over"), std::string::npos) << *now.why;
    EXPECT_EQ(now.broken, "");
    EXPECT_EQ(now.breaks, 1U);
    EXPECT_EQ(now.untold, start == 0);
    EXPECT_EQ(read([](Tx& tx) { return is_break_untold(tx); }), start == 0);
    bool told = false;
    write([&](Tx& tx) { told = tell_break(tx); });
    EXPECT_EQ(told, start == 0) << "people are told once";
  }
  write([](Tx& tx) { end_observe_only(tx); });
  reopen();
  EXPECT_FALSE(seen().why) << "what a person confirmed is asked for again";
}

TEST_P(BrokenOff, ABreakHasAHigherNumberThanAnyThatWasSeen) {
  write([](Tx& tx) { break_off(tx, "older than it was", 7); });
  EXPECT_EQ(seen().breaks, 8U);
  write([](Tx& tx) { break_off(tx, "again", 3); });
  EXPECT_EQ(seen().breaks, 9U);
  EXPECT_EQ(seen().why, "older than it was") << "the first reason is what a person has to look at";
}

TEST_P(BrokenOff, AnActIsProgress) {
  const std::uint64_t before = read([](Tx& tx) { return lineage(tx).progress; });
  write([](Tx& tx) { count_act(tx); });
  EXPECT_EQ(read([](Tx& tx) { return lineage(tx).progress; }), before + 1);
}

}  // namespace
}  // namespace sickbay::store
