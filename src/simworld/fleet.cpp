// Keeping one real agent for each simulated node that is up.
#include "simworld/fleet.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <boost/asio/post.hpp>
#include <condition_variable>
#include <filesystem>
#include <fstream>

#include "base/log.hpp"
#include "rules/faults.hpp"

namespace sickbay::simworld {

namespace fs = std::filesystem;

Fleet::Fleet(Service& service, FleetOptions options, std::unique_ptr<Tickets> tickets, const Clock& clock)
    : service_(service),
      options_(std::move(options)),
      tickets_(std::move(tickets)),
      clock_(clock),
      faults_(rules::default_faults()) {}

Fleet::~Fleet() {
  stop();
}

void Fleet::start() {
  wait();
  thread_ = std::thread([this] { io_.run(); });
  ticket_thread_ = std::jthread([this](std::stop_token stop) { fetch_tickets(stop); });
}

void Fleet::stop() {
  if (!thread_.joinable()) return;
  ticket_thread_.request_stop();
  boost::asio::post(io_, [this] {
    timer_.cancel();
    for (auto& [name, body] : bodies_) {
      if (body.agent) body.agent->stop();
    }
    io_.stop();
  });
  thread_.join();
  ticket_thread_.join();
  bodies_.clear();
}

Fleet::Counts Fleet::counts() {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Fleet::wait() {
  timer_.expires_after(options_.look_every);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    sync();
    wait();
  });
}

Fleet::View Fleet::look(const NodeState& node, const Config& config) {
  const Body& body = bodies_[node.name];
  View view;
  view.name = node.name;
  view.up = node.up && !node.removed;
  std::set<std::uint32_t> lost;  // GPUs that are not on the bus after this boot
  for (const ActiveFault& fault : node.faults) {
    if (fault.kind == "xid-79") lost.insert(fault.gpu);
  }
  const auto gpus = static_cast<std::uint32_t>(config.gpus - lost.size());
  view.identity = {.machine_id = node.machine,
                   .boot_id = node.boot,
                   .boot_started_at = node.boot_at,
                   .host = node.host,
                   .boot_steady = clock_.steady() - (clock_.now() - node.boot_at),
                   .shape = {fmt::format("{}x10de:2330", gpus), gpus}};
  const std::uint64_t from = body.boot == node.boot ? body.next_record : 0;
  for (const LogRecord& record : node.log) {
    if (record.sequence >= from) view.records.push_back(raw_record(record));
  }
  view.next_record = node.log_sequence;
  return view;
}

std::vector<Fleet::View> Fleet::look() {
  return service_.with_world([&](World& world) {
    std::vector<View> views;
    for (const auto& [name, node] : world.state().nodes) {
      if (name != world.config().guest) views.push_back(look(node, world.config()));  // the guest has a real agent
    }
    return views;
  });
}

void Fleet::sync() {
  Counts counts;
  std::error_code error;
  const Time now = clock_.now();
  for (const View& view : look()) {
    Body& body = bodies_[view.name];
    if (!view.up || body.boot != view.identity.boot_id) body.agent.reset();  // as a power cut
    if (!view.up) continue;
    if (!body.agent) boot(view);
    if (!body.agent) continue;
    for (const std::string& record : view.records) body.feed->push(record);
    body.next_record = view.next_record;
    ++counts.agents;
    const agent::Standing standing = body.agent->standing();
    if (standing.connected) {
      ++counts.connected;
      body.unheard_since = now;
      if (!std::exchange(body.joined, true)) fs::remove(disk(view.name) + ".ticket", error);  // it is spent
    } else {
      counts.problem = fmt::format("{}: {}", view.name, standing.problem);
      // Its credential may have ended, for instance with the server's database, or its ticket came before the server
      // knew the node: a technician would bring another.
      const bool refused = standing.problem.find("answered 4") != std::string::npos;
      if (refused && now - body.unheard_since > seconds{15}) {
        body.unheard_since = now;
        want_ticket(view.name);
      }
    }
  }
  const std::lock_guard lock(mutex_);
  counts_ = std::move(counts);
}

// Starts the agent of a boot; a new machine first waits for its ticket.
void Fleet::boot(const View& view) {
  const std::string disk = this->disk(view.name), ticket = disk + ".ticket", installed = disk + "/machine";
  std::string machine;
  std::ifstream(installed) >> machine;
  std::error_code error;
  if (machine != view.identity.machine_id) {
    {
      const std::lock_guard lock(mutex_);
      if (wanted_.contains(view.name)) return;
    }
    if (!fs::exists(ticket)) return want_ticket(view.name);
    fs::remove_all(disk, error);
    fs::create_directories(disk, error);
    std::ofstream(installed) << view.identity.machine_id << "\n";
  }
  agent::Config config;
  config.server = options_.server;
  config.cluster = options_.cluster;
  config.node = view.name;
  config.ticket_file = ticket;
  config.state = disk;
  config.heartbeat = options_.heartbeat;
  config.watch_host = false;
  config.outbox_bytes = 1U << 20;
  Body& body = bodies_[view.name];
  body.boot = view.identity.boot_id;
  body.machine = view.identity.machine_id;
  body.feed = std::make_shared<agent::MemorySource::Feed>();
  body.unheard_since = clock_.now();
  body.joined = false;
  body.agent = std::make_unique<agent::Agent>(io_, config, view.identity,
                                              std::make_unique<agent::MemorySource>(body.feed), log_, faults_, clock_);
  if (const Status started = body.agent->start(); !started) {
    log::warn("the agent of {} does not start: {}", view.name, started.error().message);
    body.agent.reset();
    body.boot.clear();
  }
}

void Fleet::want_ticket(const std::string& node) {
  const std::lock_guard lock(mutex_);
  wanted_.insert(node);
}

// Brings tickets to the nodes that want one, until stopped. Not on the agents' thread, since it waits for the server.
void Fleet::fetch_tickets(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  std::string last_problem;
  while (!stop.stop_requested()) {
    std::set<std::string> wanted;
    {
      const std::lock_guard guard(mutex_);
      wanted = wanted_;
    }
    for (const std::string& node : wanted) {
      const auto ticket = tickets_->get(node);
      if (!ticket) {
        if (ticket.error().message != last_problem) log::warn("no ticket for {}: {}", node, ticket.error().message);
        last_problem = ticket.error().message;
        break;
      }
      last_problem.clear();
      const std::string path = disk(node) + ".ticket";
      std::error_code error;
      fs::create_directories(options_.directory, error);
      std::ofstream(path + ".new") << *ticket << "\n";
      ::chmod((path + ".new").c_str(), 0600);
      fs::rename(path + ".new", path, error);
      const std::lock_guard guard(mutex_);
      wanted_.erase(node);
    }
    wake.wait_for(lock, stop, std::chrono::milliseconds{wanted.empty() ? 200 : 1000}, [] { return false; });
  }
}

}  // namespace sickbay::simworld
