// What every command shares: the options before the noun, the connection, names that people use instead of ids, and
// the question before something that cannot be taken back.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/server.hpp"
#include "cli/settings.hpp"
#include "cli/table.hpp"
#include "cli/words.hpp"

namespace sickbay::cli {

class Context {
 public:
  explicit Context(Surroundings& surroundings) : around(surroundings) {}

  Surroundings& around;
  Settings settings;
  bool as_json = false;
  bool no_colour = false;
  bool yes = false;
  std::function<Status()> chosen;  // the command that the arguments named; run after all of them were read

  Paper paper() { return Paper(around, no_colour); }
  // One JSON document on a line.
  void print_json(const json::value& value);
  Time now() const { return around.clock.now(); }

  Result<Server*> server();
  // "/v1/compute/clusters/ID" of the cluster that --cluster names by id or name, or of the only one.
  Result<std::string> cluster_path();
  // The node document for an id or name.
  Result<json::value> node(const std::string& name);
  // "CLUSTER/instances/-/remediations/ID" for an id or the unambiguous beginning of one, with or without "rep-".
  Result<std::string> repair_path(const std::string& id);

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

// The first part of an id that tells it from others on a screen: "rep-1a2b3c4d".
std::string short_id(const std::string& id);

// The sentences of an answer's list "why", one on a line.
void print_sentences(Context& context, const json::value& answer);

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
