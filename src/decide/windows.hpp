// How far back is looked, by whoever reads the facts and by whoever decides on them: one number for both, so that
// nothing is decided on facts that were never read.
#pragma once

#include "base/time.hpp"

namespace sickbay::decide {

inline constexpr Duration kEvidenceWindow = hours{10 * 24};  // product.md 4 rule 3: evidence for migrate
inline constexpr Duration kUnhealthyWindow =
    minutes{5};                                  // product.md 4.3: nodes that turned unhealthy, for the breaker
inline constexpr Duration kFresh = seconds{60};  // age up to which a look is fresh
inline constexpr Duration kSpareChecked = hours{7 * 24};    // product.md 4.3: a spare host's checks count as passed
inline constexpr Duration kConcludedSeen = minutes{10};     // what Sickbay itself just did is not a finding
inline constexpr Duration kIdentityConflict = minutes{10};  // without another sign of it, it is over
inline constexpr int kSilentIntervals = 5;                  // product.md 3.3: heartbeats missed by a silent agent

}  // namespace sickbay::decide
