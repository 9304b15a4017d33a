// sickbay policy: who is asked before what, and how long to wait: read, check and replace the document. Files are JSON
// or YAML; docs/policy.md explains every member.
#include "model/policy.hpp"

#include <fmt/core.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/context.hpp"
#include "config/yaml.hpp"
#include "resources/policy.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kLargestFile = 1U << 20;

struct FileOptions {
  std::string path, comment;
  bool dry_run = false;
};

// JSON for people: two spaces for each level, short members on one line, numbers as one writes them.
std::string flat(const json::value& value) {
  if (value.is_double()) return fmt::format("{:g}", value.get_double());
  std::string text;
  if (value.is_object()) {
    for (const auto& [name, member] : value.get_object()) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", json::serialize(json::string(name)), flat(member));
    }
    return "{" + text + "}";
  }
  if (value.is_array()) {
    for (const auto& element : value.get_array()) text += (text.empty() ? "" : ", ") + flat(element);
    return "[" + text + "]";
  }
  return json::serialize(value);
}

void pretty(std::ostream& out, const json::value& value, std::size_t depth) {
  const std::string line = flat(value);
  const bool is_object = value.is_object() && !value.get_object().empty();
  const bool is_array = value.is_array() && !value.get_array().empty();
  if ((!is_object && !is_array) || (depth > 0 && line.size() <= 80)) {
    out << line;
    return;
  }
  const std::string indent((depth + 1) * 2, ' ');
  std::string separator = is_object ? "{\n" : "[\n";
  if (is_object) {
    for (const auto& [name, member] : value.get_object()) {
      out << std::exchange(separator, ",\n") << indent << json::serialize(json::string(name)) << ": ";
      pretty(out, member, depth + 1);
    }
  } else {
    for (const auto& element : value.get_array()) {
      out << std::exchange(separator, ",\n") << indent;
      pretty(out, element, depth + 1);
    }
  }
  out << '\n' << std::string(depth * 2, ' ') << (is_object ? '}' : ']');
}

Result<json::object> read_policy(Context& context, const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << context.around.in.rdbuf();
  } else {
    std::ifstream file(path);
    text << file.rdbuf();
    if (!file) return fail(Errc::io, fmt::format("{} cannot be read", path));
  }
  if (text.view().size() > kLargestFile) return fail(Errc::too_large, fmt::format("{} is no policy: over 1 MiB", path));
  // YAML takes JSON too; the strict reader below finds what is neither.
  SICKBAY_ASSIGN(const json::object document, config::yaml_to_json(text.view(), path));
  const auto policy = from_json<Policy>(document, Reading::strict);
  if (!policy) {
    const int line = config::line_of(text.view(), policy.error().field);
    return fail(policy.error().code, fmt::format("{}:{}: {}", path, line, policy.error().message));
  }
  return document;
}

// The policy itself goes to the output, so that it can be kept, edited and put; what is said of it does not.
void print_policy(Context& context, const PolicyVersion& current) {
  const std::string by = printable(current.changed_by);
  context.around.err << (by.empty() ? "the default, never changed\n"
                                    : fmt::format("version {}, by {}, {} UTC\n", current.version, by,
                                                  clock_time(current.changed_at)));
  pretty(context.around.out, to_json(current.policy), 0);
  context.around.out << '\n';
}

Status get(Context& context) {
  SICKBAY_ASSIGN(const json::value answer, context.get("/policy"));
  // Strictly: a member of a newer server that is not printed here would be lost when the file is put.
  return context.show<PolicyVersion>(
      answer, [&](const PolicyVersion& current) { print_policy(context, current); }, Reading::strict);
}

Status check(Context& context, const FileOptions& options) {
  SICKBAY_ASSIGN(const json::object policy, read_policy(context, options.path));
  SICKBAY_ASSIGN(const json::value answer,
                 context.post("/policy/check", to_json(resources::NewPolicyAsWritten{policy, {}})));
  SICKBAY_ASSIGN(const auto checked, read_as<resources::PolicyCheck>(answer));
  if (context.as_json) {
    context.print_json(answer);
  } else {
    auto& out = context.around.out;
    for (const resources::PolicyProblem& error : checked.errors) out << "error: " << printable(error.message) << '\n';
    for (const std::string& note : checked.notes) out << "note: " << printable(note) << '\n';
  }
  if (!checked.ok) return fail(Errc::refused, fmt::format("{} is not fit to be put", options.path));
  if (!context.as_json) context.around.out << options.path << " is fit to be put\n";
  return {};
}

Status put(Context& context, const FileOptions& options) {
  if (options.dry_run) return check(context, options);
  SICKBAY_ASSIGN(const json::object policy, read_policy(context, options.path));
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  std::string etag;
  SICKBAY_ASSIGN(const auto current, server->get_as<PolicyVersion>(cluster + "/policy", &etag));
  SICKBAY_CHECK(context.confirm(fmt::format("replace version {} of the policy?", current.version)));
  const auto body = to_json(resources::NewPolicyAsWritten{policy, options.comment});
  SICKBAY_ASSIGN(const json::value answer, server->send("PUT", cluster + "/policy", body, etag));
  return context.show<PolicyVersion>(answer, [&](const PolicyVersion& now) {
    context.around.out << fmt::format("the policy is version {} now\n", now.version);
  });
}

}  // namespace

void add_policy(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "policy", "who is asked before what, and how long to wait");
  add_default_verb(*noun, context, "get", "the policy in force", get);
  const auto add_path = [](CLI::App& verb, FileOptions& options) {
    verb.add_option("FILE", options.path, "JSON or YAML; - for the input")->required();
  };
  add_verb<FileOptions>(*noun, context, "check", "whether a file could be put", check, add_path);
  add_verb<FileOptions>(*noun, context, "put", "replace the policy by a file", put,
                        [&](CLI::App& verb, FileOptions& options) {
                          add_path(verb, options);
                          verb.add_option("--comment", options.comment, "why; kept with the version");
                          verb.add_flag("-n,--dry-run", options.dry_run, "only check it");
                        });
}

}  // namespace sickbay::cli
