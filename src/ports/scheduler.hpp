// A scheduler: Kubernetes, Slurm, or the simulated one. Every call blocks, at most for `timeout` (not
// positive: nothing is sent), and never throws. Contract, checked by tests/conformance:
// - place() makes the node take no new work and leaves our mark with the installation's and the repair's id. Again with
//   the same repair: no further effect. Our own older mark of another repair is taken over; a foreign cordon stays and
//   is remembered as such.
// - release() undoes what place() did if and only if the mark is that repair's; else it changes nothing and answers
//   done. A cordon that was there before ours, or is a person's, stays.
// - drain() asks the node's work to leave (eviction, budgets respected; with `force` without asking), only while the
//   mark is that repair's; else refused. It may be called again and again.
// - All three are therefore safe to repeat and to arrive late: they are fenced by the mark.
#pragma once

#include <span>
#include <vector>

#include "model/node.hpp"
#include "model/repair.hpp"
#include "ports/reply.hpp"

namespace sickbay {

// A node as a complete list of the scheduler has it.
struct ListedNode {
  std::string name, uid, pool;
  bool ready = false, cordoned = false;
  std::string hold_owner;  // the repair id in our mark, if our mark is there
  std::map<std::string, std::string> labels;
  BOOST_DESCRIBE_CLASS(ListedNode, (), (name, uid, pool, ready, cordoned, hold_owner, labels), (), ())
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Looks at one node. A failed look has `error` set and idleness unknown; `idle_since` and `idle_looks` are the
  // engine's to fill. `at` is left to the caller.
  virtual Observation observe(std::string_view node_name, Duration timeout) = 0;
  virtual Reply place(const Operation& operation, Duration timeout) = 0;
  virtual Reply release(const Operation& operation, Duration timeout) = 0;
  virtual Reply drain(const Operation& operation, Duration timeout) = 0;
  // Every node, or an error: never a part of the list.
  virtual Result<std::vector<ListedNode>> list(Duration timeout) = 0;
};

}  // namespace sickbay
