#include "rules/faults.hpp"

#include "rules/pack.hpp"

namespace sickbay::rules {

FaultTable default_faults() {
  // The shipped pack is checked by the build, so it reads; an empty table would warn and ask for everything.
  auto pack = read_pack(built_in_pack());
  return pack ? FaultTable{std::move(pack->faults)} : FaultTable{};
}

}  // namespace sickbay::rules
