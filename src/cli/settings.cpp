#include "cli/settings.hpp"

#include <fmt/core.h>

#include <boost/describe/class.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/json.hpp"

namespace sickbay::cli {
namespace {

struct File {
  std::string server, token, cluster, ca_file, simworld;
  BOOST_DESCRIBE_CLASS(File, (), (server, token, cluster, ca_file, simworld), (), ())
};

std::string config_path(const Surroundings& around) {
  if (const auto base = around.environment("XDG_CONFIG_HOME"); base && !base->empty()) {
    return *base + "/sickbay/config.json";
  }
  const auto home = around.environment("HOME");
  return home && !home->empty() ? *home + "/.config/sickbay/config.json" : std::string();
}

Result<File> read_file(const std::string& path) {
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return File{};
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return fail(Errc::io, fmt::format("{} cannot be read", path));
  auto file = from_json_text<File>(text.str(), Reading::strict);
  if (!file) return fail(file.error().code, fmt::format("{}: {}", path, file.error().message));
  return file;
}

void fill(std::string& setting, const std::optional<std::string>& from_environment, const std::string& from_file) {
  if (setting.empty() && from_environment) setting = *from_environment;
  if (setting.empty()) setting = from_file;
}

}  // namespace

Status complete_settings(Settings& settings, const Surroundings& around) {
  SICKBAY_ASSIGN(const File file, read_file(config_path(around)));
  fill(settings.server, around.environment("SICKBAY_SERVER"), file.server);
  fill(settings.token, around.environment("SICKBAY_TOKEN"), file.token);
  fill(settings.cluster, around.environment("SICKBAY_CLUSTER"), file.cluster);
  fill(settings.ca_file, around.environment("SICKBAY_CA_FILE"), file.ca_file);
  fill(settings.simworld, around.environment("SICKBAY_SIMWORLD"), file.simworld);
  return {};
}

}  // namespace sickbay::cli
