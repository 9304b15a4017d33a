// Cuts a stream of bytes into records: lines, and raw kernel records whose dictionary lines (" KEY=VALUE") belong to
// the line before. Bounded, whatever comes: an endless line is cut and its rest left out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace sickbay::agent {

class Lines {
 public:
  static constexpr std::size_t kMaxLine = 16U << 10;
  static constexpr std::size_t kMaxRecord = 32U << 10;

  using Take = std::function<void(std::string_view record, std::uint64_t line)>;  // `line` counts from 1
  explicit Lines(Take take) : take_(std::move(take)) {}

  void feed(std::string_view bytes);
  // Nothing more has come for now: a record that is whole is handed out. An unfinished line stays.
  void rest();
  // Nothing more will come: everything is handed out.
  void end();
  std::uint64_t cut() const { return cut_; }  // lines that were too long

 private:
  void line(std::string_view text);

  Take take_;
  std::string partial_;    // a line whose end has not come
  bool skipping_ = false;  // the rest of a line that was too long
  std::string record_;     // waits for its dictionary lines
  std::uint64_t record_line_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t cut_ = 0;
};

}  // namespace sickbay::agent
