// What schedulers say of nodes: the last look of each.
#include "store/observations.hpp"

#include "store/sql.hpp"
#include "store/tables.hpp"

namespace sickbay::store {

namespace {

// Whether the node takes new work there and is healthy, as the scheduler last said.
bool in_service(const Observation& seen) {
  return seen.exists && seen.ready && !seen.cordoned;
}

}  // namespace

std::vector<Observation> observations_of(Tx& tx, std::string_view node) {
  return documents<Observation>(tx, kObservation, "WHERE node = ?1 ORDER BY scheduler", node);
}

void put_observation(Tx& tx, const Observation& observation) {
  put(tx, kObservation, observation,
      {{"node", param(observation.node)},
       {"scheduler", param(observation.scheduler)},
       {"in_service", param(in_service(observation))}});
}

}  // namespace sickbay::store
