// Real programs as children of a test: started, stopped, continued and killed at will, and gone with the test however
// it ends. What they print goes to a file of their own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sickbay::integration {

// A directory of the test's own, removed at its end unless `keep` was called (to look at what a failure left).
class Directory {
 public:
  Directory();
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  void keep() { keep_ = true; }

 private:
  std::string path_;
  bool keep_ = false;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// One process. Moving it moves the child; the destructor kills it.
class Program {
 public:
  Program() = default;
  // arguments[0] is the file to run; its output is appended to `log`. A file that cannot be run exits with 127.
  Program(const std::vector<std::string>& arguments, const std::string& log, const Environment& environment = {});
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) noexcept;
  ~Program();

  bool is_running();  // stopped counts as running
  bool is_stopped();  // by SIGSTOP
  void send(int signal) const;
  void kill();                                                 // -9, and gone when it returns
  std::optional<int> exit_code() const { return exit_code_; }  // once it ended; of a signal: 128 + its number

 private:
  void look(int options);
  pid_t pid_ = -1;
  bool stopped_ = false;
  std::optional<int> exit_code_;
};

// A free port that no outgoing connection is given meanwhile: a program that is down for a moment finds it free again,
// and nobody who knocks in between gets connected to himself.
std::uint16_t free_port();

// The whole file; "" where there is none.
std::string contents(const std::string& file);

}  // namespace sickbay::integration
