// What every command shares: the options before the noun, the connection, names that people use instead of ids, and
// the question before something that cannot be taken back.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/format.hpp"
#include "cli/server.hpp"
#include "cli/settings.hpp"
#include "cli/table.hpp"
#include "resources/node.hpp"

namespace sickbay::cli {

class Context {
 public:
  explicit Context(CliEnvironment& surroundings) : around(surroundings) {}

  CliEnvironment& around;
  Settings settings;
  bool as_json = false;
  bool no_colour = false;
  bool yes = false;
  std::function<Status()> chosen;  // the command that the arguments named; run after all of them were read

  Terminal paper() { return Terminal(around, no_colour); }
  // One JSON document on a line.
  void print_json(const json::value& value);
  Time now() const { return around.clock.now(); }

  Result<Server*> server();
  // "/v1/compute/clusters/ID" of the cluster that --cluster names by id or name, or of the only one.
  Result<std::string> cluster_path();
  // What a path below the cluster's, such as "/nodes", answers, as the server said it.
  Result<json::value> get(const std::string& below);
  Result<json::value> post(const std::string& below, const json::value& body);
  template <class List>
  Result<json::array> list(const std::string& below, const Query& query, std::size_t limit = 0) {
    SICKBAY_ASSIGN(const std::string cluster, cluster_path());
    SICKBAY_ASSIGN(Server * from, server());
    return from->list<List>(cluster + below, query, limit);
  }
  // The node with this id or name.
  Result<resources::Node> node(const std::string& name);
  // "CLUSTER/instances/-/remediations/ID" for an id or the unambiguous beginning of one, with or without "rep-".
  Result<std::string> repair_path(const std::string& id);

  // An answer as it came with --json; else `print` gets it as the value it is.
  template <class T, class Print>
  Status show(const json::value& answer, Print print, Reading reading = Reading::lenient) {
    if (as_json) {
      print_json(answer);
      return {};
    }
    SICKBAY_ASSIGN(const T value, read_as<T>(answer, reading));
    print(value);
    return {};
  }
  // The same with the items of a list.
  template <class List, class Print>
  Status show_list(json::array items, Print print) {
    if (as_json) {
      json::object whole;
      whole[resources::items_name<List>()] = std::move(items);
      print_json(whole);
      return {};
    }
    SICKBAY_ASSIGN(const auto values, read_as<std::vector<resources::ItemOf<List>>>(items));
    print(values);
    return {};
  }

  // Asks on a terminal; true at once where nobody is there to answer or --yes was said. Errc::conflict when the answer
  // is no.
  Status confirm(const std::string& question);

 private:
  std::optional<Server> server_;
  std::string cluster_path_;
};

// Adds the noun "nodes" (or another) with its verb `list`, which is what the noun alone means.
CLI::App* add_noun(CLI::App& app, const std::string& name, const std::string& what);
// Adds a verb; `run` is called when the arguments chose it.
CLI::App* add_verb(CLI::App& noun, Context& context, const std::string& name, const std::string& what,
                   std::function<Status()> run);
// What the noun alone means.
void set_default(CLI::App& noun, Context& context, std::function<Status()> run);

// A verb without options, one with options that `add(verb, options)` names to CLI11, and the same for the verb that the
// noun alone means. CLI11 writes into the options while it parses and the verb reads them later, so they live as long
// as the parsed command: that is what the shared_ptr is for.
inline CLI::App* add_verb(CLI::App& noun, Context& context, const std::string& name, const std::string& what,
                          Status (*run)(Context&)) {
  return add_verb(noun, context, name, what, [&context, run] { return run(context); });
}
template <class Options, class Add>
CLI::App* add_verb(CLI::App& noun, Context& context, const std::string& name, const std::string& what,
                   Status (*run)(Context&, const Options&), Add add) {
  const auto options = std::make_shared<Options>();
  CLI::App* verb = add_verb(noun, context, name, what, [&context, options, run] { return run(context, *options); });
  add(*verb, *options);
  return verb;
}
inline void add_default_verb(CLI::App& noun, Context& context, const std::string& name, const std::string& what,
                             Status (*run)(Context&)) {
  add_verb(noun, context, name, what, run);
  set_default(noun, context, [&context, run] { return run(context); });
}
template <class Options, class Add>
void add_default_verb(CLI::App& noun, Context& context, const std::string& name, const std::string& what,
                      Status (*run)(Context&, const Options&), Add add) {
  const auto options = std::make_shared<Options>();  // the same for both: they may stand before and after the verb
  const auto chosen = [&context, options, run] { return run(context, *options); };
  add(noun, *options);
  add(*add_verb(noun, context, name, what, chosen), *options);
  set_default(noun, context, chosen);
}

// The first part of an id that tells it from others on a screen: "rep-1a2b3c4d".
std::string short_id(const std::string& id);

// Sentences, one on a line; and those that a path's /why answers.
void print_sentences(Context& context, const std::vector<std::string>& sentences);
Status print_why(Context& context, const std::string& path);

// The nouns, one file each.
void add_clusters(CLI::App& app, Context& context);
void add_status(CLI::App& app, Context& context);
void add_nodes(CLI::App& app, Context& context);
void add_alerts(CLI::App& app, Context& context);
void add_repairs(CLI::App& app, Context& context);
void add_repair_acts(CLI::App& repairs, Context& context);  // the verbs that change something
void add_events(CLI::App& app, Context& context);
void add_watch(CLI::App& app, Context& context);
void add_hosts(CLI::App& app, Context& context);
void add_policy(CLI::App& app, Context& context);
void add_breaker(CLI::App& app, Context& context);
void add_restore(CLI::App& app, Context& context);
void add_access(CLI::App& app, Context& context);  // tokens and tickets
void add_demo(CLI::App& app, Context& context);

}  // namespace sickbay::cli
