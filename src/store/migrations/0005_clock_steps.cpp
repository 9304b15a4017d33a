// A clock that stepped ahead is written down once, for all replicas, so that every open wait grows by it (engine.md 2).
#include <array>

#include "store/migrations.hpp"

namespace sickbay::store {
namespace {

constexpr std::string_view kStatements[] = {
    "ALTER TABLE clock ADD COLUMN stepped bigint NOT NULL DEFAULT 0",  // microseconds ahead, in all
    "ALTER TABLE clock ADD COLUMN stepped_at bigint",                  // when it was last noticed
};

}  // namespace

extern const Migration kClockSteps;
const Migration kClockSteps{5, 3, kStatements};

}  // namespace sickbay::store
