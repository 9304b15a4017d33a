#include "explorer.hpp"

#include <fmt/core.h>
#include <libpq-fe.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace sickbay::store {
namespace {

constexpr int kUnlimited = 1000;
constexpr int kPreemptions = 2;
constexpr std::chrono::seconds kPatience{20};

// In how many orders two rows of steps can run; capped.
double orders(int a, int b) {
  return std::exp(std::lgamma(a + b + 1) - std::lgamma(a + 1) - std::lgamma(b + 1));
}

}  // namespace

// One side: its store, its thread's place at the barrier, and how its transaction ended.
struct Explorer::Side {
  enum class State { idle, running, waiting, blocked, finished };
  std::mutex mutex;
  std::condition_variable changed;
  State state = State::idle;
  bool go = false;
  std::string statement;  // the one it waits to run
  std::string outcome;
  std::unique_ptr<Store> store;
  ManualClock clock;

  void arrive(std::string_view sql) {
    std::unique_lock lock(mutex);
    if (state == State::idle) return;  // while the store opens
    statement = std::string(sql.substr(0, 60));
    state = State::waiting;
    changed.notify_all();
    changed.wait(lock, [&] { return go; });
    go = false;
  }
  void release() {
    const std::lock_guard lock(mutex);
    state = State::running;
    go = true;
    changed.notify_all();
  }
  void set(State to) {
    const std::lock_guard lock(mutex);
    state = to;
    changed.notify_all();
  }
  State now() {
    const std::lock_guard lock(mutex);
    return state;
  }
  // Waits a moment for it to come to rest by itself.
  bool rests(std::chrono::microseconds wait) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, wait, [&] { return state == State::waiting || state == State::finished; });
  }
};

Explorer::Explorer(const std::string& url) {
  const std::string join = url.find('?') == std::string::npos ? "?" : "&";
  for (int i = 0; i < 2; ++i) {
    sides_.at(i) = std::make_unique<Side>();
    Side& side = *sides_.at(i);
    Hooks hooks;
    hooks.before_statement = [&side](std::string_view sql) { side.arrive(sql); };
    auto opened =
        Store::open({url + join + "application_name=explorer-" + std::to_string(i), 1}, side.clock, std::move(hooks));
    if (!opened) throw std::runtime_error(opened.error().message);
    side.store = std::move(*opened);
  }
  auto opened = Store::open({url, 1}, sides_[0]->clock);
  if (!opened) throw std::runtime_error(opened.error().message);
  observer_ = std::move(*opened);
  watcher_ = PQconnectdb(url.c_str());
}

Explorer::~Explorer() {
  PQfinish(static_cast<PGconn*>(watcher_));
}

bool Explorer::blocked(int side) {
  const std::string sql = fmt::format(
      "SELECT 1 FROM pg_stat_activity WHERE application_name = 'explorer-{}' AND state = 'active' AND "
      "cardinality(pg_blocking_pids(pid)) > 0",
      side);
  PGresult* result = PQexec(static_cast<PGconn*>(watcher_), sql.c_str());
  const bool found = PQntuples(result) > 0;
  PQclear(result);
  return found;
}

// Waits until each side waits at its barrier, has finished, or is held up by the other's locks.
void Explorer::settle() {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    std::array<bool, 2> rests{}, held{};
    for (int i = 0; i < 2; ++i) {
      rests.at(i) = sides_.at(i)->rests(std::chrono::milliseconds{1});
      held.at(i) = !rests.at(i) && blocked(i);
      if (held.at(i) && !sides_.at(i)->rests(std::chrono::microseconds{0})) sides_.at(i)->set(Side::State::blocked);
    }
    // Both held up is a deadlock, which the database breaks; one held up by a side at its barrier is a state of rest.
    if (rests[0] && rests[1]) return;
    if ((rests[0] && held[1] && sides_[0]->now() == Side::State::waiting) ||
        (rests[1] && held[0] && sides_[1]->now() == Side::State::waiting)) {
      return;
    }
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("the explorer waits for nothing");
  }
}

// Runs one schedule: `path` as far as it goes, then the side that ran last, but for the plan's switches. Extends `path`
// by what was chosen.
std::string Explorer::run_schedule(const Racer& a, const Racer& b, std::vector<Choice>& path, const Plan& plan) {
  for (auto& side : sides_) side->set(Side::State::idle);
  set_up(*observer_);
  log_.clear();
  steps_ = {};
  std::array<std::thread, 2> threads;
  for (int i = 0; i < 2; ++i) {
    sides_.at(i)->set(Side::State::running);
    threads.at(i) = std::thread([&, i] {
      Side& side = *sides_.at(i);
      side.outcome = (i == 0 ? a : b).run(*side.store, i);
      side.set(Side::State::finished);
    });
  }
  int last = plan.first;
  for (std::size_t step = 0;; ++step) {
    settle();
    std::array<bool, 2> ready{};
    for (int i = 0; i < 2; ++i) ready.at(i) = sides_.at(i)->now() == Side::State::waiting;
    if (!ready[0] && !ready[1]) break;
    const int before = step == 0 ? 0 : path.at(step - 1).preemptions;
    if (step == path.size()) {
      Choice choice;
      const int wanted = plan.switches.contains(step) ? 1 - last : last;
      choice.side = ready.at(wanted) ? wanted : 1 - wanted;
      choice.preemptions = before;
      const bool first = step == 0;
      const int price = !first && ready.at(last) ? 1 : 0;
      choice.other_left = ready.at(1 - choice.side) && before + price <= plan.preemptions_allowed ? 1 : 0;
      path.push_back(choice);
    }
    Choice& choice = path.at(step);
    if (!ready.at(choice.side)) choice = {1 - choice.side, 0, before};  // a deadlock was broken the other way
    last = choice.side;
    ++steps_.at(last);
    log_.push_back(fmt::format("{}: {}", last == 0 ? 'A' : 'B', sides_.at(last)->statement));
    sides_.at(last)->release();
  }
  for (std::thread& thread : threads) thread.join();
  path.resize(std::min(path.size(), log_.size()));
  return check(*observer_, sides_[0]->outcome, sides_[1]->outcome);
}

// Runs it and remembers a violation with the schedule that shows it.
bool Explorer::holds(const Racer& a, const Racer& b, std::vector<Choice>& path, const Plan& plan, Exploration& out) {
  const std::string wrong = run_schedule(a, b, path, plan);
  ++out.schedules;
  if (wrong.empty()) return true;
  out.violation =
      fmt::format("{} against {}: {} ({} / {})", a.name, b.name, wrong, sides_[0]->outcome, sides_[1]->outcome);
  for (const std::string& line : log_) out.violation += "\n  " + line;
  return false;
}

// Depth first; whether that was all of them.
bool Explorer::enumerate(const Racer& a, const Racer& b, int preemptions_allowed, std::size_t at_most,
                         Exploration& out) {
  std::vector<Choice> path;
  while (out.schedules < at_most) {
    if (!holds(a, b, path, {preemptions_allowed, {}, 0}, out)) return false;
    while (!path.empty() && path.back().other_left == 0) path.pop_back();
    if (path.empty()) return true;
    Choice& turn = path.back();
    const Choice* before = path.size() == 1 ? nullptr : &path.at(path.size() - 2);
    // Leaving the side that ran last, which could have gone on, is a preemption.
    if (before) turn.preemptions = before->preemptions + (before->side == turn.side ? 1 : 0);
    turn.side = 1 - turn.side;
    turn.other_left = 0;
  }
  return false;
}

void Explorer::sample(const Racer& a, const Racer& b, std::size_t at_most, Exploration& out) {
  std::mt19937 random(1);  // the same schedules every time
  const auto steps = static_cast<std::size_t>(std::max(steps_[0] + steps_[1], 2));
  while (out.schedules < at_most) {
    Plan plan;
    plan.first = static_cast<int>(random() % 2);
    for (std::size_t i = random() % 4 + 1; i > 0; --i) plan.switches.insert(1 + random() % (steps - 1));
    std::vector<Choice> path;
    if (!holds(a, b, path, plan, out)) return;
  }
}

Exploration Explorer::explore(const Racer& a, const Racer& b, std::size_t at_most) {
  Exploration out;
  std::vector<Choice> path;
  if (!holds(a, b, path, {}, out)) return out;  // one after the other; counts their statements
  if (orders(steps_[0], steps_[1]) <= static_cast<double>(at_most)) {
    out.all = enumerate(a, b, kUnlimited, at_most * 2, out);
    return out;
  }
  enumerate(a, b, kPreemptions, at_most / 3, out);
  if (out.violation.empty()) sample(a, b, at_most, out);
  return out;
}

std::string Explorer::alone(const Racer& racer) {
  set_up(*observer_);
  const std::string outcome = racer.run(*observer_, 0);
  const std::string wrong = check(*observer_, outcome, "");
  return wrong.empty() ? outcome : wrong;
}

}  // namespace sickbay::store
