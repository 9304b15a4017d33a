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

void print_event(Context& context, Terminal& paper, const Told& told) {
  if (context.as_json) return context.print_json(told.document);
  const Event& event = told.event;
  const std::string time = clock_time(event.at);
  std::string line =
      fmt::format("{:<10} {:<18} {}{}", event.node_name.empty() ? "-" : printable(event.node_name), name_of(event.kind),
                  printable(event.message),
                  event.actor.empty() || event.actor == "sickbay" ? "" : " (" + printable(event.actor) + ")");
  const std::size_t taken = time.size() + 2;
  if (paper.width() > taken + 40) line = cut(line, paper.width() - taken);
  context.around.out << paper.paint(time, Colour::quiet) << "  " << line << '\n';
}

bool matches(const ListOptions& wanted, const Event& event) {
  return (wanted.node.empty() || event.node == wanted.node || event.node_name == wanted.node) &&
         (wanted.repair.empty() || event.repair == wanted.repair) &&
         (wanted.kind.empty() || name_of(event.kind) == wanted.kind);
}

Status list_events(Context& context, const ListOptions& given) {
  ListOptions options = given;
  Query query{{"kind", options.kind}};
  if (!options.node.empty()) {
    SICKBAY_ASSIGN(const auto node, context.node(options.node));
    options.node = node.id;
    query.emplace_back("node", options.node);
  }
  if (!options.repair.empty()) {
    SICKBAY_ASSIGN(const std::string path, context.repair_path(options.repair));
    options.repair = path.substr(path.rfind('/') + 1);
    query.emplace_back("repair", options.repair);
  }
  SICKBAY_ASSIGN(const auto events, newest_events(context, query, options.limit));
  auto paper = context.paper();
  for (const Told& event : events) print_event(context, paper, event);
  if (!options.follow) return {};
  const auto last = events.empty() ? std::nullopt : events.back().event.sequence;
  context.around.out.flush();
  return follow_events(context, last, [&](const Told& told) {
    if (matches(options, told.event)) print_event(context, paper, told);
    context.around.out.flush();
    return static_cast<bool>(context.around.out);
  });
}

}  // namespace

void add_events(CLI::App& app, Context& context) {
  CLI::App* noun = add_noun(app, "events", "what happened, when, and who did it");
  add_default_verb<ListOptions>(
      *noun, context, "list", "the newest, in the order they happened", list_events,
      [](CLI::App& verb, ListOptions& options) {
        verb.add_option("--node", options.node, "of this node only");
        verb.add_option("--repair", options.repair, "of this repair only");
        verb.add_option("--kind", options.kind, "of this kind only, such as repair-state");
        verb.add_option("--limit", options.limit, "the newest so many; 0: all")->capture_default_str();
        verb.add_flag("-f,--follow", options.follow, "go on as they happen");
      });
}

}  // namespace sickbay::cli
