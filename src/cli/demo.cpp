// sickbay demo: makes things happen in the simulated world of ./run. It speaks to that world, never to a server, and
// can do nothing to a real node.
#include <fmt/core.h>

#include <ostream>

#include "cli/context.hpp"

namespace sickbay::cli {
namespace {

// What that world answers. Its words are no part of the public API.
struct FaultKind {
  std::string fault, what, cured_by;
  BOOST_DESCRIBE_CLASS(FaultKind, (), (fault, what, cured_by), (), ())
};
struct Storm {
  std::vector<std::string> nodes;
  BOOST_DESCRIBE_CLASS(Storm, (), (nodes), (), ())
};

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
  SICKBAY_ASSIGN(Server world, Server::connect(settings, context.around.connect));
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
  return context.show<Storm>(answer, [&](const Storm& storm) {
    context.around.out << fmt::format("{} nodes failed at once; see: sickbay breaker\n", storm.nodes.size());
  });
}

Status faults(Context& context) {
  SICKBAY_ASSIGN(const json::value answer, ask(context, "GET", "/v1/demo/faults", nullptr));
  return context.show<std::vector<FaultKind>>(answer, [&](const auto& kinds) {
    Table table({"FAULT", "CURED BY", "WHAT"});
    for (const FaultKind& kind : kinds) table.row({kind.fault, kind.cured_by, kind.what});
    auto paper = context.paper();
    table.print(paper);
  });
}

Status job(Context& context, const DemoOptions& options) {
  return order(context, "/v1/demo/job", {{"node", options.node}, {"seconds", options.seconds}},
               fmt::format("a job of {} s runs on {}", options.seconds, options.node));
}

Status uncordon(Context& context, const DemoOptions& options) {
  return order(context, "/v1/demo/uncordon", {{"node", options.node}}, options.node + " takes work again");
}

Status crash(Context& context, const DemoOptions& options) {
  return order(context, "/v1/demo/crash", {{"node", options.node}}, options.node + " restarts");
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  CLI::App* demo = app.add_subcommand("demo", "make things happen in the simulated world of ./run");
  demo->require_subcommand(0, 1);
  demo->add_option("--simworld", context.settings.simworld, "its address; SICKBAY_SIMWORLD says it too");
  const auto add_node = [](CLI::App& verb, DemoOptions& options) {
    verb.add_option("NODE", options.node, "its name, such as gpu-003")->required();
  };
  add_verb<DemoOptions>(
      *demo, context, "fault", "a fault in a node's kernel log", fault, [&](CLI::App& verb, DemoOptions& options) {
        add_node(verb, options);
        verb.add_option("FAULT", options.fault, "xid-119, xid-79, xfs, ecc, ...; see: sickbay demo faults")->required();
        verb.add_option("--gpu", options.gpu, "which GPU, from 0");
        verb.add_flag("--persistent", options.persistent, "the hardware is broken: only another host cures it");
      });
  add_verb<DemoOptions>(*demo, context, "storm", "one fault on many nodes at once", storm,
                        [](CLI::App& verb, DemoOptions& options) {
                          verb.add_option("--fault", options.fault, "which; xid-119 where none is named");
                          verb.add_option("--nodes", options.nodes, "on how many; a third of them where none is named");
                        });
  add_verb(*demo, context, "faults", "the faults there are", faults);
  add_verb<DemoOptions>(*demo, context, "job", "a job that runs on a node", job,
                        [&](CLI::App& verb, DemoOptions& options) {
                          add_node(verb, options);
                          verb.add_option("--seconds", options.seconds, "how long it runs")->capture_default_str();
                        });
  add_verb<DemoOptions>(*demo, context, "uncordon", "somebody gives a cordoned node back by hand", uncordon, add_node);
  add_verb<DemoOptions>(*demo, context, "crash", "a node restarts by itself", crash, add_node);
}

}  // namespace sickbay::cli
