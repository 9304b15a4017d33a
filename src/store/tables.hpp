// The tables that hold documents (store/sql.hpp).
#pragma once

#include "store/sql.hpp"

namespace sickbay::store {

inline constexpr Table kCluster{"cluster", "id", "id"};
inline constexpr Table kPolicy{"policy", "cluster, version", "cluster || '/' || version"};
inline constexpr Table kNode{"node", "id", "id"};
inline constexpr Table kHost{"host", "id", "id"};
inline constexpr Table kSession{"session", "node, epoch", "node || '/' || epoch"};
inline constexpr Table kObservation{"observation", "node, scheduler", "node || '/' || scheduler"};
inline constexpr Table kFinding{"finding", "id", "id"};
inline constexpr Table kAlert{"alert", "id", "id"};
inline constexpr Table kRepair{"repair", "id", "id"};
inline constexpr Table kOperation{"operation", "id", "id"};
inline constexpr Table kHold{"hold", "node, scheduler", "node || '/' || scheduler"};
inline constexpr Table kEvent{"event", "id", "id"};
inline constexpr Table kAudit{"audit", "id", "id"};
inline constexpr Table kPrincipal{"principal", "id", "id"};
inline constexpr Table kToken{"token", "hash", "hash"};

}  // namespace sickbay::store
