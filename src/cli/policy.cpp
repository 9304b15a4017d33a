// sickbay policy: who is asked before what, and how long to wait: read, check and replace the document. Files are JSON
// or YAML; docs/policy.md explains every member.
#include "model/policy.hpp"

#include <fmt/core.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/context.hpp"
#include "rules/yaml.hpp"

namespace sickbay::cli {
namespace {

constexpr std::size_t kLargestFile = 1U << 20;

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

Result<json::value> read_policy(Context& context, const std::string& path) {
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
  SICKBAY_ASSIGN(const json::object document, rules::yaml_to_json(text.view(), path));
  const auto policy = from_json<Policy>(document, Reading::strict);
  if (!policy) return fail(policy.error().code, fmt::format("{}: {}", path, policy.error().message));
  return json::value(document);
}

Status get(Context& context) {
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value answer, server->get(cluster + "/policy"));
  if (context.as_json) {
    context.print_json(answer);
    return {};
  }
  const json::value* policy = answer.is_object() ? answer.get_object().if_contains("policy") : nullptr;
  if (const auto version = text_at(answer, "version"); !version.empty()) {
    const std::string by = printable(text_at(answer, "changed_by"));
    context.around.err << (by.empty() ? "the default, never changed\n"
                                      : fmt::format("version {}, by {}, {} UTC\n", version, by,
                                                    clock_time(text_at(answer, "changed_at"))));
  }
  pretty(context.around.out, policy ? *policy : answer, 0);
  context.around.out << '\n';
  return {};
}

Status check(Context& context, const std::string& path) {
  SICKBAY_ASSIGN(const json::value policy, read_policy(context, path));
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  SICKBAY_ASSIGN(const json::value answer,
                 server->send("POST", cluster + "/policy/check", json::object{{"policy", policy}}));
  if (context.as_json) context.print_json(answer);
  const json::array& errors = list_at(answer, "errors");
  if (!context.as_json) {
    for (const auto& error : errors) {
      context.around.out << "error: "
                         << printable(error.is_string() ? std::string(error.get_string())
                                                        : first_text(error, {"message", "detail"}))
                         << '\n';
    }
    for (const auto& note : list_at(answer, "notes")) {
      if (note.is_string()) context.around.out << "note: " << printable(note.get_string()) << '\n';
    }
  }
  if (!errors.empty()) return fail(Errc::refused, fmt::format("{} is not fit to be put", path));
  if (!context.as_json) context.around.out << path << " is fit to be put\n";
  return {};
}

Status put(Context& context, const std::string& path, const std::string& comment, bool dry_run) {
  if (dry_run) return check(context, path);
  SICKBAY_ASSIGN(const json::value policy, read_policy(context, path));
  SICKBAY_ASSIGN(const std::string cluster, context.cluster_path());
  SICKBAY_ASSIGN(Server * server, context.server());
  std::string etag;
  SICKBAY_ASSIGN(const json::value current, server->get(cluster + "/policy", &etag));
  SICKBAY_CHECK(context.confirm(fmt::format("replace version {} of the policy?", text_at(current, "version"))));
  SICKBAY_ASSIGN(const json::value answer, server->send("PUT", cluster + "/policy",
                                                        json::object{{"policy", policy}, {"comment", comment}}, etag));
  if (context.as_json) {
    context.print_json(answer);
  } else {
    context.around.out << fmt::format("the policy is version {} now\n", text_at(answer, "version"));
  }
  return {};
}

}  // namespace

void add_policy(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "policy", "who is asked before what, and how long to wait");
  // Live as long as the parsed command.
  const auto path = std::make_shared<std::string>();
  const auto comment = std::make_shared<std::string>();
  const auto dry_run = std::make_shared<bool>(false);
  const auto show = [&context] { return get(context); };
  add_verb(*noun, context, "get", "the policy in force", show);
  set_default(*noun, context, show);
  add_verb(*noun, context, "check", "whether a file could be put", [&context, path] { return check(context, *path); })
      ->add_option("FILE", *path, "JSON or YAML; - for the input")
      ->required();
  CLI::App* verb = add_verb(*noun, context, "put", "replace the policy by a file",
                            [&context, path, comment, dry_run] { return put(context, *path, *comment, *dry_run); });
  verb->add_option("FILE", *path, "JSON or YAML; - for the input")->required();
  verb->add_option("--comment", *comment, "why; kept with the version");
  verb->add_flag("-n,--dry-run", *dry_run, "only check it");
}

}  // namespace sickbay::cli
