// A scheduler: Kubernetes, Slurm, or a simulated one of either kind. Every call blocks, at most for `timeout` (not
// positive: nothing is sent), and never throws. What holds of every scheduler, and what follows from its declaration,
// is checked by tests/conformance:
// - cordon() makes the node take no new work and leaves our mark with the installation's and the repair's id. Again
// with
//   the same repair: no further effect. Our own older mark of another repair is taken over; a foreign cordon that
//   stands already is remembered and stays.
// - uncordon() undoes what cordon() did if and only if the mark is that repair's; else it changes nothing and answers
//   done. A cordon that was there before ours stays. One that somebody set after ours stays where
//   foreign_cordon_visible is declared; else it ends with ours.
// - drain() asks the node's work to leave (budgets respected; with operation.force without asking), only while the mark
//   is that repair's; else refused. It may be called again and again. Its answer names what blocks it.
// - operation.uid is a precondition of all three where it is set: another object under the name is refused.
//   operation.object_version likewise where the scheduler has versions.
// - With atomic_marks all three are fenced by the mark, safe to repeat and to arrive late. Without it the adapter looks
//   before it writes, and a request that arrives late may undo or overwrite what came in between: the engine looks
//   again and mends what is ours, and cannot mend what was somebody else's.
// - A person's uncordon breaks our mark: hold_owner is empty from then on, whatever traces of it remain.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "model/repair.hpp"
#include "model/reply.hpp"
#include "model/scheduling.hpp"

namespace sickbay {

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // What it is and can. Fixed for the life of the adapter; asks nobody.
  virtual SchedulerCapabilities capabilities() const = 0;
  // Looks at one node. A failed look has `error` set.
  virtual NodeStatus observe(std::string_view node_name, Duration timeout) = 0;
  virtual Reply cordon(const Operation& operation, Duration timeout) = 0;
  virtual Reply uncordon(const Operation& operation, Duration timeout) = 0;
  virtual Reply drain(const Operation& operation, Duration timeout) = 0;
  // Every node, or an error: never a part of the list. This is the truth.
  virtual Result<std::vector<NodeStatus>> list(Duration timeout) = 0;
  // From now on calls `changed(node name)` when something may have changed (empty name: anywhere), from any thread.
  // Only a hint to look sooner; a scheduler that knows nothing of changes never calls it. An empty function ends it:
  // none is running or begins after on_change({}) has returned.
  virtual void on_change(std::function<void(std::string_view node)> changed) { (void)changed; }
};

}  // namespace sickbay
