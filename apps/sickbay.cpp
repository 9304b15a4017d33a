// sickbay: the command line. All of it is in src/cli; this hands it the process's own surroundings.
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "cli/cli.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // `sickbay events | head` ends by the failed write
  winsize size{};
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  if (terminal) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  sickbay::SystemClock clock;
  sickbay::RandomIds ids;
  sickbay::cli::CliEnvironment around{.out = std::cout,
                                      .err = std::cerr,
                                      .in = std::cin,
                                      .environment =
                                          [](const std::string& name) {
                                            const char* value = std::getenv(name.c_str());
                                            return value ? std::optional<std::string>(value) : std::nullopt;
                                          },
                                      .terminal_in = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1,
                                      .terminal_out = terminal,
                                      .width = size.ws_col,
                                      .clock = clock,
                                      .ids = ids,
                                      .pause = [](sickbay::Duration time) { std::this_thread::sleep_for(time); }};
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return sickbay::cli::run(arguments, around);
}
