// links: api
// Whole requests to the whole API with an admin's token: "METHOD TARGET\nBODY". No crash, never a 500, and every body
// that comes back is UTF-8.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/api.hpp"
#include "base/text.hpp"
#include "store/clusters.hpp"
#include "store/nodes.hpp"

namespace {

using namespace sickbay;

struct Setting {
  Setting() {
    store = std::move(store::Store::open({.url = "sqlite::memory:"}, clock).value());
    people.emplace(*store, ids);
    commands.emplace(*store, faults, ids, options);
    intake.emplace(*store, clock, ids, options);
    api.emplace(api::Services{
        *store, *commands, *intake, *people, clock, ids, [] { return decide::SafetyState{}; }, {}, "fuzz", {}});
    const std::string path = std::filesystem::temp_directory_path() / ("sickbay-fuzz-" + random_uuid());
    people->bootstrap(path).value();
    std::ifstream(path) >> secret;
    std::filesystem::remove(path);
    const Status filled = store->write([](store::Tx& tx) -> Status {
      Cluster cluster;
      cluster.id = "clu-1";
      cluster.name = "demo";
      store::put_cluster(tx, cluster);
      Node node;
      node.id = "n1";
      node.cluster = "clu-1";
      node.name = "gpu-1";
      store::put_node(tx, node);
      return {};
    });
    if (!filled) std::abort();
  }
  ManualClock clock;
  SeededIds ids{1};
  engine::Options options;
  FaultTable faults;
  std::unique_ptr<store::Store> store;
  std::optional<people::Auth> people;
  std::optional<engine::Commands> commands;
  std::optional<engine::Intake> intake;
  std::optional<api::Api> api;
  std::string secret;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Setting setting;  // made once: libFuzzer has no other place for it
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = text.substr(0, text.find('\n'));
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  net::Request request;
  request.method = line.substr(0, space);
  request.target = line.substr(space + 1);
  if (line.size() < text.size()) request.body = text.substr(line.size() + 1);
  request.headers = {{"Authorization", "Bearer " + setting.secret}};
  const net::Response response = setting.api->handle(request);
  if (response.status >= 500 || !is_utf8(response.body)) std::abort();
  return 0;
}
