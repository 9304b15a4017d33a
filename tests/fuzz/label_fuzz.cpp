// links: rules
// Tables of labelled lines, as `sickbay rules test` reads them.
#include <cstdlib>

#include "rules/expectation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace sickbay::rules;
  static const KernelLog log = KernelLog::built_in();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tally = judge_table(log, text, [](const Difference& row) {
    if (row.why.empty()) std::abort();
  });
  if (tally && tally->ok + tally->wrong != tally->rows) std::abort();
  return 0;
}
