// simulation: runs histories by their seeds and says which ones are wrong and why. The tests run it in several
// processes; with --trace it shows one history line by line.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/expect.hpp"
#include "base/log.hpp"
#include "tests/simulation/simulation.hpp"

int main(int argc, char** argv) {
  using namespace sickbay;
  std::uint64_t seed = 1, count = 1;
  simulation::Options options;
  std::string plant;
  bool stop_at_first = false;
  CLI::App app("Histories of Sickbay in the simulated world, each decided by its seed");
  app.add_option("--seed", seed, "The first seed")->capture_default_str();
  app.add_option("--count", count, "How many seeds from there on")->capture_default_str();
  app.add_flag("--trace", options.trace, "Show everything that happens");
  app.add_flag("--stop", stop_at_first, "Stop at the first wrong history");
  app.add_option("--plant", plant, "A mistake to be caught: double-action, lost-wakeup or foreign-uncordon")
      ->check(CLI::IsMember({"double-action", "lost-wakeup", "foreign-uncordon"}));
  CLI11_PARSE(app, argc, argv);
  options.planted.double_action = plant == "double-action";
  options.planted.lost_wakeup = plant == "lost-wakeup";
  options.planted.foreign_uncordon = plant == "foreign-uncordon";
  log::set_level(log::Level::error);
  std::uint64_t wrong = 0, steps = 0, effects = 0;
  Duration simulated{};
  std::map<std::string, std::uint64_t> met;
  for (std::uint64_t i = 0; i < count; ++i) {
    options.seed = seed + i;
    const simulation::Outcome outcome = simulation::run(options);
    for (const std::string& line : outcome.trace) fmt::print("{}\n", line);
    steps += outcome.steps, effects += outcome.effects, simulated += outcome.simulated;
    for (const auto& [what, times] : outcome.met) met[what] += times;
    if (outcome.violations.empty()) continue;
    ++wrong;
    fmt::print("seed {} is wrong:\n", options.seed);
    for (const std::string& violation : outcome.violations) fmt::print("  {}\n", violation);
    fmt::print("  again: simulation --seed {}{} --trace\n", options.seed, plant.empty() ? "" : " --plant " + plant);
    std::fflush(stdout);
    if (stop_at_first) break;
  }
  if (broken_expectations() != 0) {
    fmt::print("{} expectations were broken; the log names them\n", broken_expectations());
    ++wrong;
  }
  for (const std::string& what : simulation::worth_meeting()) {
    fmt::print("met {:>7}  {}\n", met[what], what);
    // A run this long that never met it proves less than it says.
    if (count >= 500 && !stop_at_first && met[what] == 0) fmt::print("  never met: {}\n", what), ++wrong;
  }
  fmt::print("seeds={} wrong={} steps={} effects={} simulated_hours={}\n", count, wrong, steps, effects,
             simulated / hours{1});
  return wrong == 0 ? 0 : 1;
}
