#include "programs.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

namespace sickbay::integration {

Directory::Directory() {
  std::string name = (std::filesystem::temp_directory_path() / "sickbay-site.XXXXXX").string();
  if (!::mkdtemp(name.data()))
    throw std::runtime_error("no directory can be made: " + std::string(std::strerror(errno)));
  path_ = name;
}

Directory::~Directory() {
  std::error_code ignored;
  if (keep_) {
    fmt::print("what it left is in {}\n", path_);
  } else {
    std::filesystem::remove_all(path_, ignored);
  }
}

Program::Program(const std::vector<std::string>& arguments, const std::string& log, const Environment& environment) {
  std::vector<char*> words;
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork: " + std::string(std::strerror(errno)));
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // gone with the test, even when that is killed
  if (::getppid() != parent) ::_exit(127);
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(out, 1);
  ::dup2(out, 2);
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  ::execv(words[0], words.data());
  ::_exit(127);
}

Program::Program(Program&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), stopped_(other.stopped_), exit_code_(other.exit_code_) {}

Program& Program::operator=(Program&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    stopped_ = other.stopped_;
    exit_code_ = other.exit_code_;
  }
  return *this;
}

Program::~Program() {
  kill();
}

void Program::look(int options) {
  int status = 0;
  while (pid_ > 0) {
    const pid_t seen = ::waitpid(pid_, &status, options | WUNTRACED | WCONTINUED);
    if (seen < 0 && errno == EINTR) continue;
    if (seen <= 0) return;
    if (WIFSTOPPED(status)) {
      stopped_ = true;
    } else if (WIFCONTINUED(status)) {
      stopped_ = false;
    } else {
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      pid_ = -1;
    }
  }
}

bool Program::is_running() {
  look(WNOHANG);
  return pid_ > 0;
}

bool Program::is_stopped() {
  look(WNOHANG);
  return pid_ > 0 && stopped_;
}

void Program::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

void Program::kill() {
  send(SIGKILL);
  look(0);
}

std::uint16_t free_port() {
  // Below 32768, where Linux begins to give ports to outgoing connections.
  static std::mt19937 random{std::random_device{}()};
  for (int tries = 0; tries < 1000; ++tries) {
    const auto port = static_cast<std::uint16_t>(std::uniform_int_distribution<int>(20000, 32000)(random));
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool free = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(socket);
    if (free) return port;
  }
  throw std::runtime_error("no port between 20000 and 32000 is free");
}

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

}  // namespace sickbay::integration
