// sickbay demo: makes things happen in the simulated world of ./run. It speaks to that world, never to a server, and
// can do nothing to a real node.
#include <fmt/core.h>

#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

struct DemoOptions {
  std::string node, fault;
  std::uint32_t gpu = 0, nodes = 0, seconds = 120;
  bool persistent = false;
};

Result<json::value> ask(Context& context, std::string_view verb, const std::string& path, const json::value& body) {
  if (context.settings.simworld.empty()) {
    return fail(Errc::invalid,
                "no simulated world is named: ./run starts one, and `source data/env` says where it is "
                "(SICKBAY_SIMWORLD)");
  }
  Settings settings = context.settings;
  settings.server = settings.simworld;
  settings.token.clear();
  SICKBAY_ASSIGN(Server world, Server::connect(settings));
  return verb == "GET" ? world.get(path) : world.send(verb, path, body);
}

Status order(Context& context, const std::string& path, json::object body, const std::string& done) {
  SICKBAY_ASSIGN(const json::value answer, ask(context, "POST", path, body));
  if (context.as_json) {
    context.print_json(answer);
  } else {
    context.around.out << done << '\n';
  }
  return {};
}

Status fault(Context& context, const DemoOptions& options) {
  json::object body{{"node", options.node}, {"fault", options.fault}, {"gpu", options.gpu}};
  if (options.persistent) body["persistent"] = true;
  return order(context, "/v1/demo/fault", std::move(body),
               fmt::format("{} is in the kernel log of {} now; see: sickbay alerts", options.fault, options.node));
}

Status storm(Context& context, const DemoOptions& options) {
  json::object body{{"fault", options.fault.empty() ? "xid-119" : options.fault}, {"nodes", options.nodes}};
  SICKBAY_ASSIGN(const json::value answer, ask(context, "POST", "/v1/demo/storm", body));
  if (context.as_json) {
    context.print_json(answer);
  } else {
    context.around.out << fmt::format("{} nodes failed at once; see: sickbay breaker\n",
                                      list_at(answer, "nodes").size());
  }
  return {};
}

Status faults(Context& context) {
  SICKBAY_ASSIGN(const json::value kinds, ask(context, "GET", "/v1/demo/faults", nullptr));
  if (context.as_json) {
    context.print_json(kinds);
    return {};
  }
  Table table({"FAULT", "CURED BY", "WHAT"});
  if (kinds.is_array()) {
    for (const auto& kind : kinds.get_array()) {
      table.row({text_at(kind, "fault"), text_at(kind, "cured_by"), text_at(kind, "what")});
    }
  }
  auto paper = context.paper();
  table.print(paper);
  return {};
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  CLI::App* demo = app.add_subcommand("demo", "make things happen in the simulated world of ./run");
  demo->require_subcommand(0, 1);
  demo->add_option("--simworld", context.settings.simworld, "its address; SICKBAY_SIMWORLD says it too");
  const auto options = std::make_shared<DemoOptions>();  // lives as long as the parsed command
  const auto on_node = [&](const std::string& name, const std::string& what, std::function<Status()> run) {
    CLI::App* verb = add_verb(*demo, context, name, what, std::move(run));
    verb->add_option("NODE", options->node, "its name, such as gpu-003")->required();
    return verb;
  };
  CLI::App* verb =
      on_node("fault", "a fault in a node's kernel log", [&context, options] { return fault(context, *options); });
  verb->add_option("FAULT", options->fault, "xid-119, xid-79, xfs, ecc, ...; see: sickbay demo faults")->required();
  verb->add_option("--gpu", options->gpu, "which GPU, from 0");
  verb->add_flag("--persistent", options->persistent, "the hardware is broken: only another host cures it");
  verb = add_verb(*demo, context, "storm", "one fault on many nodes at once",
                  [&context, options] { return storm(context, *options); });
  verb->add_option("--fault", options->fault, "which; xid-119 where none is named");
  verb->add_option("--nodes", options->nodes, "on how many; a third of them where none is named");
  add_verb(*demo, context, "faults", "the faults there are", [&context] { return faults(context); });
  on_node("job", "a job that runs on a node",
          [&context, options] {
            return order(context, "/v1/demo/job", {{"node", options->node}, {"seconds", options->seconds}},
                         fmt::format("a job of {} s runs on {}", options->seconds, options->node));
          })
      ->add_option("--seconds", options->seconds, "how long it runs")
      ->capture_default_str();
  on_node("uncordon", "somebody gives a cordoned node back by hand", [&context, options] {
    return order(context, "/v1/demo/uncordon", {{"node", options->node}}, options->node + " takes work again");
  });
  on_node("crash", "a node restarts by itself", [&context, options] {
    return order(context, "/v1/demo/crash", {{"node", options->node}}, options->node + " restarts");
  });
}

}  // namespace sickbay::cli
