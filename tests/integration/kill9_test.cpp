// kill -9 of real servers, again and again while they repair a simulated fleet in bad weather: at most one action for
// each approval, and in the end nothing is left that nobody looks after (engine.md 3 is what this puts to the test).
// Half of the kills come at a random moment, half right after the world heard a request, which is when it hurts.
// SICKBAY_KILLS and SICKBAY_SEED choose how many and which; SICKBAY_KILL9_ALL=1 runs every kind of provider on every
// database.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <set>
#include <thread>

#include "site.hpp"
#include "tests/unit/store/fixture.hpp"

namespace sickbay::integration {
namespace {

using std::chrono::steady_clock;

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// What a seed decides; real programs and their timing decide the rest.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  milliseconds between(std::uint64_t least, std::uint64_t most) {
    return milliseconds{static_cast<std::int64_t>(least + below(most - least + 1))};
  }
  template <class T, std::size_t N>
  const T& of(const T (&choices)[N]) {
    return choices[below(N)];
  }

 private:
  std::mt19937_64 random_;
};

// The people of the site, who approve and answer what they are asked: some of it, or all.
class Operators {
 public:
  Operators(Site& site, Chance& chance) : site_(site), chance_(chance) {}

  void approve(bool all) {
    for (const NodeSeen& node : site_.nodes().value_or(std::vector<NodeSeen>{})) {
      if (!node.repair || node.repair->state != "PENDING_APPROVAL") continue;
      if (all || !chance_.one_in(4)) say(node.repair->id, "approve", json::object{{"comment", "go on"}});
    }
  }
  // Of a failed repair, or one whose outcome nobody can see, its end: tried again, or the node given back as it is.
  void answer(bool all) {
    for (const NodeSeen& node : site_.nodes().value_or(std::vector<NodeSeen>{})) {
      const bool asked = node.repair && node.repair->person, left = !node.repair && node.quarantine;
      if ((!asked && !left) || (!all && chance_.one_in(2))) continue;
      const std::string& repair = asked ? node.repair->id : node.quarantine->repair;
      if (chance_.one_in(2)) {
        say(repair, "release", json::object{{"reason", "looked at it"}});
      } else {
        say(repair, "retry", json::object{{"comment", "once more"}});
      }
    }
  }

 private:
  // Refused is fine: it may have changed meanwhile.
  void say(const std::string& repair, const std::string& what, const json::value& body) {
    (void)site_.decide(repair, what, body);
  }

  Site& site_;
  Chance& chance_;
};

struct Kind {
  store::Backend backend;
  std::string capability;
};
void PrintTo(const Kind& kind, std::ostream* out) {
  *out << (kind.backend == store::Backend::postgresql ? "PostgreSQL" : "SQLite") << " and " << kind.capability;
}

class Kill9 : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const Kind& kind = GetParam();
    SiteOptions options;
    options.capability = kind.capability;
    options.job_every = seconds{2};
    if (kind.backend == store::Backend::postgresql) {
      if (store::postgres_url().empty()) GTEST_SKIP() << "SICKBAY_TEST_POSTGRES is not set: no PostgreSQL to test on";
      database_.emplace(kind.backend);
      options.database = database_->url();
      options.servers = 2;
    }
    site_.emplace(options);
    seed_ = number_of("SICKBAY_SEED", std::random_device{}());
    std::cout << "SICKBAY_SEED=" << seed_ << "\n";
    chance_.emplace(seed_);
    operators_.emplace(*site_, *chance_);
    const Status put = site_->put_policy(hasty_policy());
    ASSERT_TRUE(put) << put.error().message;
  }
  void TearDown() override {
    if (!HasFailure() || !site_) return;
    std::cout << site_->last_words();
    site_->directory().keep();
  }

  // One more node fails: mostly one that is in service, so that repairs can end too.
  void break_something() {
    static constexpr std::string_view kinds[] = {"xid-48", "xid-95", "xid-109", "xid-119",
                                                 "nvlink", "sxid",   "xfs",     "mlx5"};
    const auto nodes = site_->nodes(seconds{0});  // a server may be down: another time, then
    if (!nodes || nodes->empty()) return;
    const NodeSeen& node = (*nodes)[chance_->below(nodes->size())];
    if ((node.repair || node.quarantine) && !chance_->one_in(20)) return;
    (void)site_->fault(node.name, std::string(chance_->of(kinds)), static_cast<std::uint32_t>(chance_->below(8)));
  }
  std::uintmax_t heard() const { return std::filesystem::file_size(site_->journal_file()); }

  void kill_again_and_again(std::uint64_t kills);
  void wait_for_rest(const std::string& what, const std::function<std::string()>& left);
  std::string left_over(bool people_may_be_asked);

  std::optional<store::TestDatabase> database_;
  std::optional<Site> site_;
  std::uint64_t seed_ = 0;
  std::optional<Chance> chance_;
  std::optional<Operators> operators_;
};

void Kill9::kill_again_and_again(std::uint64_t kills) {
  std::vector<steady_clock::time_point> back(site_->servers());
  auto next_fault = steady_clock::now(), next_answer = next_fault, next_kill = next_fault + milliseconds{500};
  std::optional<std::uintmax_t> lurking;  // the world had written so much when the next kill's time came
  while (kills > 0) {
    const auto now = steady_clock::now();
    for (std::size_t n = 0; n < site_->servers(); ++n) {
      if (site_->server(n).is_running()) continue;
      ASSERT_FALSE(site_->server(n).exit_code() != 128 + SIGKILL) << "server " << n << " ended by itself";
      if (now >= back[n]) site_->start(n);
    }
    ASSERT_TRUE(site_->world().is_running());
    if (now >= next_fault) break_something(), next_fault = now + chance_->between(200, 1000);
    if (now >= next_answer) {
      operators_->approve(false);
      operators_->answer(false);
      next_answer = steady_clock::now() + seconds{2};
    }
    if (now >= next_kill) {
      const bool at_once = !lurking && chance_->one_in(2);
      if (!lurking) lurking = heard();
      if (at_once || heard() != *lurking || now >= next_kill + seconds{2}) {
        lurking.reset();
        const std::size_t n = chance_->below(site_->servers());
        if (!site_->server(n).is_running()) continue;
        site_->server(n).kill();
        --kills;
        back[n] = now + chance_->between(0, 400);
        next_kill = now + chance_->between(300, 1500);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{lurking ? 1 : 20});
  }
}

// What is not at rest, a line each; "": nothing.
std::string Kill9::left_over(bool people_may_be_asked) {
  const auto nodes = site_->nodes();
  const auto marks = site_->marks();
  if (!nodes || !marks)
    return "the servers or the world do not answer: " + (nodes ? marks.error() : nodes.error()).message;
  std::set<std::string> owners;
  std::string left;
  for (const NodeSeen& node : *nodes) {
    if (node.quarantine) owners.insert(node.quarantine->repair);
    if (node.quarantine && !people_may_be_asked) left += fmt::format("{} is in quarantine\n", node.name);
    if (!node.repair) continue;
    owners.insert(node.repair->id);
    const bool asks = node.repair->person || std::ranges::any_of(node.repair->waits_for, [](const std::string& what) {
                        return what.find("an operator's approval") != std::string::npos;
                      });
    if (asks && people_may_be_asked) continue;
    left += fmt::format("repair {} of {} is {} ({}), waits for {}\n", node.repair->id, node.name, node.repair->state,
                        node.repair->step, fmt::join(node.repair->waits_for, "; "));
  }
  for (const auto& [place, repair] : *marks) {
    if (!owners.contains(repair)) left += fmt::format("{} carries the mark of {}, which is nobody's\n", place, repair);
  }
  return left;
}

void Kill9::wait_for_rest(const std::string& what, const std::function<std::string()>& left) {
  const auto until = steady_clock::now() + minutes{6};
  std::string now = left();
  while (!now.empty()) {
    ASSERT_LT(steady_clock::now(), until) << what << ":\n" << now;
    std::this_thread::sleep_for(seconds{1});
    now = left();
  }
}

TEST_P(Kill9, ActsAtMostOnceAndLeavesNothingBehind) {
  const std::uint64_t kills = number_of("SICKBAY_KILLS", 100);
  for (int i = 0; i < 8; ++i) break_something();
  wait_for_rest("no repair begins", [&] {
    operators_->approve(false);
    const auto marks = site_->marks();
    return marks && !marks->empty() ? std::string() : std::string("no node carries our mark");
  });
  ASSERT_TRUE(site_->weather({.not_sent = 0.05,
                              .lose_request = 0.02,
                              .late = 0.05,
                              .lose_reply = 0.1,
                              .fail = 0.03,
                              .look_fails = 0.03,
                              .late_by = seconds{3}}));
  kill_again_and_again(kills);
  if (HasFatalFailure()) return;

  ASSERT_TRUE(site_->weather({}));
  for (std::size_t n = 0; n < site_->servers(); ++n) {
    if (!site_->server(n).is_running()) site_->start(n);
  }
  wait_for_rest("repairs that neither end nor ask a person", [&] {
    operators_->approve(true);
    return left_over(true);
  });
  wait_for_rest("what is left when people have answered all", [&] {
    operators_->approve(true);
    operators_->answer(true);
    return left_over(false);
  });

  std::string said;
  EXPECT_TRUE(site_->journal_is_clean(said)) << said;
  std::cout << kills << " kills: " << said;
  std::set<std::string> acted;
  for (const simworld::Entry& entry : site_->journal()) {
    if (entry.what == simworld::What::begin) acted.insert(entry.repair);
  }
  EXPECT_GE(acted.size(), kills / 10) << "too little happened for the kills to prove anything";
}

std::vector<Kind> kinds() {
  using enum store::Backend;
  if (number_of("SICKBAY_KILL9_ALL", 0) != 0) {
    return {{sqlite_file, "dedup"}, {sqlite_file, "none"}, {postgresql, "dedup"}, {postgresql, "none"}};
  }
  return {{sqlite_file, "dedup"}, {postgresql, "none"}};
}
INSTANTIATE_TEST_SUITE_P(RealServers, Kill9, testing::ValuesIn(kinds()), [](const auto& info) {
  return store::backend_name({info.param.backend, 0}) + "_" + info.param.capability;
});

// A replica that slept from taking an operation until long after: the other one has looked, found nothing, and a person
// has said how to go on. Whatever wakes up then must keep its call to itself.
class HeldUp : public testing::Test {
 protected:
  void SetUp() override {
    if (store::postgres_url().empty()) GTEST_SKIP() << "SICKBAY_TEST_POSTGRES is not set: no PostgreSQL to test on";
    database_.emplace(store::Backend::postgresql);
    site_.emplace(
        SiteOptions{.servers = 2, .database = database_->url(), .capability = "none", .nodes = 4, .spares = 2});
    Policy policy = hasty_policy();
    policy.confirmation = Confirmation::approve;
    const Status put = site_->put_policy(policy);
    ASSERT_TRUE(put) << put.error().message;
  }
  void TearDown() override {
    if (!HasFailure() || !site_) return;
    std::cout << site_->last_words();
    site_->directory().keep();
  }
  std::optional<NodeSeen::Repair> repair() {
    const auto nodes = site_->nodes();
    if (!nodes) return std::nullopt;
    const auto node = std::ranges::find(*nodes, "gpu-001", &NodeSeen::name);
    return node == nodes->end() ? std::nullopt : node->repair;
  }
  void wait_for(const std::string& what, const std::function<bool()>& holds) {
    const auto until = steady_clock::now() + minutes{2};
    while (!holds()) {
      ASSERT_LT(steady_clock::now(), until) << "waited in vain for " << what;
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }
  // Requests of a repair's act in the journal so far.
  std::size_t acts_of(const std::string& repair) {
    const auto entries = site_->journal();
    return static_cast<std::size_t>(std::ranges::count_if(entries, [&](const simworld::Entry& entry) {
      return entry.what == simworld::What::request && entry.kind == OperationKind::act && entry.repair == repair &&
             !entry.outcome;
    }));
  }
  // Stops whichever server is about to send the repair's act; the others' calls (marks, drains) go on.
  std::size_t stop_before_the_act();
  void resume(std::size_t n) {
    std::filesystem::remove(site_->stop_file(n));
    site_->server(n).send(SIGCONT);
  }

  std::optional<store::TestDatabase> database_;
  std::optional<Site> site_;
};

std::size_t HeldUp::stop_before_the_act() {
  for (std::size_t n = 0; n < 2; ++n) std::ofstream(site_->stop_file(n)) << "stop";
  std::optional<std::size_t> held;
  wait_for("a server to stop before the act", [&] {
    for (std::size_t n = 0; n < 2 && !held; ++n) {
      if (!site_->server(n).is_stopped()) continue;
      const auto now = repair();  // as the other server tells
      if (now && now->step == "act") {
        held = n;
      } else {
        site_->server(n).send(SIGCONT);
      }
    }
    return held.has_value();
  });
  if (held) std::filesystem::remove(site_->stop_file(1 - *held));
  return held.value_or(0);
}

TEST_F(HeldUp, AReplicaThatSleptOverItsTakeoverSendsNothing) {
  ASSERT_TRUE(site_->fault("gpu-001", "xid-119", 0));
  wait_for("a recommendation", [&] { return repair().has_value(); });
  const std::string first = repair()->id;
  ASSERT_TRUE(site_->decide(first, "approve", json::object{{"comment", "go on"}}));
  const std::size_t held = stop_before_the_act();
  ASSERT_FALSE(HasFatalFailure());
  EXPECT_EQ(acts_of(first), 0U);

  wait_for("the other replica to ask a person", [&] {
    const auto now = repair();
    return now && now->person.has_value();
  });
  EXPECT_EQ(acts_of(first), 0U) << "a successor sent what may be on its way";
  const Status retried = site_->decide(first, "retry", json::object{{"comment", "nothing happened there"}});
  ASSERT_TRUE(retried) << retried.error().message;
  std::string second;
  wait_for("the second try to act", [&] {
    if (const auto now = repair()) second = now->id;
    return second != first && acts_of(second) == 1;
  });
  resume(held);
  wait_for("the second try to end", [&] { return !repair().has_value(); });
  wait_for("the one that slept to work again",
           [&] { return site_->ask_one(held, "GET", "/readyz", nullptr, seconds{2}).has_value(); });
  EXPECT_EQ(acts_of(first), 0U) << "the replica that slept has sent its call after all";
  EXPECT_EQ(acts_of(second), 1U);
  std::string said;
  EXPECT_TRUE(site_->journal_is_clean(said)) << said;
}

// Resumed while the question still stands, it says that it did not send, which answers it: the action happens, once.
TEST_F(HeldUp, AReplicaThatWakesBeforeAnybodyDecidedSaysThatItDidNotSend) {
  ASSERT_TRUE(site_->fault("gpu-001", "xid-119", 0));
  wait_for("a recommendation", [&] { return repair().has_value(); });
  const std::string id = repair()->id;
  ASSERT_TRUE(site_->decide(id, "approve", json::object{{"comment", "go on"}}));
  const std::size_t held = stop_before_the_act();
  ASSERT_FALSE(HasFatalFailure());
  wait_for("the other replica to ask a person", [&] {
    const auto now = repair();
    return now && now->person.has_value();
  });
  EXPECT_EQ(acts_of(id), 0U);
  resume(held);
  wait_for("the repair to end", [&] { return !repair().has_value(); });
  EXPECT_EQ(acts_of(id), 1U);
  const auto events = site_->ask("GET", "/v1/compute/clusters/demo/events?repair=" + id + "&page_size=500");
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_NE(json::serialize(*events).find("was held up and did not send in time"), std::string::npos);
  std::string said;
  EXPECT_TRUE(site_->journal_is_clean(said)) << said;
}

}  // namespace
}  // namespace sickbay::integration
