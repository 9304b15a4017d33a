#include "agent/agent.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "agent/parts.hpp"

namespace sickbay::agent {

Agent::Agent(asio::io_context& io, Config config, Identity identity, std::unique_ptr<RecordSource> source,
             const rules::KernelLog& log, const FaultTable& faults, const Clock& clock)
    : parts_(
          std::make_shared<Parts>(io, std::move(config), std::move(identity), std::move(source), log, faults, clock)) {}

Agent::~Agent() {
  parts_->end();
}

Status Agent::start() {
  SICKBAY_CHECK(parts_->start());
  asio::co_spawn(parts_->io, Uplink::run(*parts_->uplink, parts_), asio::detached);
  return {};
}

void Agent::stop() {
  parts_->save();
  parts_->end();
}

Standing Agent::standing() const {
  return parts_->standing();
}
void Agent::on_finding(std::function<void(const Finding&)> callback) {
  parts_->finding_callback = std::move(callback);
}
void Agent::on_done(std::function<void()> callback) {
  parts_->done_callback = std::move(callback);
}

}  // namespace sickbay::agent
