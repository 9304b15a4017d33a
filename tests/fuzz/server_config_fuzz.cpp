// The server's configuration is read or refused with a line, never more: whatever is in the file, and whatever member
// an error names in it.
// links: config
#include <cstdint>
#include <cstdlib>

#include "config/server_config.hpp"
#include "config/yaml.hpp"

using namespace sickbay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = config::parse_server_config(text, "server.yaml");
  if (!config && config.error().message.empty()) std::abort();
  if (config && !config::changes(*config, *config).empty()) std::abort();
  (void)config::line_of(text, text.substr(0, 100));
  return 0;
}
