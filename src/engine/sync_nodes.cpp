// A scheduler's list against what is stored of its nodes: one read finds what differs, by digests, and only that is
// looked at closely and written, in batches.
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/log.hpp"
#include "decide/same.hpp"
#include "engine/ask.hpp"
#include "engine/engine.hpp"
#include "store/clock_steps.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"
#include "store/observations.hpp"
#include "store/repairs.hpp"
#include "store/sync.hpp"
#include "store/work.hpp"

namespace sickbay::engine {
namespace {

constexpr std::string_view kGone = "gone";
constexpr int kTries = 3;

// Many nodes gone at once is a lister's fault (engine.md 6), not that many losses: it is believed when lists have said
// so for this long.
constexpr Duration kBelievedAfter = minutes{30};
bool too_many_gone(std::size_t gone, std::size_t known) {
  return gone > std::max<std::size_t>(3, known / 5);
}

// One node of which the list says something else than the digest that is stored. listed: null when it is not in the
// list. id: a new one where the node is not known.
struct Candidate {
  std::string id;
  bool is_new = false;
  const NodeStatus* listed = nullptr;
  std::string digest;  // empty: the list does not say it for sure
};

// What is to be written about a candidate.
struct Difference {
  std::optional<Node> node;
  std::optional<Observation> observation;
  std::optional<std::string> digest;  // where it is another
  bool any() const { return node || observation || digest; }
};

struct List {
  AdapterKey adapter;
  std::vector<std::string> order;  // of the cluster's schedulers
  std::string provider;
  SchedulerKind kind = SchedulerKind::kubernetes;
  Time at{};  // when it was asked for, less the age of its views
};

bool is_stale(const Candidate& candidate) {
  return candidate.listed && candidate.listed->age > kOldestListed;
}

// The node's labels and pool are those of the first of its schedulers, in the order of the configuration.
bool leads(const List& list, const Node& node) {
  for (const std::string& name : list.order) {
    if (name == list.adapter.name) return true;
    if (std::ranges::find(node.schedulers, name) != node.schedulers.end()) return false;
  }
  return true;
}

Node as_listed(const List& list, Node node, const NodeStatus& listed) {
  const std::string& scheduler = list.adapter.name;
  if (std::ranges::find(node.schedulers, scheduler) == node.schedulers.end()) node.schedulers.push_back(scheduler);
  if (leads(list, node)) {
    node.labels = listed.labels;
    if (!listed.pool.empty()) node.pool = listed.pool;
  }
  return node;
}

Observation look_of(const List& list, const Node& node, const Candidate& candidate) {
  NodeStatus gone;
  gone.name = node.name;
  gone.exists = false;
  const Time at = is_stale(candidate) ? list.at - candidate.listed->age : list.at;
  return ask::observed(candidate.listed ? *candidate.listed : gone, node, list.adapter.name, list.kind, at);
}

std::optional<Observation> row_of(store::Tx& tx, const List& list, const std::string& node) {
  for (Observation& row : store::observations_of(tx, node)) {
    if (row.scheduler == list.adapter.name) return std::move(row);
  }
  return std::nullopt;
}

Difference compare(store::Tx& tx, const List& list, const Candidate& candidate) {
  Difference found;
  std::optional<Node> known;
  if (!candidate.is_new) known = store::get_node(tx, candidate.id);
  if (!known && candidate.listed) known = store::find_node(tx, list.adapter.cluster, candidate.listed->name);
  if ((known && known->removed_at) || (!known && !candidate.listed)) return found;
  Node node = known.value_or(Node{});
  if (!known) {
    node.id = candidate.id;
    node.cluster = list.adapter.cluster;
    node.name = candidate.listed->name;
    node.provider = list.provider;
    node.clock_steps = store::clock_steps(tx).total;  // it waits for nothing yet
  }
  if (candidate.listed) node = as_listed(list, std::move(node), *candidate.listed);
  if (!known || !decide::same(*known, node)) found.node = node;

  const std::optional<Observation> previous = row_of(tx, list, node.id);
  const auto stored = store::listed(tx, node.id, list.adapter.name);
  const Observation look = look_of(list, node, candidate);
  const bool settled = look.exists || (previous && !previous->exists && previous->gone_looks >= 2);
  const bool agrees = previous && !ask::differs(*previous, look) && settled;
  // A node that is being worked on is looked at closer and more often than by lists; so is one whose look is newer.
  const auto repair = store::open_repair_of(tx, node.id);
  const bool leave = (repair && repair->admitted_at) || (previous && previous->seen_at >= look.seen_at);
  if (!agrees && !leave) found.observation = decide::fold_observation(previous, look);
  const bool gone_for_good = found.observation && !look.exists && found.observation->gone_looks >= 2;
  const bool confirmed = !is_stale(candidate) && (agrees || (found.observation && (look.exists || gone_for_good)));
  const std::string digest = confirmed ? candidate.digest : std::string();
  if ((previous || found.observation) && stored.value_or("") != digest) found.digest = digest;
  return found;
}

// What lists confirmed until now was seen when the last of them was made.
void keep_last_seen(store::Tx& tx, const List& list, const std::string& node, std::optional<Time> listed_at) {
  auto row = row_of(tx, list, node);
  if (!row || !listed_at || *listed_at <= row->seen_at || store::listed(tx, node, list.adapter.name) == "") return;
  row->seen_at = *listed_at;
  store::put_observation(tx, *row);
}

// All of which the list says something else than what is stored, in the order of their ids: locks are taken in it.
std::vector<Candidate> differing(store::Tx& tx, const List& list, const std::vector<NodeStatus>& nodes, Ids& ids) {
  std::vector<Candidate> found, missing;
  const auto stored = store::nodes_listed(tx, list.adapter.cluster, list.adapter.name);
  std::unordered_map<std::string_view, const store::StoredNode*> by_name;
  by_name.reserve(stored.size());
  for (const store::StoredNode& one : stored) by_name.emplace(one.name, &one);
  std::size_t in_list = 0;
  for (const NodeStatus& one : nodes) {
    const auto known = by_name.find(one.name);
    std::string digest = one.age > kOldestListed ? std::string() : ask::digest_of(one);
    if (known == by_name.end()) {
      found.push_back({ids.next("node"), true, &one, std::move(digest)});
      continue;
    }
    if (known->second->listed) ++in_list;
    if (known->second->listed != digest) found.push_back({known->second->id, false, &one, std::move(digest)});
    by_name.erase(known);
  }
  for (const auto& [name, one] : by_name) {
    const bool known_gone = one->listed == kGone;
    if (one->listed && !known_gone) missing.push_back({one->id, false, nullptr, std::string(kGone)});
  }
  if (too_many_gone(missing.size(), in_list + missing.size())) {
    log::warn("{} of {} nodes are missing from the list of {}: not believed before they have been for {}",
              missing.size(), in_list + missing.size(), list.adapter.name, format_duration(kBelievedAfter));
    std::erase_if(missing, [&](Candidate& one) {
      const auto stored = store::listed(tx, one.id, list.adapter.name);
      const auto row = row_of(tx, list, one.id);
      const bool for_long = stored == "" && row && row->seen_at + kBelievedAfter < list.at;
      if (for_long || (row && !row->exists)) return false;
      one.digest.clear();  // what is stored is not confirmed, and that is all
      return stored == "";
    });
  }
  found.insert(found.end(), missing.begin(), missing.end());
  std::erase_if(found, [&](const Candidate& one) {
    const bool unconfirmed = !one.listed && one.digest.empty();
    return !one.is_new && !unconfirmed && !compare(tx, list, one).any();
  });
  std::ranges::sort(found, {}, &Candidate::id);
  return found;
}

void write_batch(store::Tx& tx, const List& list, std::vector<Candidate> batch) {
  if (!store::get_cluster(tx, list.adapter.cluster)) return;
  const auto adapter = store::get_adapter(tx, list.adapter.cluster, list.adapter.name);
  if (adapter && adapter->listed_at > list.at) return;  // another replica's newer list came first
  std::vector<std::string> woken;
  for (Candidate& one : batch) {
    if (!one.is_new) continue;  // another list may have brought it meanwhile
    const auto known = store::find_node(tx, list.adapter.cluster, one.listed->name);
    if (known) one.id = known->id, one.is_new = false;
  }
  for (const Candidate& one : batch) {
    if (one.listed || !one.digest.empty()) woken.push_back(one.id);
  }
  store::wake_all(tx, WorkKind::node, woken, store::now(tx));  // first: this is serial with the nodes' turns
  std::vector<store::Listed> digests;
  for (const Candidate& one : batch) {
    if (!one.listed && one.digest.empty()) {
      keep_last_seen(tx, list, one.id, adapter ? adapter->listed_at : std::nullopt);
      digests.push_back({one.id, ""});
      continue;
    }
    const Difference difference = compare(tx, list, one);
    if (difference.node) store::put_node(tx, *difference.node);
    if (difference.observation) store::put_observation(tx, *difference.observation);
    if (difference.digest) {
      digests.push_back({difference.observation ? difference.observation->node : one.id, *difference.digest});
    }
  }
  store::set_listed(tx, list.adapter.name, std::move(digests));
}

}  // namespace

Status Engine::sync_nodes(const AdapterKey& adapter, const std::vector<NodeStatus>& nodes, Time at) {
  const auto adapters = adapters_.get();
  const auto cluster = adapters->clusters.find(adapter.cluster);
  if (cluster == adapters->clusters.end()) return {};
  List list{adapter, {}, cluster->second.provider_name, {}, at};
  if (const Scheduler* scheduler = adapters->scheduler(adapter.cluster, adapter.name)) {
    list.kind = scheduler->capabilities().kind;
  }
  for (const auto& [name, scheduler] : cluster->second.schedulers) list.order.push_back(name);

  SICKBAY_ASSIGN(const std::vector<Candidate> all, store_.read([&](store::Tx& tx) -> Result<std::vector<Candidate>> {
    return differing(tx, list, nodes, ids_);
  }));
  for (std::size_t from = 0; from < all.size(); from += options_.sync_batch) {
    const std::span<const Candidate> batch(all.data() + from, std::min(options_.sync_batch, all.size() - from));
    // Another scheduler's list may adopt the same nodes at this very moment: then they are found there.
    Status written;
    for (int tries = 0; tries < kTries; ++tries) {
      written = store_.write([&](store::Tx& tx) -> Status {
        write_batch(tx, list, {batch.begin(), batch.end()});
        return {};
      });
      if (written) break;
    }
    SICKBAY_CHECK(written);
  }
  if (!all.empty()) notify();
  return {};
}

}  // namespace sickbay::engine
