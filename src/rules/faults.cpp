#include "rules/faults.hpp"

#include <algorithm>

#include "rules/pack.hpp"

namespace sickbay::rules {

FaultTable default_faults() {
  // The shipped pack is checked by the build, so it reads; an empty table would warn and ask for everything.
  auto pack = read_pack(built_in_pack());
  return pack ? FaultTable{std::move(pack->faults)} : FaultTable{};
}

FaultTable merged(FaultTable base, const std::vector<FaultRule>& overrides) {
  for (const FaultRule& row : overrides) {
    const auto same = std::find_if(base.rules.begin(), base.rules.end(),
                                   [&](const FaultRule& old) { return old.name == row.name && old.code == row.code; });
    if (same != base.rules.end()) {
      *same = row;
    } else {
      base.rules.push_back(row);
    }
  }
  return base;
}

}  // namespace sickbay::rules
