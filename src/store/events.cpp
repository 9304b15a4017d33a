// Events and leases. An event has its place in the stream only once it is published: by one holder of the lease, after
// the event's own transaction has committed, so that no reader skips one whose writer was late (engine.md 8).
#include "store/events.hpp"

#include "store/page_of.hpp"
#include "store/tables.hpp"

namespace sickbay::store {
namespace {

// The sequence is given after the document is written: the column counts.
Event read_event(std::string_view id, std::string_view doc, std::uint64_t sequence) {
  Event event = parse_document<Event>(kEvent, id, doc);
  if (sequence != 0) event.sequence = sequence;
  return event;
}

Where conditions(const EventFilter& filter) {
  Where where;
  where.add_if_set("cluster = {}", filter.cluster);
  where.add_if_set("node = {}", filter.node);
  where.add_if_set("repair = {}", filter.repair);
  where.add_if_set("kind = {}", filter.kind);
  return where;
}

std::vector<Event> read_events(Tx& tx, const std::string& rest, std::span<const Param> params, std::string* last_n) {
  std::vector<Event> out;
  for (const Row& row : tx.connection().run("SELECT id, doc, sequence, n FROM event" + rest, params, 4)) {
    const auto sequence = parse_uint(row[2].value_or("0")).value_or(0);
    out.push_back(read_event(row[0].value_or(""), row[1].value_or(""), sequence));
    if (last_n) *last_n = row[3].value_or("0");
  }
  return out;
}

}  // namespace

void add_event(Tx& tx, const Event& event) {
  execute(tx,
          "INSERT INTO event (id, at, cluster, node, repair, kind, doc) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
          "ON CONFLICT (id) DO NOTHING",
          event.id, event.at, event.cluster, event.node, event.repair, name_of(event.kind), to_json_text(event));
}

std::vector<std::string> unpublished_events(Tx& tx, std::size_t limit) {
  return select_column<std::string>(tx, "SELECT id FROM event WHERE sequence IS NULL ORDER BY n LIMIT ?1", limit);
}

void publish_events(Tx& tx, const std::vector<std::string>& ids) {
  if (ids.empty()) return;
  // Those of them that have no number yet: a repeated transaction leaves no gap.
  auto fresh = select_column<std::string>(
      tx, "SELECT id FROM event WHERE sequence IS NULL AND id IN (SELECT e.value FROM EACH(?1))", json_texts(ids));
  std::sort(fresh.begin(), fresh.end());
  json::array rows;
  for (const std::string& id : ids) {
    const auto found = std::lower_bound(fresh.begin(), fresh.end(), id);
    if (found == fresh.end() || *found != id) continue;
    fresh.erase(found);
    rows.push_back({{"id", id}, {"add", rows.size()}});
  }
  if (rows.empty()) return;
  const auto last = select_one<std::uint64_t>(
      tx, "UPDATE counter SET value = value + ?1 WHERE name = 'event' RETURNING value", rows.size());
  if (!last) refuse(Errc::internal, "the counter of events is missing; restore a backup");
  execute(tx,
          "UPDATE event SET sequence = ?1 + CAST(e.value ->> 'add' AS bigint) FROM ROWS(?2) "
          "WHERE event.id = e.value ->> 'id'",
          *last - rows.size() + 1, json::serialize(rows));
}

std::vector<Event> events_after(Tx& tx, const EventFilter& filter, std::uint64_t sequence, std::size_t limit) {
  Where where = conditions(filter);
  where.add("sequence > {}", param(sequence));
  const std::string condition = where.text();
  const std::string place = where.next();
  where.bind(param(std::clamp<std::size_t>(limit, 1, kMaxPage)));
  return read_events(tx, fmt::format("{} ORDER BY sequence LIMIT {}", condition, place), where.params(), nullptr);
}

Paged<Event> list_events(Tx& tx, const EventFilter& filter, const Page& page) {
  const PageToken after = page.token.empty() ? PageToken{} : read_token(page.token);
  Where where = conditions(filter);
  if (!page.token.empty()) where.add("n < {}", param(after.position));
  const std::size_t size = std::clamp<std::size_t>(page.size, 1, kMaxPage);
  const std::string condition = where.text();
  const std::string place = where.next();
  where.bind(param(size));
  std::string last_n;
  Paged<Event> out;
  out.items = read_events(tx, fmt::format("{} ORDER BY n DESC LIMIT {}", condition, place), where.params(), &last_n);
  if (out.items.size() == size) out.next = last_n + ".";
  return out;
}

std::optional<std::uint64_t> take_lease(Tx& tx, std::string_view name, std::string_view owner, Time now,
                                        Duration length) {
  return select_one<std::uint64_t>(
      tx,
      "INSERT INTO lease (name, owner, epoch, expires_at) VALUES (?1, ?2, 1, ?4) ON CONFLICT (name) DO UPDATE SET "
      "epoch = CASE WHEN lease.owner = excluded.owner THEN lease.epoch ELSE lease.epoch + 1 END, "
      "owner = excluded.owner, expires_at = excluded.expires_at "
      "WHERE lease.owner = excluded.owner OR lease.expires_at <= ?3 RETURNING epoch",
      name, owner, now, now + length);
}

bool holds_lease(Tx& tx, std::string_view name, std::string_view owner, std::uint64_t epoch) {
  const auto found =
      select<std::string, std::uint64_t>(tx, "SELECT owner, epoch FROM lease WHERE name = ?1 FOR NO KEY UPDATE", name);
  return !found.empty() && std::get<0>(found.front()) == owner && std::get<1>(found.front()) == epoch;
}

}  // namespace sickbay::store
