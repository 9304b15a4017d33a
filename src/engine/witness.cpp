#include "engine/witness.hpp"

#include <fmt/core.h>

#include <tuple>

#include "base/files.hpp"
#include "base/log.hpp"
#include "model/json.hpp"

namespace sickbay::engine {
namespace {

constexpr std::size_t kLargest = 64U << 10;

std::optional<store::Lineage> read_witness(const std::string& path) {
  if (path.empty()) return std::nullopt;
  const auto text = read_file(path, kLargest);
  if (!text && text.error().code == Errc::not_found) return std::nullopt;
  auto lineage = text ? from_json_text<store::Lineage>(*text) : tl::unexpected<Error>(text.error());
  if (!lineage) {
    log::warn("{} cannot be read ({}); a restored database would not be noticed this time", path,
              lineage.error().message);
    return std::nullopt;
  }
  return std::move(*lineage);
}

std::tuple<std::uint64_t, std::uint64_t> place(const store::Lineage& lineage) {
  return {lineage.breaks, lineage.progress};
}

}  // namespace

Witness::Witness(std::string path) : path_(std::move(path)), seen_(read_witness(path_)) {}

std::optional<store::Lineage> Witness::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void Witness::note(const store::Lineage& now) {
  const std::lock_guard lock(mutex_);
  const bool behind = seen_ && seen_->installation == now.installation && place(now) < place(*seen_);
  if (!behind) keep(now);
}

void Witness::accept(const store::Lineage& now) {
  const std::lock_guard lock(mutex_);
  keep(now);
}

// The caller holds the lock. What could not be written is tried again the next time.
void Witness::keep(const store::Lineage& now) {
  const bool same = seen_ && seen_->installation == now.installation && place(now) == place(*seen_);
  seen_ = now;
  if (path_.empty() || (same && written_)) return;
  const Status written = replace_file(path_, to_json_text(now) + "\n", 0600);
  written_ = written.has_value();
  if (!written) log::warn("{}; a restored database may not be noticed after a restart", written.error().message);
}

// A database with more breaks than were seen was found broken off by another server, which asked a person.
std::string rolled_back(const std::optional<store::Lineage>& seen, const store::Lineage& now) {
  if (!seen || seen->installation != now.installation || place(now) >= place(*seen)) return {};
  return fmt::format("the database is older than this server last saw it ({} < {}): it was restored from a backup",
                     now.progress, seen->progress);
}

}  // namespace sickbay::engine
