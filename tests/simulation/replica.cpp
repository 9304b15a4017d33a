// A replica's life.
#include "tests/simulation/replica.hpp"

#include <fmt/core.h>

namespace sickbay::simulation {

Replica::Replica(std::string name, std::uint64_t seed, const Surroundings& around)
    : name_(std::move(name)), around_(around), ids_(seed) {
  connect();
  start();
}

void Replica::connect() {
  const auto hook = [this](simworld::Point point) { await(name_of(point)); };
  const simworld::Config& config = around_.world.config();
  engine::Adapters adapters;
  engine::ClusterAdapters& of = adapters.clusters["default"];
  for (const std::string& scheduler : config.schedulers) {
    of.add(scheduler, std::make_unique<simworld::InProcessScheduler>(around_.world, scheduler, "installation", hook));
  }
  of.set(config.provider, std::make_unique<simworld::InProcessProvider>(around_.world, hook));
  adapters_.replace(std::move(adapters));
}

void Replica::start() {
  engine::Options options;
  options.replica = fmt::format("{}-{}", name_, ++starts_);
  options.sync_every = minutes{2};
  options.look_again = seconds{5};
  const auto hook = [this](engine::Point point) {
    static constexpr std::string_view names[] = {"after_read",  "after_look", "before_write", "after_write",
                                                 "before_send", "at_send",    "after_send",   "in_admission"};
    await(names[static_cast<std::size_t>(point)]);
  };
  // Calls that wait are made in any order, on this replica's own fiber: each is an await like those of a turn.
  auto executor = std::make_unique<engine::QueueExecutor>(
      [this](std::size_t queued) { return static_cast<std::size_t>(around_.random.below(queued)); });
  engine_ = std::make_unique<engine::Engine>(around_.store, adapters_, around_.knowledge.faults, clock_, ids_, options,
                                             engine::TestHooks{hook, around_.planted}, std::move(executor));
  (void)engine_->start_sync("default");
  (void)engine_->intake().flush();
  fiber_ = std::make_unique<Fiber>([this](Fiber& fiber) { run(fiber); });
  idle_ = false;
  flush_at_ = elapsed_;
}

void Replica::run(Fiber& fiber) {
  while (true) {
    const Result<bool> worked = engine_->step();
    ++steps_;
    if (!worked) around_.trace(fmt::format("{}: {}", name_, worked.error().message));
    if (!worked || !*worked) idle_ = true;
    fiber.await();
  }
}

void Replica::step() {
  inside_ = true;
  fiber_->resume();
  inside_ = false;
  if (!fiber_->done()) return;
  around_.trace(fmt::format("{} is gone", name_));
  fiber_.reset();
  engine_.reset();
  down_until_ = elapsed_ + around_.random.between(milliseconds{100}, seconds{40});
}

// Every place where another thing may happen before this replica goes on.
void Replica::await(std::string_view where) {
  if (!inside_) return;  // called outside of a turn, such as by a command
  ++awaits_;
  Random& random = around_.random;
  if (!calm_ && random.chance(around_.plan.crash)) {
    around_.trace(fmt::format("{} crashes at {}", name_, where));
    throw Crash{};
  }
  if (!calm_ && random.chance(around_.plan.pause)) {
    const Duration pause =
        random.chance(0.5) ? random.between(milliseconds{1}, seconds{12}) : random.between(seconds{5}, minutes{3});
    around_.trace(fmt::format("{} pauses at {} for {}", name_, where, format_duration(pause)));
    paused_until_ = elapsed_ + pause;
    fiber_->await();
  } else if (random.chance(around_.plan.interleave)) {
    fiber_->await();
  }
}

void Replica::tend(Duration elapsed) {
  elapsed_ = elapsed;
  if (calm_) paused_until_ = std::min(paused_until_, elapsed), down_until_ = std::min(down_until_, elapsed);
  if (!engine_ && elapsed >= down_until_) {
    around_.trace(fmt::format("{} starts", name_));
    start();
  }
  if (engine_ && elapsed >= paused_until_ && elapsed >= flush_at_) {
    (void)engine_->intake().flush();
    flush_at_ = elapsed + seconds{10};
  }
}

std::optional<Duration> Replica::next(Duration elapsed) const {
  if (!engine_) return down_until_;
  if (paused_until_ > elapsed) return paused_until_;
  return flush_at_;
}

}  // namespace sickbay::simulation
