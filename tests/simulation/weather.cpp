// Draws a seed's plan.
#include "tests/simulation/weather.hpp"

namespace sickbay::simulation {

namespace {

// What the schedulers and the provider of this world keep: from all that they may, to the little that Slurm does.
void draw_declarations(Random& random, simworld::Config& world) {
  if (random.chance(0.3))
    world.schedulers = {"sim-k8s"};
  else if (random.chance(0.3))
    world.schedulers = {"sim-slurm"};
  const std::vector<DrainOption> drains{DrainOption::grace, DrainOption::force_after, DrainOption::force};
  SchedulerCapabilities& kubernetes = world.declared["sim-k8s"];
  kubernetes = {SchedulerKind::kubernetes, true, random.chance(0.5), drains, {}};
  if (random.chance(0.2)) kubernetes.view_age = random.between(seconds{5}, seconds{40});
  SchedulerCapabilities& slurm = world.declared["sim-slurm"];
  slurm = {SchedulerKind::slurm, random.chance(0.3), random.chance(0.5), drains, {}};
  ProviderCapabilities& provider = world.capabilities;
  const std::uint64_t kind = random.below(3);
  provider.dedup_by_operation_id = kind == 0;
  provider.fenced_by_boot = kind == 1;
  if (random.chance(0.3)) provider.disturbs = {{Action::reboot, SchedulerKind::slurm}};
  if (random.chance(0.3)) {
    provider.cancellable = {Action::reboot, Action::reprovision, Action::migrate};
    world.latencies.queue = random.between(seconds{5}, minutes{1});
  }
  world.shared_hosts = random.chance(0.25);
}

}  // namespace

Plan make_plan(Random& random) {
  Plan plan;
  // With probability `often` this kind of trouble exists in this history, `most` at the strongest.
  const auto trouble = [&](double often, double most) { return random.chance(often) ? most * random.uniform() : 0; };
  plan.replicas = random.chance(0.3) ? 3 : 2;
  plan.faults = static_cast<std::uint32_t>(1 + random.below(3));
  plan.crash = trouble(0.5, 0.03);
  plan.pause = trouble(0.5, 0.03);
  plan.commit_unknown = trouble(0.3, 0.03);
  plan.people = trouble(0.5, 0.1);
  plan.foreign_controller = trouble(0.2, 0.05);
  plan.late_findings = trouble(0.3, 0.5);
  plan.old_session = trouble(0.2, 0.1);
  plan.clone = trouble(0.1, 0.02);
  plan.wiped = trouble(0.1, 0.05);
  plan.silence = trouble(0.1, 0.02);
  plan.wrong_clock = trouble(0.2, 1);
  plan.node_crash = trouble(0.15, 0.02);
  plan.node_death = trouble(0.1, 0.01);
  plan.scheduler_down = trouble(0.2, 0.02);
  plan.clock_step = trouble(0.05, 0.01);

  simworld::Config& world = plan.world;
  world.seed = 1 + random.below(1U << 30);
  world.nodes = static_cast<std::uint32_t>(2 + random.below(3));
  world.spares = static_cast<std::uint32_t>(random.below(3));
  world.pools = {"train"};
  if (random.chance(0.5)) world.pools.emplace_back("infer");
  draw_declarations(random, world);
  world.marks_survive_rebuild = random.chance(0.7);
  world.job_every = random.chance(0.5) ? random.between(seconds{20}, minutes{3}) : Duration{};
  world.job_length = random.between(seconds{20}, minutes{3});
  world.job_blocked = trouble(0.3, 0.5);
  world.job_light = trouble(0.5, 0.6);
  world.latencies.reboot = random.between(seconds{5}, seconds{60});
  world.latencies.drain_grace = random.between(seconds{1}, seconds{20});
  world.weather.not_sent = trouble(0.3, 0.2);
  world.weather.lose_request = trouble(0.3, 0.3);
  world.weather.late = trouble(0.3, 0.5);
  world.weather.lose_reply = trouble(0.3, 0.5);
  world.weather.fail = trouble(0.3, 0.5);
  world.weather.look_fails = trouble(0.3, 0.3);
  // Where marks cannot be fenced, late requests and other hands meet often enough to matter.
  if (!world.declared["sim-slurm"].atomic_marks && random.chance(0.4)) {
    world.weather.late = 0.2 + 0.4 * random.uniform();
    plan.people = std::max(plan.people, 0.15);
  }
  world.weather.late_by = random.between(seconds{5}, minutes{5});

  Policy& policy = plan.policy;
  policy.confirmation = random.chance(0.6) ? Confirmation::automatic : Confirmation::approve;
  policy.wait.at_most = random.between(minutes{1}, minutes{5});
  policy.wait.for_idle = random.chance(0.8);
  policy.wait.grace_period = minutes{1};
  policy.wait.drain_deadline = minutes{2};
  policy.wait.force_drain_after_deadline = random.chance(0.5);
  policy.limits.cooldown = minutes{2};
  policy.limits.slots_per_pool = static_cast<std::uint32_t>(1 + random.below(2));
  policy.limits.slots_per_cluster = static_cast<std::uint32_t>(1 + random.below(2));
  policy.limits.out_of_service_percent = 60;
  policy.deadlines.reboot = minutes{3};
  policy.deadlines.other_actions = minutes{4};
  policy.deadlines.verify = minutes{5};
  policy.deadlines.verify_quiet = seconds{20};
  policy.deadlines.auto_resolve = minutes{1};
  policy.breaker.unhealthy_percent = 100;
  return plan;
}

}  // namespace sickbay::simulation
