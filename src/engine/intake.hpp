// Intake: what agents say, made durable. Findings and sessions are facts; each wakes its node in the same transaction.
// Heartbeats stay in memory and are written in bulk (engine.md 7). Thread safe.
#pragma once

#include <functional>
#include <map>
#include <mutex>

#include "base/ids.hpp"
#include "engine/options.hpp"
#include "model/people.hpp"
#include "model/wire.hpp"
#include "store/store.hpp"

namespace sickbay::engine {

// Errc::changed from heartbeat and findings means: this session is not the node's newest; say hello again. The API
// answers 409 with code "stale_session".
class Intake {
 public:
  // `woken` is called after a commit that woke work, so that a local worker need not poll.
  Intake(store::Store& store, const Clock& clock, Ids& ids, const Options& options, std::function<void()> woken = {});

  // `token` is the credential that spoke, already found valid and not expired: of purpose "agent" (only for its node)
  // or "ticket" (spent here; the reply carries the new credential, and older ones of the node are revoked).
  Result<wire::HelloReply> hello(const wire::Hello& hello, const Token& token);
  // Everything up to BatchReply.acked is durable. Findings of an older session are taken as history.
  Result<wire::BatchReply> findings(std::string_view node, const wire::Batch& batch);
  Result<wire::HeartbeatReply> heartbeat(std::string_view node, const wire::Heartbeat& heartbeat);
  // Writes the heartbeats of memory and that this replica listens. Called every few seconds by the engine.
  Status flush();
  // How late findings are made durable now; over 30 s nothing starts automatically.
  Duration lag() const;

 private:
  struct Seen {
    std::uint64_t epoch = 0;
    std::string digest, stream;
    Time at{};
    bool written = false;
  };
  Result<Seen> current(std::string_view node);
  Status note_conflict(std::string_view node, const wire::Heartbeat& heartbeat);

  store::Store& store_;
  const Clock& clock_;
  Ids& ids_;
  Options options_;
  std::function<void()> woken_;
  Time listening_since_;
  mutable std::mutex mutex_;
  std::map<std::string, Seen, std::less<>> seen_;
  Duration lag_{};
};

}  // namespace sickbay::engine
