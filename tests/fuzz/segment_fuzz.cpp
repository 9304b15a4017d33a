// Any bytes as an outbox file: the outbox opens, gives out what is whole, and goes on.
// links: agent
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "agent/outbox.hpp"
#include "base/log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sickbay;
  static const std::string directory = [] {
    log::set_level(log::Level::error);
    std::string name = "/dev/shm/sickbay-fuzz-XXXXXX";
    return std::string(::mkdtemp(name.data()));
  }();
  std::filesystem::remove_all(directory);
  std::filesystem::create_directory(directory);
  std::ofstream(directory + "/0000000000000001.seg", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  std::size_t before = 0;
  {
    agent::Outbox outbox({directory, 1U << 20, 64U << 10, 64U << 10});
    before = outbox.oldest(100'000, 64U << 20).texts.size();
    outbox.append("one more");
    if (!outbox.commit()) std::abort();
  }
  agent::Outbox again({directory, 1U << 20, 64U << 10, 64U << 10});
  const auto found = again.oldest(100'000, 64U << 20).texts;
  if (found.size() != before + 1 || found.back() != "one more") std::abort();
  return 0;
}
