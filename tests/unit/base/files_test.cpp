// Small files are replaced whole or not at all, and a lock has one holder.
#include "base/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace sickbay {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() : directory_(testing::TempDir() + "files-" + std::to_string(::getpid())) {
    fs::create_directories(directory_);
  }
  ~Files() override { fs::remove_all(directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }

 private:
  const std::string directory_;
};

TEST_F(Files, AFileIsReadWholeUpToItsLimit) {
  std::ofstream(path("a"), std::ios::binary) << std::string(40'000, 'x');
  EXPECT_EQ(read_file(path("a"), 40'000).value().size(), 40'000U);
  EXPECT_EQ(read_file(path("a"), 39'999).error().code, Errc::too_large);
  const auto missing = read_file(path("b"), 10);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_NE(missing.error().message.find(path("b")), std::string::npos);
  EXPECT_EQ(read_file(path("."), 10).error().code, Errc::io);
}

TEST_F(Files, AReplacedFileHasItsNewTextAndRights) {
  std::ofstream(path("a")) << "old";
  ASSERT_TRUE(replace_file(path("a"), "new", 0600));
  EXPECT_EQ(read_file(path("a"), 10).value(), "new");
  struct stat status{};
  ASSERT_EQ(::stat(path("a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_FALSE(fs::exists(path("a.new")));
}

TEST_F(Files, AFileThatCannotBeReplacedStaysAsItWas) {
  std::ofstream(path("a")) << "old";
  fs::create_directory(path("a.new"));
  EXPECT_FALSE(replace_file(path("a"), "new", 0600));
  EXPECT_EQ(read_file(path("a"), 10).value(), "old");
  EXPECT_EQ(replace_file(path("no/such/place"), "new", 0600).error().code, Errc::not_found);
}

TEST_F(Files, AFullDiskIsAnErrorAndNotHalfAFile) {
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  const Status written = write_all(full.get(), "text", "the disk");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write 'the disk': No space left on device");
}

TEST_F(Files, ALockHasOneHolderAndEndsWithIt) {
  {
    const auto first = take_lock(path("lock"), "somebody has it");
    ASSERT_TRUE(first) << first.error().message;
    const auto second = take_lock(path("lock"), "somebody has it");
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, Errc::conflict);
    EXPECT_EQ(second.error().message, "somebody has it");
  }
  EXPECT_TRUE(take_lock(path("lock"), ""));
  EXPECT_EQ(take_lock(path("no/lock"), "").error().code, Errc::not_found);
}

}  // namespace
}  // namespace sickbay
