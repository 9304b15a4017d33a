#include "store/clock_steps.hpp"

#include "store/sql.hpp"

namespace sickbay::store {
namespace {

ClockSteps read(Tx& tx, std::string_view sql) {
  const auto rows = select<std::int64_t, std::optional<Time>>(tx, sql);
  if (rows.empty()) refuse(Errc::internal, "the table clock is empty; restore a backup");
  return {Duration{std::get<0>(rows.front())}, std::get<1>(rows.front())};
}

}  // namespace

ClockSteps clock_steps(Tx& tx) {
  return read(tx, "SELECT stepped, stepped_at FROM clock");
}

ClockSteps lock_clock_steps(Tx& tx) {
  return read(tx, "SELECT stepped, stepped_at FROM clock FOR NO KEY UPDATE");
}

void add_clock_step(Tx& tx, Duration by, Time at) {
  execute(tx, "UPDATE clock SET stepped = stepped + ?1, stepped_at = ?2", by.count(), at);
}

}  // namespace sickbay::store
