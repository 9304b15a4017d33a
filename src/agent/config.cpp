#include "agent/config.hpp"

#include <fmt/core.h>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/json.hpp"

namespace sickbay::agent {

Result<Config> load_config(const std::string& path, Config base) {
  SICKBAY_ASSIGN(const std::string text, read_file(path, 1U << 20));
  const auto value = parse_json(text);
  if (!value) return fail(value.error().code, fmt::format("the configuration '{}': {}", path, value.error().message));
  if (const auto status = read_json(*value, base, Reading::strict); !status) {
    return fail(status.error().code, fmt::format("the configuration '{}': {}", path, status.error().message),
                status.error().field);
  }
  return base;
}

Status check_config(const Config& config) {
  if (config.node.empty() || config.node.size() > 253 || !is_utf8(config.node)) {
    return fail(Errc::invalid, "the node's name must have 1 to 253 characters; give --node NAME", "node");
  }
  if (config.cluster.empty() || config.cluster.size() > 253 || !is_utf8(config.cluster)) {
    return fail(Errc::invalid, "the cluster's name must have 1 to 253 characters; give --cluster NAME", "cluster");
  }
  if (config.heartbeat != Duration{} && (config.heartbeat < milliseconds{10} || config.heartbeat > hours{1})) {
    return fail(Errc::invalid, "the heartbeat must be from 10ms to 1h", "heartbeat");
  }
  if (config.outbox_bytes < (64U << 10) || config.outbox_bytes > (1U << 30)) {
    return fail(Errc::invalid, "the outbox must have from 64 KiB to 1 GiB", "outbox_bytes");
  }
  return {};
}

}  // namespace sickbay::agent
