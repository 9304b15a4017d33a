// 2,000 histories hold (10,000 in ./test --long), and each planted mistake is caught among them. SICKBAY_SEEDS=N runs
// another number; a seed that fails is printed with the command that shows it again.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "base/text.hpp"

namespace sickbay {
namespace {

struct Ran {
  int code = 0;
  std::string output;
};

Ran run(const std::string& arguments) {
  Ran ran;
  const std::string command = SICKBAY_BINARY_DIR "/tests/simulation/simulation " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return {127, "the program does not start"};
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    ran.output.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

// Seeds 1 to `count` in as many processes as there are processors; what the wrong ones say.
std::vector<Ran> run_all(std::uint64_t count, const std::string& more) {
  const std::uint64_t shares = std::max(1U, std::thread::hardware_concurrency());
  std::vector<Ran> ran(shares);
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < shares; ++i) {
    const std::uint64_t first = 1 + count * i / shares, last = count * (i + 1) / shares;
    threads.emplace_back([&ran, i, first, last, more] {
      ran[i] = run("--seed " + std::to_string(first) + " --count " + std::to_string(last - first + 1) + " " + more);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return ran;
}

std::uint64_t seeds() {
  const char* wanted = std::getenv("SICKBAY_SEEDS");
  return wanted ? parse_uint(wanted).value_or(2'000) : 2'000;
}

TEST(Simulation, EveryHistoryHolds) {
  for (const Ran& ran : run_all(seeds(), "")) {
    EXPECT_EQ(ran.code, 0) << ran.output;
    std::printf("%s", ran.output.substr(ran.output.find("met ")).c_str());
  }
}

TEST(Simulation, TheSameSeedReplaysExactly) {
  const Ran first = run("--seed 7 --trace"), second = run("--seed 7 --trace");
  EXPECT_EQ(first.code, 0) << first.output;
  EXPECT_GT(first.output.size(), 1000u);
  EXPECT_EQ(first.output, second.output);
}

void expect_caught(const std::string& plant) {
  bool caught = false;
  for (const Ran& ran : run_all(seeds(), "--stop --plant " + plant)) caught = caught || ran.code == 1;
  EXPECT_TRUE(caught) << plant << " was not caught by " << seeds() << " seeds";
}
TEST(Simulation, APlantedDoubleActionIsCaught) {
  expect_caught("double-action");
}
TEST(Simulation, APlantedLostWakeUpIsCaught) {
  expect_caught("lost-wakeup");
}
TEST(Simulation, APlantedForeignUncordonIsCaught) {
  expect_caught("foreign-uncordon");
}

}  // namespace
}  // namespace sickbay
