// Leases, the event stream, the audit chain, tickets and answers: what people and programs outside see.
#include <atomic>
#include <set>
#include <thread>

#include "fixture.hpp"
#include "store/answered.hpp"
#include "store/audit.hpp"
#include "store/events.hpp"
#include "store/findings.hpp"
#include "store/people.hpp"
#include "store/repairs.hpp"
#include "store/upkeep.hpp"

namespace sickbay::store {
namespace {

class Publication : public OnEveryDatabase {
 protected:
  Event event(const std::string& id) const {
    Event made;
    made.id = id;
    made.at = clock_.now();
    made.cluster = "c1";
    made.kind = EventKind::alert_firing;
    return made;
  }
  static AuditRow row(const std::string& id) {
    AuditRow made;
    made.id = id;
    made.principal = "ada";
    made.verb = "approve";
    made.detail["comment"] = "ok";
    return made;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Publication,
                         testing::Values(Backend::sqlite_file, Backend::sqlite_memory, Backend::postgresql),
                         backend_name);

TEST_P(Publication, ALeaseHasOneHolderAndItsEpochGrowsWithEachNewOne) {
  const Time at = clock_.now();
  const auto take = [&](const char* owner, Time now) {
    return write([&](Tx& tx) { return take_lease(tx, "publish", owner, now, seconds{30}); });
  };
  EXPECT_EQ(take("a", at), 1U);
  EXPECT_EQ(take("b", at + seconds{10}), std::nullopt);
  EXPECT_EQ(take("a", at + seconds{20}), 1U) << "renewed";
  EXPECT_EQ(take("b", at + seconds{49}), std::nullopt);
  EXPECT_EQ(take("b", at + seconds{50}), 2U);
  EXPECT_FALSE(write([](Tx& tx) { return holds_lease(tx, "publish", "a", 1); })) << "fenced out";
  EXPECT_FALSE(write([](Tx& tx) { return holds_lease(tx, "publish", "b", 1); }));
  EXPECT_TRUE(write([](Tx& tx) { return holds_lease(tx, "publish", "b", 2); }));
  EXPECT_FALSE(write([](Tx& tx) { return holds_lease(tx, "other", "b", 2); }));
}

TEST_P(Publication, OfManyWhoWantALeaseOneGetsIt) {
  std::atomic<int> got = 0;
  std::vector<std::thread> replicas;
  for (int i = 0; i < 6; ++i) {
    replicas.emplace_back([&, i] {
      const std::string owner = std::to_string(i);
      if (write([&](Tx& tx) { return take_lease(tx, "publish", owner, clock_.now(), seconds{30}); })) ++got;
    });
  }
  for (std::thread& replica : replicas) replica.join();
  EXPECT_EQ(got, 1);
}

// Many writers commit events late and in any order; a publisher runs all the while; a reader follows the stream by
// sequence only. It must see every event once, numbered without gaps.
TEST_P(Publication, AReaderOfTheStreamSkipsNoLateCommitter) {
  constexpr int kWriters = 3, kEach = 25;
  std::atomic<bool> writing = true;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < kEach; ++i) {
        write([&](Tx& tx) { add_event(tx, event(std::to_string(w) + "-" + std::to_string(i))); });
      }
    });
  }
  std::thread publisher([&] {
    bool last = false;
    while (true) {
      last = !writing;
      const auto ids = read([](Tx& tx) { return unpublished_events(tx, 7); });
      if (ids.empty() && last) break;
      write([&](Tx& tx) { publish_events(tx, ids); });
    }
  });
  std::vector<Event> seen;
  const auto follow = [&] {
    const std::uint64_t after = seen.empty() ? 0 : *seen.back().sequence;
    for (Event& e : read([&](Tx& tx) { return events_after(tx, {}, after, 100); })) seen.push_back(std::move(e));
  };
  while (seen.size() < kWriters * kEach / 2) follow();
  for (std::thread& writer : writers) writer.join();
  writing = false;
  publisher.join();
  follow();
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(kWriters * kEach));
  std::set<std::string> ids;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].sequence, i + 1);
    ids.insert(seen[i].id);
  }
  EXPECT_EQ(ids.size(), seen.size());
}

TEST_P(Publication, PublishingAgainChangesNothing) {
  write([&](Tx& tx) {
    for (const char* id : {"a", "b", "c"}) add_event(tx, event(id));
  });
  write([](Tx& tx) { publish_events(tx, {"b", "a"}); });
  write([](Tx& tx) { publish_events(tx, {"b", "a", "nope", "c"}); });
  const auto events = read([](Tx& tx) { return events_after(tx, {}, 0, 10); });
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].id, "b");
  EXPECT_EQ(events[2].id, "c");
  EXPECT_EQ(events[2].sequence, 3U);
  EventFilter filter;
  filter.kind = "alert-firing";
  auto page = read([&](Tx& tx) { return list_events(tx, filter, {2, ""}); });
  EXPECT_EQ(page.items.front().id, "c") << "newest first";
  page = read([&](Tx& tx) { return list_events(tx, filter, {2, page.next}); });
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items.front().id, "a");
}

TEST_P(Publication, TheAuditChainShowsWhatWasChangedAndWhatWasCutOff) {
  write([](Tx& tx) {
    for (const char* id : {"x", "y", "z"}) add_audit(tx, row(id));
  });
  const auto fresh = read([](Tx& tx) { return unpublished_audit(tx, 10); });
  ASSERT_EQ(fresh.size(), 3U);
  write([&](Tx& tx) { publish_audit(tx, {fresh[0], fresh[1]}); });
  write([&](Tx& tx) { publish_audit(tx, fresh); });
  const auto rows = read([](Tx& tx) { return list_audit(tx, {}); }).items;
  ASSERT_EQ(rows.size(), 3U);
  std::string previous;
  for (std::size_t i = 3; i-- > 0;) {
    EXPECT_EQ(rows[i].sequence, 3 - i);
    EXPECT_EQ(rows[i].hash, audit_hash(previous, rows[i]));
    AuditRow forged = rows[i];
    forged.principal = "eve";
    EXPECT_NE(forged.hash, audit_hash(previous, forged));
    previous = rows[i].hash;
  }
  const AuditHead head = read([](Tx& tx) { return audit_head(tx); });
  EXPECT_EQ(head.sequence, 3U);
  EXPECT_EQ(head.hash, previous);
}

TEST_P(Publication, ATicketIsSpentOnce) {
  Token ticket;
  ticket.hash = "h";
  ticket.purpose = TokenPurpose::ticket;
  ticket.node = "n1";
  ticket.expires_at = clock_.now() + hours{1};
  Token late = ticket;
  late.hash = "late";
  late.expires_at = clock_.now();
  Token agent = ticket;
  agent.hash = "agent";
  agent.purpose = TokenPurpose::agent;
  write([&](Tx& tx) {
    for (const Token& token : {ticket, late, agent}) put_token(tx, token);
  });
  std::atomic<int> spent = 0;
  std::vector<std::thread> agents;
  for (int i = 0; i < 4; ++i) {
    agents.emplace_back([&] {
      if (write([&](Tx& tx) { return spend_ticket(tx, "h", clock_.now()); })) ++spent;
    });
  }
  for (std::thread& thread : agents) thread.join();
  EXPECT_EQ(spent, 1);
  EXPECT_TRUE(read([](Tx& tx) { return find_token(tx, "h"); })->spent_at);
  EXPECT_FALSE(write([&](Tx& tx) { return spend_ticket(tx, "late", clock_.now()); }));
  EXPECT_FALSE(write([&](Tx& tx) { return spend_ticket(tx, "agent", clock_.now()); })) << "not a ticket";
  write([&](Tx& tx) { revoke_agent_tokens(tx, "n1", clock_.now()); });
  EXPECT_TRUE(read([](Tx& tx) { return find_token(tx, "agent"); })->revoked_at);
  EXPECT_FALSE(read([](Tx& tx) { return find_token(tx, "late"); })->revoked_at);
}

TEST_P(Publication, TheFirstAnswerStays) {
  write([&](Tx& tx) { put_answered(tx, "c1/create", "id-1", {"hash", "answer"}, clock_.now()); });
  const Status again = store_->write([&](Tx& tx) -> Status {
    put_answered(tx, "c1/create", "id-1", {"other", "other"}, clock_.now());
    return {};
  });
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::changed);
  EXPECT_EQ(read([](Tx& tx) { return get_answered(tx, "c1/create", "id-1"); })->answer, "answer");
  EXPECT_FALSE(read([](Tx& tx) { return get_answered(tx, "c2/create", "id-1"); }));
}

TEST_P(Publication, PruningTakesOldHistoryAndLeavesWhatIsOpen) {
  const Time old = clock_.now() - hours{24 * 401};
  add_cluster();
  add_node("n1");
  write([&](Tx& tx) {
    Event published = event("old"), waiting = event("old-unpublished"), recent = event("new");
    published.at = waiting.at = old;
    for (const Event& e : {published, waiting, recent}) add_event(tx, e);
    publish_events(tx, {"old", "new"});
    add_findings(tx, "n1", 1, {finding("f-old"), finding("f-unfolded")}, old);
    mark_folded(tx, {"f-old"});
    add_findings(tx, "n1", 1, {finding("f-new")}, clock_.now());
    Repair ended = repair("r-old", "n1"), open = repair("r-open", "n1");
    ended.created_at = open.created_at = old;
    ended.state = RepairState::FAILED;
    put_repair(tx, ended);
    put_repair(tx, open);
  });
  EXPECT_EQ(write([&](Tx& tx) { return prune(tx, clock_.now() - hours{24 * 400}, 100); }), 3U);
  EXPECT_EQ(read([](Tx& tx) { return list_events(tx, {}, {}); }).items.size(), 2U);
  EXPECT_EQ(read([](Tx& tx) { return list_findings(tx, "n1", 10); }).size(), 2U);
  EXPECT_TRUE(read([](Tx& tx) { return get_repair(tx, "r-open"); }));
}

}  // namespace
}  // namespace sickbay::store
