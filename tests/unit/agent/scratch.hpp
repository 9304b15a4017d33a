// A directory for one test, gone when it ends; and small file systems to fill and to break.
#pragma once

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace sickbay::agent {

class Scratch {
 public:
  Scratch() {
    // In memory where there is such a place: thousands of syncs are made here.
    std::string name = std::filesystem::exists("/dev/shm") ? "/dev/shm/sickbay-XXXXXX" : "/tmp/sickbay-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() {
    ::umount2(path_.c_str(), MNT_DETACH);  // where a test mounted something
    std::filesystem::remove_all(path_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path_ + "/" + name).parent_path());
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path_ + "/" + name, std::ios::binary).rdbuf();
    return text.str();
  }
  // A tmpfs of its own over the directory; false where that is not permitted.
  bool mount_small(const char* options) const { return ::mount("none", path_.c_str(), "tmpfs", 0, options) == 0; }
  bool remount(unsigned long flags) const {
    return ::mount("none", path_.c_str(), "tmpfs", MS_REMOUNT | flags, nullptr) == 0;
  }

 private:
  std::string path_;
};

}  // namespace sickbay::agent
