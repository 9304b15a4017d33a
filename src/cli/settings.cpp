#include "cli/settings.hpp"

#include <fmt/core.h>

#include <boost/describe/class.hpp>

#include "base/files.hpp"
#include "model/json.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kLargest = 1 << 20;

struct File {
  std::string server, token, cluster, ca_file, simworld;
  BOOST_DESCRIBE_CLASS(File, (), (server, token, cluster, ca_file, simworld), (), ())
};

std::string config_path(const CliEnvironment& around) {
  if (const auto base = around.environment("XDG_CONFIG_HOME"); base && !base->empty()) {
    return *base + "/sickbay/config.json";
  }
  const auto home = around.environment("HOME");
  return home && !home->empty() ? *home + "/.config/sickbay/config.json" : std::string();
}

Result<File> read_settings(const std::string& path) {
  if (path.empty()) return File{};
  const auto text = read_file(path, kLargest);
  if (!text && text.error().code == Errc::not_found) return File{};
  if (!text) return tl::unexpected<Error>(text.error());
  auto file = from_json_text<File>(*text, Reading::strict);
  if (!file) return fail(file.error().code, fmt::format("{}: {}", path, file.error().message));
  return file;
}

void fill(std::string& setting, const std::optional<std::string>& from_environment, const std::string& from_file) {
  if (setting.empty() && from_environment) setting = *from_environment;
  if (setting.empty()) setting = from_file;
}

}  // namespace

Status complete_settings(Settings& settings, const CliEnvironment& around) {
  SICKBAY_ASSIGN(const File file, read_settings(config_path(around)));
  fill(settings.server, around.environment("SICKBAY_SERVER"), file.server);
  fill(settings.token, around.environment("SICKBAY_TOKEN"), file.token);
  fill(settings.cluster, around.environment("SICKBAY_CLUSTER"), file.cluster);
  fill(settings.ca_file, around.environment("SICKBAY_CA_FILE"), file.ca_file);
  fill(settings.simworld, around.environment("SICKBAY_SIMWORLD"), file.simworld);
  return {};
}

}  // namespace sickbay::cli
