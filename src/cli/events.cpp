// sickbay events: what happened, when, and who did it.
#include <fmt/core.h>

#include <ostream>

#include "cli/follow.hpp"

namespace sickbay::cli {
namespace {

struct ListOptions {
  std::string node, repair, kind;
  bool follow = false;
  std::size_t limit = 50;
};

void print_event(Context& context, Paper& paper, const json::value& event) {
  if (context.as_json) return context.print_json(event);
  const std::string time = clock_time(text_at(event, "at")), node = text_at(event, "node_name");
  const std::string actor = text_at(event, "actor");
  std::string line = fmt::format("{:<10} {:<18} {}{}", node.empty() ? "-" : printable(node),
                                 printable(text_at(event, "kind")), printable(text_at(event, "message")),
                                 actor.empty() || actor == "sickbay" ? "" : " (" + printable(actor) + ")");
  const std::size_t taken = time.size() + 2;
  if (paper.width() > taken + 40) line = cut(line, paper.width() - taken);
  context.around.out << paper.paint(time, Colour::quiet) << "  " << line << '\n';
}

bool matches(const ListOptions& options, const json::value& event) {
  const auto is = [&](const std::string& wanted, std::initializer_list<std::string_view> members) {
    if (wanted.empty()) return true;
    for (const auto member : members) {
      if (text_at(event, member) == wanted) return true;
    }
    return false;
  };
  return is(options.node, {"node", "node_name"}) && is(options.repair, {"repair"}) && is(options.kind, {"kind"});
}

Status list_events(Context& context, ListOptions options) {
  Query query{{"kind", options.kind}};
  if (!options.node.empty()) {
    SICKBAY_ASSIGN(const json::value node, context.node(options.node));
    options.node = text_at(node, "id");
    query.emplace_back("node", options.node);
  }
  if (!options.repair.empty()) {
    SICKBAY_ASSIGN(const std::string path, context.repair_path(options.repair));
    options.repair = path.substr(path.rfind('/') + 1);
    query.emplace_back("repair", options.repair);
  }
  SICKBAY_ASSIGN(const json::array events, newest_events(context, query, options.limit));
  auto paper = context.paper();
  for (const auto& event : events) print_event(context, paper, event);
  if (!options.follow) return {};
  const std::string last = events.empty() ? std::string() : text_at(events.back(), "sequence");
  context.around.out.flush();
  return follow_events(context, last, [&](const json::value& event) {
    if (matches(options, event)) print_event(context, paper, event);
    context.around.out.flush();
    return static_cast<bool>(context.around.out);
  });
}

}  // namespace

void add_events(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "events", "what happened, when, and who did it");
  const auto options = std::make_shared<ListOptions>();  // lives as long as the parsed command
  const auto list = [&context, options] { return list_events(context, *options); };
  const auto add_options = [&](CLI::App* to) {
    to->add_option("--node", options->node, "of this node only");
    to->add_option("--repair", options->repair, "of this repair only");
    to->add_option("--kind", options->kind, "of this kind only, such as repair-state");
    to->add_option("--limit", options->limit, "the newest so many; 0: all")->capture_default_str();
    to->add_flag("-f,--follow", options->follow, "go on as they happen");
  };
  add_options(noun);
  add_options(add_verb(*noun, context, "list", "the newest, in the order they happened", list));
  set_default(*noun, context, list);
}

}  // namespace sickbay::cli
