#include "cli/context.hpp"

#include <fmt/core.h>

#include <iostream>

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
    SICKBAY_ASSIGN(Server connected, Server::connect(settings));
    server_.emplace(std::move(connected));
  }
  return &*server_;
}

Result<std::string> Context::cluster_path() {
  if (!cluster_path_.empty()) return cluster_path_;
  SICKBAY_ASSIGN(Server * server, server());
  SICKBAY_ASSIGN(const json::value answer, server->get("/v1/compute/clusters"));
  std::vector<std::string> names;
  std::string id;
  for (const auto& cluster : list_at(answer, "clusters")) {
    const std::string cluster_id = first_text(cluster, {"cluster_id", "id"});
    const std::string name = first_text(cluster, {"cluster_name", "name"});
    const bool wanted = settings.cluster.empty() || settings.cluster == cluster_id || settings.cluster == name;
    if (wanted) id = cluster_id;
    names.push_back(name);
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

Result<json::value> Context::node(const std::string& name) {
  SICKBAY_ASSIGN(const std::string cluster, cluster_path());
  SICKBAY_ASSIGN(Server * server, server());
  return server->get(fmt::format("{}/nodes/{}", cluster, escape(name)));
}

Result<std::string> Context::repair_path(const std::string& id) {
  SICKBAY_ASSIGN(const std::string cluster, cluster_path());
  const std::string all = cluster + "/instances/-/remediations";
  std::string full = id;
  const auto dash = id.find('-');
  if (dash == std::string::npos || id.size() - dash - 1 < kIdDigits) {
    SICKBAY_ASSIGN(Server * server, server());
    SICKBAY_ASSIGN(const json::array repairs, server->list(all, {}, "remediations", 0));
    std::vector<std::string> matches;
    for (const auto& repair : repairs) {
      const std::string candidate = text_at(repair, "id");
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

void print_sentences(Context& context, const json::value& answer) {
  for (const auto& sentence : list_at(answer, "why")) {
    if (sentence.is_string()) context.around.out << printable(sentence.get_string()) << '\n';
  }
}

std::string short_id(const std::string& id) {
  const auto dash = id.find('-');
  return dash != std::string::npos && id.size() - dash - 1 == kIdDigits ? id.substr(0, dash + 9) : id;
}

}  // namespace sickbay::cli
