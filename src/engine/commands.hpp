// What people (and programs in a person's name) ask of the engine. Each is one transaction: the node's work row is
// taken first, so that it is serial with every turn; the decision is decide's; the event is written
// with it. The audit row of who asked is the API's, written after (src/api/api.cpp).
#pragma once

#include <functional>

#include "decide/decide.hpp"
#include "engine/options.hpp"
#include "store/store.hpp"

namespace sickbay::engine {

class Commands {
 public:
  Commands(store::Store& store, const FaultTable& faults, Ids& ids, const Options& options,
           std::function<void()> woken = {}, std::function<decide::SafetyState()> caution = {});

  Result<Repair> approve(std::string_view repair, const decide::Person& who, const decide::Approval& approval);
  Result<Repair> reject(std::string_view repair, const decide::Person& who, std::string_view comment);
  Result<Repair> cancel(std::string_view repair, const decide::Person& who);
  Result<Repair> force_drain(std::string_view repair, const decide::Person& who);
  // A new repair for a node; the same request id again gives the first one.
  Result<Repair> create(std::string_view node, const decide::Person& who, const decide::Request& request);
  // What create would make, and every reason against it; writes nothing.
  Result<Repair> preview(std::string_view node, const decide::Person& who, const decide::Request& request);
  // Retry of a failed repair, or of one whose operation is ambiguous: then the person says with it that the operation
  // will not happen any more, the repair ends FAILED, and the new one inherits the quarantine.
  Result<Repair> retry(std::string_view repair, const decide::Person& who, std::optional<Action> action,
                       std::string_view comment);
  // Returns the node of a failed (or ambiguous, as above) repair to service as it is.
  Result<Node> release(std::string_view repair, const decide::Person& who, std::string_view reason);

  // A new version of the policy if `expected_version` (when given) is the current one: Errc::changed otherwise.
  Result<PolicyVersion> put_policy(std::string_view cluster, const Policy& policy, const decide::Person& who,
                                   std::string_view comment, std::optional<std::uint64_t> expected_version);
  Result<Cluster> reset_breaker(std::string_view cluster, const decide::Person& who, std::string_view reason);
  // Opting a node out of automatic repair, and in.
  Result<Node> set_auto_repair(std::string_view node, bool on, const decide::Person& who);
  // Adopts a cluster: its nodes are found by the watch of its adapters.
  Result<Cluster> adopt(const Cluster& cluster, const decide::Person& who);
  Status forget(std::string_view cluster, const decide::Person& who);

  // After a restore of the database: what was under way was looked after, and the engine may act again.
  Status confirm_restore(const decide::Person& who, std::string_view reason);

  // Sentences for `why`.
  Result<std::vector<std::string>> why_node(std::string_view node);
  Result<std::vector<std::string>> why_repair(std::string_view repair);

 private:
  // The failed repair; an ambiguous one is ended first, on this person's word.
  Result<Repair> ended(store::Tx& tx, decide::NodeFacts& facts, std::string_view repair, const decide::Person& who,
                       std::string_view comment);
  template <class Change>
  Result<Repair> change(std::string_view repair, const decide::Person& who, std::string_view verb, Change change);

  store::Store& store_;
  const FaultTable& faults_;
  Ids& ids_;
  Options options_;
  std::function<void()> woken_;
  std::function<decide::SafetyState()> caution_;
};

}  // namespace sickbay::engine
