#include "cli/context.hpp"

#include <fmt/core.h>

#include <iostream>

#include "resources/cluster.hpp"
#include "resources/why.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kIdDigits = 24;  // of base/ids.hpp

// Names in the order of the alphabet, for "which one?".
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

void Context::print_json(const json::value& value) {
  around.out << json::serialize(value) << '\n';
}

Result<Server*> Context::server() {
  if (!server_) {
    SICKBAY_ASSIGN(Server connected, Server::connect(settings, around.connect));
    server_.emplace(std::move(connected));
  }
  return &*server_;
}

Result<std::string> Context::cluster_path() {
  if (!cluster_path_.empty()) return cluster_path_;
  SICKBAY_ASSIGN(Server * server, server());
  SICKBAY_ASSIGN(const auto answer, server->get_as<resources::ClusterList>("/v1/compute/clusters"));
  std::vector<std::string> names;
  std::string id;
  for (const resources::Cluster& cluster : answer.clusters) {
    const bool wanted =
        settings.cluster.empty() || settings.cluster == cluster.cluster_id || settings.cluster == cluster.cluster_name;
    if (wanted) id = cluster.cluster_id;
    names.push_back(cluster.cluster_name);
  }
  if (settings.cluster.empty() && names.size() > 1) {
    return fail(Errc::invalid, fmt::format("there are several clusters; say which with --cluster: {}", joined(names)));
  }
  if (id.empty() && names.empty()) {
    return fail(Errc::not_found, "this server has no cluster yet; adopt one in the server's configuration file");
  }
  if (id.empty()) {
    return fail(Errc::not_found,
                fmt::format("there is no cluster '{}'; there are: {}", settings.cluster, joined(names)));
  }
  cluster_path_ = "/v1/compute/clusters/" + escape(id);
  return cluster_path_;
}

Result<json::value> Context::get(const std::string& below) {
  SICKBAY_ASSIGN(const std::string cluster, cluster_path());
  SICKBAY_ASSIGN(Server * server, server());
  return server->get(cluster + below);
}

Result<json::value> Context::post(const std::string& below, const json::value& body) {
  SICKBAY_ASSIGN(const std::string cluster, cluster_path());
  SICKBAY_ASSIGN(Server * server, server());
  return server->send("POST", cluster + below, body);
}

Result<resources::Node> Context::node(const std::string& name) {
  SICKBAY_ASSIGN(const json::value answer, get("/nodes/" + escape(name)));
  return read_as<resources::Node>(answer);
}

Result<std::string> Context::repair_path(const std::string& id) {
  SICKBAY_ASSIGN(const std::string cluster, cluster_path());
  const std::string all = cluster + "/instances/-/remediations";
  std::string full = id;
  const auto dash = id.find('-');
  if (dash == std::string::npos || id.size() - dash - 1 < kIdDigits) {
    SICKBAY_ASSIGN(Server * server, server());
    SICKBAY_ASSIGN(const json::array items, server->list<resources::RemediationList>(all, {}, 0));
    SICKBAY_ASSIGN(const auto repairs, read_as<std::vector<resources::Remediation>>(items));
    std::vector<std::string> matches;
    for (const resources::Remediation& repair : repairs) {
      const std::string& candidate = repair.id;
      const auto digits = candidate.find('-');
      const bool tail = digits != std::string::npos && std::string_view(candidate).substr(digits + 1).starts_with(id);
      if (candidate.starts_with(id) || tail) matches.push_back(candidate);
    }
    if (matches.empty()) {
      return fail(Errc::not_found, fmt::format("no repair's id begins with '{}'; see: sickbay repairs list", id));
    }
    if (matches.size() > 1) {
      if (matches.size() > 5) matches.resize(5);
      return fail(Errc::invalid, fmt::format("several repairs' ids begin with '{}': {}", id, joined(matches)));
    }
    full = matches.front();
  }
  return all + "/" + escape(full);
}

Status Context::confirm(const std::string& question) {
  if (yes || !around.terminal_in) return {};
  around.err << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(around.in, answer);
  if (answer == "y" || answer == "Y" || answer == "yes") return {};
  return fail(Errc::conflict, "nothing was done");
}

CLI::App* add_noun(CLI::App& app, const std::string& name, const std::string& what) {
  CLI::App* noun = app.add_subcommand(name, what);
  noun->require_subcommand(0, 1);
  return noun;
}

CLI::App* add_verb(CLI::App& noun, Context& context, const std::string& name, const std::string& what,
                   std::function<Status()> run) {
  CLI::App* verb = noun.add_subcommand(name, what);
  verb->callback([&context, run = std::move(run)] { context.chosen = run; });
  return verb;
}

void set_default(CLI::App& noun, Context& context, std::function<Status()> run) {
  noun.callback([&context, run = std::move(run)] {
    if (!context.chosen) context.chosen = run;  // CLI11 calls a verb's callback before its noun's
  });
}

void print_sentences(Context& context, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) context.around.out << printable(sentence) << '\n';
}

Status print_why(Context& context, const std::string& path) {
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value answer, server->get(path + "/why"));
  return context.show<resources::Why>(answer, [&](const auto& read) { print_sentences(context, read.why); });
}

std::string short_id(const std::string& id) {
  const auto dash = id.find('-');
  return dash != std::string::npos && id.size() - dash - 1 == kIdDigits ? id.substr(0, dash + 9) : id;
}

}  // namespace sickbay::cli
