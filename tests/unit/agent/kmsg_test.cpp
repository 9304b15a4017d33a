// Reading /dev/kmsg: whole records, overruns, records too large, a device that fails and comes back; and files and
// pipes in its place. A packet socket is a good stand-in: it hands out whole records, too.
#include "agent/kmsg.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <deque>

#include "agent/file_source.hpp"
#include "tests/unit/agent/fake_server.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace sickbay::agent {
namespace {

struct Heard final : RecordSink {
  void on_record(const RawRecord& record) override {
    records.emplace_back(record.text);
    lines.push_back(record.line);
  }
  void on_drained() override { ++drained; }
  void on_overrun() override { ++overruns; }
  void on_broken(const std::string& why) override { broken.push_back(why); }
  void on_end() override { ended = true; }
  std::vector<std::string> records;
  std::vector<std::uint64_t> lines;
  std::vector<std::string> broken;
  int drained = 0, overruns = 0;
  bool ended = false;
};

// A packet socket as the device. Errors can be put between the records.
struct FakeKmsg final : KmsgDevice {
  Result<int> open() override {
    ++opened;
    if (!may_open) return fail(Errc::forbidden, "may not be read");
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    writer = Fd(ends[1]);
    return ends[0];
  }
  long read(int fd, std::span<char> buffer) override {
    if (!errors.empty()) {
      errno = errors.front();
      errors.pop_front();
      return errno == 0 ? 0 : -1;
    }
    return ::read(fd, buffer.data(), buffer.size());
  }
  void say(std::string_view record) {
    ASSERT_EQ(::send(writer.get(), record.data(), record.size(), 0), static_cast<long>(record.size()));
  }
  Fd writer;
  std::deque<int> errors;
  int opened = 0;
  bool may_open = true;
};

struct KmsgTest : testing::Test {
  KmsgTest() {
    auto owned = std::make_unique<FakeKmsg>();
    device = owned.get();
    source = std::make_unique<KmsgSource>(io, std::move(owned));
  }
  bool until(const std::function<bool()>& done) { return run_until(io, done); }
  asio::io_context io{1};
  Heard heard;
  FakeKmsg* device = nullptr;
  std::unique_ptr<KmsgSource> source;
};

TEST_F(KmsgTest, RecordsComeWholeAndInOrderAsTheyAreWritten) {
  source->start(heard);
  for (int i = 0; i < 600; ++i) {
    if (i % 100 == 0) {
      ASSERT_TRUE(until([&] { return heard.records.size() == static_cast<std::size_t>(i); }));
    }
    device->say(fmt::format("4,{},1,-;one\n SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n", i));
  }
  ASSERT_TRUE(until([&] { return heard.records.size() == 600; }));
  EXPECT_EQ(heard.records[599], "4,599,1,-;one\n SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n");
}

TEST_F(KmsgTest, NothingHappensWhileNothingIsWritten) {
  source->start(heard);
  ASSERT_TRUE(until([&] { return heard.drained == 1; }));
  EXPECT_EQ(io.poll(), 0U);
  EXPECT_EQ(heard.drained, 1);
}

TEST_F(KmsgTest, AnOverrunIsSaidAndReadingGoesOn) {
  device->errors = {EPIPE};
  source->start(heard);
  ASSERT_TRUE(until([&] { return heard.overruns == 1 && heard.drained >= 1; }));
  device->say("4,1,1,-;after");
  ASSERT_TRUE(until([&] { return heard.records.size() == 1; }));
}

TEST_F(KmsgTest, ARecordTooLargeForTheBufferIsSteppedOver) {
  device->errors = {EINVAL, EINTR};
  source->start(heard);
  ASSERT_TRUE(until([&] { return heard.drained >= 1; }));
  device->say("4,1,1,-;after");
  ASSERT_TRUE(until([&] { return heard.records.size() == 1; }));
  EXPECT_TRUE(heard.broken.empty());
}

TEST_F(KmsgTest, AReaderThatDiesIsSaidAndOpenedAgainAtOnceThenAtEachTick) {
  source->start(heard);
  ASSERT_TRUE(until([&] { return heard.drained == 1; }));
  device->say("4,1,1,-;first");
  ASSERT_TRUE(until([&] { return heard.records.size() == 1; }));
  device->writer = Fd();  // the end of the stream
  ASSERT_TRUE(until([&] { return heard.broken.size() == 1 && device->opened == 2; }));
  EXPECT_EQ(heard.broken[0], "the kernel log has ended");
  device->may_open = false;
  device->say("4,2,1,-;second");
  ASSERT_TRUE(until([&] { return heard.records.size() == 2; }));
  device->errors = {EIO};
  device->say("4,3,1,-;third");
  ASSERT_TRUE(until([&] { return heard.broken.size() == 2; }));
  EXPECT_EQ(device->opened, 2) << "a device that keeps failing is not opened in a circle";
  source->tick();
  EXPECT_EQ(heard.broken.back(), "may not be read");
  device->may_open = true;
  source->tick();
  EXPECT_EQ(device->opened, 4);
  device->say("4,4,1,-;fourth");
  ASSERT_TRUE(until([&] { return heard.records.size() == 3; }));
}

TEST_F(KmsgTest, ADeviceThatMayNotBeReadIsSaidClearly) {
  KmsgSource none(io, kernel_kmsg("/nonexistent/kmsg"));
  none.start(heard);
  ASSERT_EQ(heard.broken.size(), 1U);
  EXPECT_NE(heard.broken[0].find("CAP_SYSLOG"), std::string::npos);
}

TEST_F(KmsgTest, AStopInTheMiddleIsQuiet) {
  source->start(heard);
  ASSERT_TRUE(until([&] { return heard.drained == 1; }));
  device->say("4,1,1,-;unheard");
  source->stop();
  io.restart();
  io.poll();
  EXPECT_TRUE(heard.records.empty());
}

TEST(FileSource, AFileIsReadToItsEnd) {
  asio::io_context io(1);
  Scratch scratch;
  scratch.write("log", "6,1,2,-;raw\n KEY=VALUE\nplain line\n\n[ 1.0] dmesg\nno newline");
  auto source = open_records(io, scratch / "log", false);
  ASSERT_TRUE(source);
  Heard heard;
  (*source)->start(heard);
  ASSERT_TRUE(run_until(io, [&] { return heard.ended; }));
  EXPECT_EQ(heard.records,
            (std::vector<std::string>{"6,1,2,-;raw\n KEY=VALUE", "plain line", "[ 1.0] dmesg", "no newline"}));
  EXPECT_EQ(heard.lines, (std::vector<std::uint64_t>{1, 3, 5, 6}));
}

TEST(FileSource, AFifoIsWaitedOnThoughItsWritersLeave) {
  asio::io_context io(1);
  Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "fifo").c_str(), 0600), 0);
  auto source = open_records(io, scratch / "fifo", false);
  ASSERT_TRUE(source);
  Heard heard;
  (*source)->start(heard);
  for (std::size_t i = 1; i <= 3; ++i) {
    std::ofstream(scratch / "fifo") << "line " << i << "\n";
    ASSERT_TRUE(run_until(io, [&] { return heard.records.size() == i; }));
  }
  EXPECT_FALSE(heard.ended);
}

TEST(FileSource, WhatIsNoFileOfRecordsIsRefused) {
  asio::io_context io(1);
  Scratch scratch;
  EXPECT_EQ(open_records(io, scratch / "none", false).error().code, Errc::not_found);
  EXPECT_EQ(open_records(io, scratch.path(), false).error().code, Errc::invalid);
}

TEST(Lines, AnEndlessLineIsCutAndWhatFollowsIsRead) {
  std::vector<std::string> taken;
  Lines lines([&](std::string_view record, std::uint64_t) { taken.emplace_back(record); });
  for (int i = 0; i < 40; ++i) lines.feed(std::string(100'000, 'x'));
  lines.feed("\nnext\n");
  lines.end();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].size(), Lines::kMaxLine);
  EXPECT_EQ(taken[1], "next");
  EXPECT_EQ(lines.cut(), 1U);
}

TEST(Lines, EndlessDictionaryLinesAreBounded) {
  std::size_t largest = 0;
  Lines lines([&](std::string_view record, std::uint64_t) { largest = std::max(largest, record.size()); });
  lines.feed("6,1,2,-;raw\n");
  for (int i = 0; i < 10'000; ++i) lines.feed(" KEY=" + std::string(1000, 'v') + "\n");
  lines.end();
  EXPECT_GT(largest, 1000U);
  EXPECT_LE(largest, Lines::kMaxRecord);
}

TEST(Lines, ItDoesNotMatterHowTheBytesAreCut) {
  const std::string text = "6,1,2,-;raw\n A=B\n C=D\nplain\n indented\n7,2,3,c;more\n\nlast";
  std::vector<std::string> whole;
  Lines one([&](std::string_view record, std::uint64_t line) { whole.push_back(fmt::format("{}:{}", line, record)); });
  one.feed(text);
  one.end();
  for (std::size_t size = 1; size < text.size(); ++size) {
    std::vector<std::string> pieces;
    Lines lines(
        [&](std::string_view record, std::uint64_t line) { pieces.push_back(fmt::format("{}:{}", line, record)); });
    for (std::size_t at = 0; at < text.size(); at += size) lines.feed(std::string_view(text).substr(at, size));
    lines.end();
    ASSERT_EQ(pieces, whole) << "in pieces of " << size;
  }
}

}  // namespace
}  // namespace sickbay::agent
