// The world's beginning, its time, and how entries change its state.
#include "simworld/world.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace sickbay::simworld {

World::World(const Config& config, Time start, Journal& journal) : journal_(journal), now_(start) {
  Entry first;
  first.what = What::world;
  first.config = config;
  record(first, true);
}

Result<std::unique_ptr<World>> World::restore(const std::vector<Entry>& entries, Journal& journal) {
  if (entries.empty() || entries.front().what != What::world || !entries.front().config) {
    return fail(Errc::invalid, "the journal does not begin with its world; move it away to begin anew");
  }
  std::unique_ptr<World> world(new World(journal));
  for (const Entry& entry : entries) {
    world->now_ = std::max(world->now_, entry.at);
    world->apply(entry);
    world->written_ = entry.n;
  }
  world->random_.seed(world->config_.seed + world->written_);
  return world;
}

// Nodes gpu-000, gpu-001, ... spread over the pools in blocks; hosts SIM-10000, ...; the spares are the last of them.
void World::build() {
  const auto pools = std::max<std::size_t>(config_.pools.size(), 1);
  for (std::uint32_t i = 0; i < config_.nodes; ++i) {
    const std::size_t pool = i * pools / config_.nodes;
    NodeState node;
    node.name = fmt::format("gpu-{:03}", i);
    node.pool = config_.pools.empty() ? "default" : config_.pools[pool];
    node.host = fmt::format("{}-{:05}", config_.serials, 10000 + (config_.shared_hosts ? i / 2 : i));
    node.machine = fmt::format("{:016x}{:016x}", config_.seed, i + 1);
    const std::size_t first = pool == 0 && config_.schedulers.size() > 1 ? 1 : 0;
    for (std::size_t s = 0; s < config_.schedulers.size(); ++s) {
      if (s == first || i % 4 == 0)
        node.in.push_back({config_.schedulers[s], fmt::format("uid-{}-1", node.name), 1, {}, {}, {}});
    }
    HostState& host = state_.hosts[node.host];
    host.id = node.host, host.pool = node.pool, host.state = sickbay::HostState::in_use,
    host.checked_at = now_ - hours{24};
    host.nodes.push_back(node.name);
    boot(node, fmt::format("boot-{}-{:x}-1", node.name, config_.seed), now_ - hours{24 + i % 24});
    state_.nodes[node.name] = std::move(node);
  }
  if (!config_.guest.empty()) {
    NodeState node;
    node.name = config_.guest;
    node.pool = "real";
    node.host = "REAL-" + config_.guest;
    node.machine = "machine-" + config_.guest;
    node.in.push_back({config_.schedulers.front(), fmt::format("uid-{}-1", node.name), 1, {}, {}, {}});
    state_.hosts[node.host] = {node.host, node.pool, sickbay::HostState::in_use, {node.name}, now_ - hours{24}};
    boot(node, fmt::format("boot-{}-{:x}-1", node.name, config_.seed), now_ - hours{1});
    state_.nodes[node.name] = std::move(node);
  }
  for (std::uint32_t i = 0; i < config_.spares; ++i) {
    const std::string id = fmt::format("{}-{:05}", config_.serials, 10000 + config_.nodes + i);
    state_.hosts[id] = {id, "", sickbay::HostState::spare, {}, now_ - hours{24}};
  }
  if (config_.job_every > Duration{}) state_.next_job = now_ + config_.job_every;
}

Entry World::entry(What what, std::string_view node) const {
  Entry entry;
  entry.what = what;
  entry.node = node;
  return entry;
}

std::string World::new_id(std::string_view prefix) {
  return fmt::format("{}-{:x}", prefix, written_ + 1);
}

bool World::chance(double probability) {
  return probability > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < probability;
}

std::uint64_t World::pick(std::uint64_t below) {
  return below == 0 ? 0 : random_() % below;
}

void World::record(Entry entry, bool durable) {
  entry.n = written_ + 1;
  entry.at = now_;
  journal_.append(entry, durable);
  ++written_;
  apply(entry);
}

// ---- Time

std::optional<std::pair<Time, std::function<void()>>> World::earliest() const {
  std::optional<std::pair<Time, std::function<void()>>> first;
  World* self = const_cast<World*>(this);  // the returned function is called by advance() only
  const auto consider = [&](Time at, auto action) {
    if (!first || at < first->first) first.emplace(at, std::move(action));
  };
  for (const auto& [n, request] : state_.late) {
    consider(*request.until, [self, &request] {
      const Entry late = request;
      self->carry_out(late);
      Entry done = self->entry(What::executed, late.node);
      done.ref = late.n;
      self->record(done, true);
    });
  }
  for (const auto& [n, begin] : state_.effects)
    consider(*begin.until, [self, &begin] { self->end_effect(Entry(begin)); });
  if (state_.next_job) consider(*state_.next_job, [self] { self->new_job(); });
  for (const auto& [name, node] : state_.nodes) {
    if (node.reappears_at) consider(*node.reappears_at, [self, &name] { self->reappear(name); });
    for (const Membership& in : node.in) {
      for (const Job& job : in.jobs) {
        consider(std::min(job.ends, job.leaves.value_or(job.ends)), [self, &node, &in, &job] {
          Entry end = self->entry(What::job_end, node.name);
          end.scheduler = in.scheduler;
          end.job = job.id;
          self->record(end, false);
        });
      }
    }
  }
  for (const auto& [id, host] : state_.hosts) {
    if (host.state != sickbay::HostState::spare || !host.checked_at) continue;
    consider(*host.checked_at + hours{48}, [self, &id] {
      Entry checked = self->entry(What::checked, "");
      checked.host = id;
      self->record(checked, false);
    });
  }
  return first;
}

std::optional<Time> World::next_due() const {
  const auto next = earliest();
  return next ? std::optional(next->first) : std::nullopt;
}

void World::advance(Time now) {
  for (auto next = earliest(); next && next->first <= now; next = earliest()) {
    now_ = std::max(now_, next->first);
    next->second();
  }
  now_ = std::max(now_, now);
}

void World::set_jobs(Duration every, Duration length) {
  config_.job_every = every;
  config_.job_length = length;
  state_.next_job.reset();
  if (every > Duration{}) state_.next_job = now_ + every;
}

void World::new_job() {
  std::vector<std::pair<const NodeState*, const Membership*>> free;
  for (const auto& [name, node] : state_.nodes) {
    for (const Membership& in : node.in) {
      if (node.up && node.listed && !in.cordoned() && in.jobs.empty()) free.emplace_back(&node, &in);
    }
  }
  const auto length = config_.job_length.count();
  if (!free.empty()) {
    const auto& [node, in] = free[pick(free.size())];
    Entry job = entry(What::job, node->name);
    job.scheduler = in->scheduler;
    job.job = new_id("job");
    job.blocked = chance(config_.job_blocked);
    job.light = declared(in->scheduler).kind == SchedulerKind::kubernetes && chance(config_.job_light);
    job.until = now_ + Duration{length / 2 + static_cast<std::int64_t>(pick(static_cast<std::uint64_t>(length) + 1))};
    record(job, false);
  }
  const auto every = static_cast<std::uint64_t>(config_.job_every.count());
  state_.next_job = now_ + Duration{static_cast<std::int64_t>(every / 2 + pick(every + 1))};
}

void World::reappear(const std::string& name) {
  const std::vector<ActiveFault> faults = state_.nodes[name].faults;
  state_.nodes[name].reappears_at.reset();
  for (const ActiveFault& fault : faults) {
    Entry shown = entry(What::fault, name);
    shown.fault = fault.kind;
    shown.gpu = fault.gpu;
    shown.action = fault.cured_by;
    shown.by = "hardware";
    record(shown, false);
  }
}

// ---- Entries

void World::boot(NodeState& node, const std::string& boot_id, Time at) {
  node.boot = boot_id;
  node.boot_at = at;
  node.up = true;
  node.log.clear();
  node.log_sequence = 0;
  print(node, healthy_boot(config_.gpus), at + seconds{2});
  node.reappears_at.reset();
  if (!node.faults.empty()) node.reappears_at = at + config_.latencies.reappear_after;
}

void World::print(NodeState& node, const std::vector<Line>& lines, Time at) {
  for (const Line& line : lines) {
    const auto since_boot = std::max<std::int64_t>((at - node.boot_at).count(), 0);
    const auto sequence = node.log_sequence++;
    node.log.push_back({sequence, since_boot + static_cast<std::int64_t>(sequence), line.level, line.text});
    if (node.log.size() > 1000) node.log.pop_front();
  }
}

void World::apply(const Entry& entry) {
  switch (entry.what) {
    case What::world:
      config_ = *entry.config;
      now_ = entry.at;
      random_.seed(config_.seed);
      build();
      break;
    case What::request:
      if (entry.until) state_.late[entry.n] = entry;
      if (entry.until && entry.by == "queue")
        state_.operations[entry.operation] = {Progress::running, "queued", "", ""};
      if (!entry.outcome) break;  // an outcome here: the provider will never carry it out
      state_.operations[entry.operation] = {Progress::failed, entry.detail, "", ""};
      break;
    case What::executed:
      state_.late.erase(entry.ref);
      break;
    case What::recalled:
      state_.late.erase(entry.ref);
      state_.recalled.insert(entry.operation);
      state_.operations[entry.operation] = {Progress::failed, "recalled before it began", "", ""};
      break;
    case What::checked:
      state_.hosts[entry.host].checked_at = entry.at;
      break;
    case What::end:
      apply_end(entry);
      break;
    default:
      apply_to_node(entry);
  }
}

void World::apply_to_node(const Entry& entry) {
  NodeState* node = find(entry.node);
  if (!node) return;
  Membership* in = find(entry.scheduler, entry.node);
  const auto job = in ? std::ranges::find(in->jobs, entry.job, &Job::id) : std::vector<Job>::iterator{};
  switch (entry.what) {
    case What::begin:
      state_.effects[entry.n] = entry;
      state_.operations[entry.operation] = {Progress::running, "", "", ""};
      if (entry.detail == "harmless") break;  // it is going to fail before it touches the node
      node->up = false;
      node->listed = entry.action == Action::reboot || entry.action == Action::power_cycle;
      for (Membership& membership : node->in) membership.jobs.clear();
      break;
    case What::boot:
      boot(*node, entry.boot, entry.at);
      for (Membership& m : node->in) m.jobs.clear();
      break;
    case What::dead:
      node->up = false;
      for (Membership& m : node->in) m.jobs.clear();
      break;
    case What::mark:
      if (in) in->mark = Mark{entry.installation, entry.repair}, ++in->version;
      break;
    case What::unmark:
      if (in) in->mark.reset(), ++in->version;
      break;
    case What::cordon:
      if (in) in->cordons.insert(entry.by), ++in->version;
      break;
    case What::uncordon:
      if (in) in->cordons.clear(), ++in->version;
      break;
    case What::job:
      if (in) in->jobs.push_back({entry.job, entry.at, *entry.until, entry.blocked, entry.light, {}});
      break;
    case What::job_leaves:
      if (in && job != in->jobs.end()) job->leaves = entry.until;
      break;
    case What::job_end:
      if (in && job != in->jobs.end()) in->jobs.erase(job);
      break;
    case What::mended:
      node->faults.clear();
      node->reappears_at.reset();
      break;
    case What::fault:
      if (entry.by != "hardware" && entry.action != Action::none) {
        node->faults.push_back({entry.fault, entry.gpu, entry.action});
      }
      print(*node, fault_lines(entry.fault, entry.gpu), entry.at);
      break;
    default:
      break;
  }
}

void World::apply_end(const Entry& entry) {
  const auto found = state_.effects.find(entry.ref);
  if (found == state_.effects.end()) return;
  const Entry begin = found->second;
  state_.effects.erase(found);
  NodeState& node = state_.nodes[begin.node];
  OperationState& operation = state_.operations[begin.operation];
  if (entry.outcome != Outcome::succeeded) {
    operation = {Progress::failed, entry.detail, "", ""};
    node.listed = !node.removed;
    return;
  }
  operation = {Progress::succeeded, "", entry.host, entry.machine};
  if (begin.action == Action::migrate || begin.action == Action::remove) {
    HostState& old = state_.hosts[begin.host];
    std::erase(old.nodes, node.name);
    if (old.nodes.empty()) old.state = sickbay::HostState::vacated;  // others may still be on a shared one
    node.host = entry.host;
  }
  if (begin.action == Action::remove) {
    node.removed = true, node.listed = false;
    return;
  }
  HostState& host = state_.hosts[node.host];
  host.state = sickbay::HostState::in_use, host.pool = node.pool;
  if (std::ranges::find(host.nodes, node.name) == host.nodes.end()) host.nodes.push_back(node.name);
  const bool rebuilt = begin.action == Action::reprovision || begin.action == Action::migrate;
  if (rebuilt) node.machine = entry.machine;
  for (Membership& in : node.in) {
    if (!rebuilt) continue;
    in.uid = entry.uid, ++in.version;
    if (!config_.marks_survive_rebuild) in.mark.reset(), in.cordons.clear();
  }
  node.listed = true;
  std::erase_if(node.faults, [&](const ActiveFault& fault) { return fault.cured_by <= begin.action; });
  boot(node, entry.boot, entry.at);
}

}  // namespace sickbay::simworld
