#include "store/store.hpp"

#include <fmt/core.h>

#include "store/failure.hpp"
#include "store/postgresql.hpp"
#include "store/sqlite.hpp"

namespace sickbay::store {

Time now(Tx& tx) {
  return tx.connection().clock(tx);
}

Result<std::unique_ptr<Store>> Store::open(const Options& options, const Clock& clock, Hooks hooks) {
  const std::string_view url = options.url;
  try {
    if (url.starts_with("sqlite:")) {
      auto store = std::make_unique<SqliteStore>(std::string(url.substr(7)), options, clock, std::move(hooks));
      SICKBAY_CHECK(store->prepare(options));
      return store;
    }
    if (url.starts_with("postgresql://") || url.starts_with("postgres://")) {
      auto store = std::make_unique<PostgresStore>(options, std::move(hooks));
      SICKBAY_CHECK(store->prepare(options));
      return store;
    }
  } catch (const Failure& failure) {
    return tl::unexpected<Error>(failure.error());
  }
  // The password of a URL must not reach a log: say the scheme only.
  return fail(Errc::invalid, fmt::format("a database is sqlite:PATH or postgresql://..., not '{}...'",
                                         url.substr(0, std::min(url.find(':'), std::size_t{20}))));
}

}  // namespace sickbay::store
