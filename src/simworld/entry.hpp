// The simulated world's journal: every request it received, every effect it carried out, every mark placed or taken
// away and by whom, one entry each, in order. The world's state is the fold of its entries, so that a restart replays
// them; and they are the oracle of the tests: the checker (checker.hpp) reads nothing else.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ports/provider.hpp"

namespace sickbay::simworld {

// How long things take. A rebuilt node is Ready `ready_after` its boot; a fault of the hardware shows itself again
// `reappear_after` the boot; work that is asked to leave goes within `drain_grace`.
struct Latencies {
  Duration reboot = seconds{20}, power_cycle = seconds{25}, reprovision = seconds{40}, migrate = seconds{60},
           remove = seconds{20};
  Duration ready_after = seconds{3}, reappear_after = seconds{10}, drain_grace = seconds{5};
  Duration queue{};  // the provider takes an action on and begins it so much later; until then it can be recalled
  BOOST_DESCRIBE_CLASS(Latencies, (),
                       (reboot, power_cycle, reprovision, migrate, remove, ready_after, reappear_after, drain_grace,
                        queue),
                       (), ())
};

// How calls go wrong: probabilities in [0, 1], each drawn by itself in this order. not_sent: no connection.
// lose_request: it never arrives, the caller does not know. late: it is carried out up to `late_by` after the caller
// gave up. lose_reply: carried out, the caller does not know. fail: the action ends in failure, half of those leave the
// node dead. look_fails: an observation or list cannot be had.
struct Weather {
  double not_sent = 0, lose_request = 0, late = 0, lose_reply = 0, fail = 0, look_fails = 0;
  Duration late_by = seconds{30};
  BOOST_DESCRIBE_CLASS(Weather, (), (not_sent, lose_request, late, lose_reply, fail, look_fails, late_by), (), ())
};

struct Config {
  std::uint64_t seed = 1;
  std::uint32_t nodes = 64, spares = 6, gpus = 8;
  std::vector<std::string> pools{"train", "infer"};
  // The first pool is in the second scheduler, the others in the first; every fourth node is in both.
  std::vector<std::string> schedulers{"sim-k8s", "sim-slurm"};
  // What each scheduler is and keeps; one without a row is of the kind kubernetes and keeps every promise.
  std::map<std::string, SchedulerCapabilities> declared{
      {"sim-slurm",
       {.kind = SchedulerKind::slurm,
        .drain_options = {DrainOption::grace, DrainOption::force_after, DrainOption::force}}}};
  std::string serials = "SIM";  // what the serials of its hosts begin with; a machine has one of its own everywhere
  bool shared_hosts = false;    // two nodes on each host, as virtual machines are
  std::string provider = "sim";
  std::string guest;  // one more node, a real machine without simulated GPUs (guest.hpp); empty: none
  ProviderCapabilities capabilities{
      .actions = {Action::reboot, Action::power_cycle, Action::reprovision, Action::migrate, Action::remove},
      .dedup_by_operation_id = true,
      .fenced_by_boot = false,
      .cancellable = {},
      .disturbs = {},
      .kept_paths = {{Action::reboot, {"/scratch", "/tmp"}}, {Action::power_cycle, {"/scratch", "/tmp"}}}};
  bool marks_survive_rebuild = true;  // else a rebuilt node's scheduler object comes back without any mark
  Duration job_every{};               // mean time between new jobs in the whole world; zero: none come by themselves
  Duration job_length = seconds{60};  // mean
  double job_blocked = 0;             // share of jobs that a disruption budget protects from eviction
  double job_light = 0;               // share of Kubernetes' that ask for no accelerator
  Latencies latencies;
  Weather weather;
  BOOST_DESCRIBE_CLASS(Config, (),
                       (seed, nodes, spares, gpus, pools, schedulers, declared, serials, shared_hosts, provider, guest,
                        capabilities, marks_survive_rebuild, job_every, job_length, job_blocked, job_light, latencies,
                        weather),
                       (), ())
};

// world: the beginning. request: a call arrived (`until`: carried out then). executed: a late one (`ref`) was carried
// out. recalled: an operation (and its late request `ref`, if there was one) that will not be carried out any more.
// begin, end: an effect on a node. boot: a node restarted by itself. dead: it stopped. mark, unmark: ours, by an
// operation or by somebody (`by`). cordon, uncordon: other people's. job, job_leaves, job_end: work on a node. fault:
// it shows in the kernel log. mended: the node's faults are cured. checked: a spare host passed its checks.
BOOST_DEFINE_ENUM_CLASS(What, world, request, executed, recalled, begin, end, boot, dead, mark, unmark, cordon,
                        uncordon, job, job_leaves, job_end, fault, mended, checked)

struct Entry {
  std::uint64_t n = 0;  // 1, 2, 3, ... without gaps
  Time at{};
  What what = What::world;
  std::uint64_t ref = 0;  // the entry this one follows from
  std::string node, host, scheduler;
  std::string operation, repair, installation;
  OperationKind kind = OperationKind::act;
  Action action = Action::none;  // of an act; of a fault: the lightest action that cures it
  bool force = false;
  std::optional<Duration> grace, force_after;  // of a drain
  // Of a call to a scheduler without compare-and-swap: the mark its sender saw (INSTALLATION/REPAIR), on which a late
  // one acts; `uid` and `version` are the preconditions of the call.
  std::string saw;
  std::string version;
  std::string by;  // a person, a controller, "hardware"; empty for an operation's own effect
  std::string job;
  std::string boot, machine, uid, target;  // begin: what the effect leads to; request: boot is the one expected
  std::string fault;
  std::uint32_t gpu = 0;
  std::string detail;    // request: the answer; begin: how it is going to fail, if it is
  bool blocked = false;  // job: protected by a budget
  bool light = false;    // job: without accelerators
  std::optional<Outcome> outcome;
  std::optional<Time> until;
  std::optional<Config> config;
  BOOST_DESCRIBE_CLASS(Entry, (),
                       (n, at, what, ref, node, host, scheduler, operation, repair, installation, kind, action, force,
                        grace, force_after, saw, version, by, job, boot, machine, uid, target, fault, gpu, detail,
                        blocked, light, outcome, until, config),
                       (), ())
};

// The request that an operation makes.
Entry request_of(const Operation& operation);

// Where entries go. `durable`: the entry must survive a crash of the machine before the world goes on.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual void append(const Entry& entry, bool durable) = 0;
};

// Keeps them in memory.
class MemoryJournal final : public Journal {
 public:
  void append(const Entry& entry, bool) override { entries.push_back(entry); }
  std::vector<Entry> entries;
};

}  // namespace sickbay::simworld
