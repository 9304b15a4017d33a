// What was committed to the outbox survives everything, in order, or is counted as dropped; and nothing else comes out.
#include "agent/outbox.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "base/log.hpp"
#include "tests/unit/agent/scratch.hpp"

namespace sickbay::agent {
namespace {

namespace fs = std::filesystem;

Outbox::Options small(const std::string& directory) {
  return {directory, 1U << 20, 64U << 10, 64U << 10};
}
std::string text(int number) {
  return fmt::format(R"({{"id":"finding-{:04}"}})", number);
}

void put(Outbox& outbox, int from, int to) {
  for (int i = from; i < to; ++i) {
    outbox.append(text(i));
    ASSERT_TRUE(outbox.commit());
  }
}

std::vector<std::string> all(Outbox& outbox) {
  return outbox.oldest(100'000, 64U << 20).texts;
}

std::string only_segment(const std::string& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".seg") return entry.path().string();
  }
  return {};
}

struct Quiet {
  Quiet() { log::set_level(log::Level::error); }
  ~Quiet() { log::set_level(log::Level::info); }
};

TEST(Outbox, FindingsComeOutInOrderUntilTheyAreAcknowledged) {
  Scratch scratch;
  Outbox outbox(small(scratch / "o"));
  put(outbox, 0, 5);
  const auto slice = outbox.oldest(3, 1U << 20);
  EXPECT_EQ(slice.first_sequence, 1U);
  EXPECT_EQ(slice.texts, (std::vector{text(0), text(1), text(2)}));
  outbox.acknowledge("another stream", 5);
  EXPECT_EQ(outbox.pending(), 5U);
  outbox.acknowledge(outbox.stream(), 3);
  EXPECT_EQ(outbox.oldest(10, 1).texts, std::vector{text(3)});  // at least one, however small the bound
  outbox.acknowledge(outbox.stream(), 5);
  EXPECT_EQ(outbox.pending(), 0U);
  EXPECT_EQ(outbox.next_sequence(), 6U);
}

TEST(Outbox, WhatIsNotCommittedIsNotSent) {
  Scratch scratch;
  Outbox outbox(small(scratch / "o"));
  outbox.append(text(0));
  EXPECT_TRUE(all(outbox).empty());
  ASSERT_TRUE(outbox.commit());
  EXPECT_EQ(all(outbox).size(), 1U);
}

TEST(Outbox, AFileThatLostItsFirstEntryTakesNewOnesThatAreFoundAgain) {
  const Quiet quiet;
  Scratch scratch;
  {
    Outbox outbox(small(scratch / "o"));
    put(outbox, 0, 2);
  }
  const std::string file = only_segment(scratch / "o");
  std::string bytes(fs::file_size(file), '\0');
  std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.erase(Segment::kHeader, Segment::kEntry + text(0).size());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  {
    Outbox outbox(small(scratch / "o"));
    EXPECT_EQ(outbox.dropped(), 1U);
    put(outbox, 2, 3);
  }
  Outbox again(small(scratch / "o"));
  EXPECT_EQ(all(again), (std::vector{text(1), text(2)}));
}

TEST(Outbox, ARestartGoesOnWithTheSameStream) {
  Scratch scratch;
  std::string stream;
  {
    Outbox outbox(small(scratch / "o"));
    put(outbox, 0, 3);
    stream = outbox.stream();
  }
  Outbox outbox(small(scratch / "o"));
  EXPECT_EQ(outbox.stream(), stream);
  EXPECT_EQ(outbox.next_sequence(), 4U);
  outbox.greeted(stream, 2);  // the server had the first two
  EXPECT_EQ(all(outbox), std::vector{text(2)});
}

TEST(Outbox, ATornEndAtAnyByteLosesNoCommittedFinding) {
  Quiet quiet;
  Scratch scratch;
  std::vector<std::uintmax_t> ends;
  {
    Outbox outbox(small(scratch / "o"));
    for (int i = 0; i < 5; ++i) {
      put(outbox, i, i + 1);
      ends.push_back(fs::file_size(only_segment(scratch / "o")));
    }
  }
  const std::string name = fs::path(only_segment(scratch / "o")).filename();
  const std::string whole = scratch.read("o/" + name);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const std::string directory = fmt::format("torn{}", length);
    scratch.write(directory + "/" + name, whole.substr(0, length));
    std::vector<std::string> committed;
    for (int i = 0; i < 5; ++i) {
      if (ends[static_cast<std::size_t>(i)] <= length) committed.push_back(text(i));
    }
    Outbox outbox(small(scratch / directory));
    ASSERT_TRUE(outbox.on_disk());
    ASSERT_EQ(all(outbox), committed) << "cut to " << length << " bytes";
    // And it goes on from there, over another restart.
    put(outbox, 9, 10);
    committed.push_back(text(9));
    Outbox again(small(scratch / directory));
    ASSERT_EQ(all(again), committed) << "cut to " << length << " bytes";
    fs::remove_all(scratch / directory);
  }
}

TEST(Outbox, AFlippedBitAnywhereCostsAtMostTheFindingItIsIn) {
  Quiet quiet;
  Scratch scratch;
  {
    Outbox outbox(small(scratch / "o"));
    put(outbox, 0, 5);
  }
  const std::string name = fs::path(only_segment(scratch / "o")).filename();
  const std::string whole = scratch.read("o/" + name);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    const std::string directory = fmt::format("flip{}", at);
    scratch.write(directory + "/" + name, flipped);
    Outbox outbox(small(scratch / directory));
    const auto found = all(outbox);
    int next = 0;
    for (const std::string& one : found) {  // in order, and nothing that was not put in
      while (next < 5 && text(next) != one) ++next;
      ASSERT_LT(next++, 5) << "a flipped bit in byte " << at << " brought out " << one;
    }
    // A length that is wrong hides what follows it; everything else costs one finding at most, the header none.
    const bool in_length = at >= Segment::kHeader && (at - Segment::kHeader) % (Segment::kEntry + text(0).size()) < 4;
    const std::size_t least = in_length ? 0 : at < Segment::kHeader ? 5 : 4;
    ASSERT_GE(found.size(), least) << "byte " << at;
    fs::remove_all(scratch / directory);
  }
}

TEST(Outbox, ADamagedEndBeginsANewStream) {
  Quiet quiet;
  Scratch scratch;
  std::string stream;
  {
    Outbox outbox(small(scratch / "o"));
    put(outbox, 0, 3);
    stream = outbox.stream();
  }
  fs::resize_file(only_segment(scratch / "o"), fs::file_size(only_segment(scratch / "o")) - 1);
  Outbox outbox(small(scratch / "o"));
  EXPECT_NE(outbox.stream(), stream);  // the server might know a third finding that we do not
  EXPECT_EQ(outbox.first_sequence(), 1U);
  EXPECT_EQ(all(outbox).size(), 2U);
}

TEST(Outbox, AnOldCopyOfItsDirectoryIsNoticedAtTheHello) {
  Quiet quiet;
  Scratch scratch;
  Outbox outbox(small(scratch / "o"));
  put(outbox, 0, 3);
  const std::string stream = outbox.stream();
  all(outbox);
  outbox.greeted(stream, 20);  // the server has findings of this stream that this copy never had
  EXPECT_NE(outbox.stream(), stream);
  EXPECT_EQ(all(outbox), (std::vector{text(0), text(1), text(2)}));
}

// A child commits findings and says so; it is killed in the middle of it. Whatever it said must be there.
TEST(Outbox, AKillAtAnyMomentLosesNoCommittedFinding) {
  Quiet quiet;
  Scratch scratch;
  int known = 0;
  for (int round = 0; round < 60; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(pipe[0]);
      Outbox outbox(small(scratch / "o"));
      for (int i = known; i < known + 50; ++i) {
        outbox.append(text(i));
        if (i % 3 == 0) outbox.append(text(i));  // also several in one commit
        outbox.commit();
        if (::write(pipe[1], &i, sizeof i) != sizeof i) ::_exit(1);
      }
      ::pause();
    }
    ::close(pipe[1]);
    const int wanted = known + 1 + round % 7;
    for (int said = -1; said < wanted && ::read(pipe[0], &said, sizeof said) == sizeof said;) known = said + 1;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (int said = 0; ::read(pipe[0], &said, sizeof said) == sizeof said;) known = said + 1;
    ::close(pipe[0]);
    Outbox outbox(small(scratch / "o"));
    const auto found = all(outbox);
    for (int i = 0; i < known; ++i) {
      ASSERT_NE(std::find(found.begin(), found.end(), text(i)), found.end()) << "lost " << i << " in round " << round;
    }
    for (const auto& one : found) ASSERT_TRUE(one.starts_with("{\"id\":\"finding-") && one.ends_with("\"}")) << one;
  }
}

TEST(Outbox, WhenItIsFullTheOldestGoAndAreCounted) {
  Quiet quiet;
  Scratch scratch;
  const Outbox::Options options{scratch / "o", 64U << 10, 16U << 10, 8U << 10};
  std::uint64_t dropped = 0;
  {
    Outbox outbox(options);
    for (int i = 0; i < 1000; ++i) {
      outbox.append(text(i) + std::string(500, ' '));
      ASSERT_TRUE(outbox.commit());
    }
    EXPECT_EQ(outbox.dropped() + outbox.pending(), 1000U);
    EXPECT_GT(outbox.dropped(), 800U);
    EXPECT_GT(outbox.pending(), 80U);
    const auto found = all(outbox);
    EXPECT_TRUE(found.back().starts_with(text(999)));
    EXPECT_TRUE(found.front().starts_with(text(static_cast<int>(outbox.dropped()))));
    std::uintmax_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(scratch / "o")) bytes += entry.file_size();
    EXPECT_LE(bytes, 64U << 10);
    dropped = outbox.dropped();
  }
  EXPECT_GE(Outbox(options).dropped() + 20, dropped);  // it remembers, but for those of the last file
}

TEST(Outbox, AnEmptyOutboxStaysSmall) {
  Scratch scratch;
  Outbox outbox(small(scratch / "o"));
  for (int i = 0; i < 5000; ++i) {
    put(outbox, i, i + 1);
    outbox.acknowledge(outbox.stream(), outbox.next_sequence() - 1);
  }
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(scratch / "o")) bytes += entry.file_size();
  EXPECT_LE(bytes, 80U << 10);
  EXPECT_EQ(outbox.next_sequence(), 5001U);
}

TEST(Outbox, OnAFullDiskItWorksFromMemoryAndReturns) {
  Quiet quiet;
  Scratch scratch;
  if (!scratch.mount_small("size=128k")) GTEST_SKIP() << "mounting a small file system needs root";
  Outbox outbox({scratch / "o", 1U << 20, 64U << 10, 64U << 10});
  put(outbox, 0, 3);
  const std::string stream = outbox.stream();
  scratch.write("ballast", std::string(200U << 10, 'x'));  // takes what is left
  for (int i = 3; i < 60; ++i) {
    outbox.append(text(i) + std::string(500, ' '));
    outbox.commit();
  }
  EXPECT_FALSE(outbox.on_disk());
  EXPECT_NE(outbox.problem().find("No space left"), std::string::npos) << outbox.problem();
  EXPECT_NE(outbox.stream(), stream);  // its numbers are not kept: another stream
  EXPECT_EQ(all(outbox).size(), 60U);
  outbox.recover();
  EXPECT_FALSE(outbox.on_disk());
  fs::remove(scratch / "ballast");
  outbox.recover();
  EXPECT_TRUE(outbox.on_disk());
  EXPECT_EQ(all(outbox).size(), 60U);
  Outbox again({scratch / "o", 1U << 20, 64U << 10, 64U << 10});
  EXPECT_EQ(all(again).size(), 60U);
}

TEST(Outbox, OnAReadOnlyDiskItWorksFromMemoryBoundedAndReturns) {
  Quiet quiet;
  Scratch scratch;
  if (!scratch.mount_small("size=1m")) GTEST_SKIP() << "mounting a small file system needs root";
  {
    Outbox outbox(small(scratch / "o"));
    put(outbox, 0, 3);
  }
  ASSERT_TRUE(scratch.remount(MS_RDONLY));
  Outbox outbox({scratch / "o", 1U << 20, 8U << 10, 64U << 10});
  EXPECT_EQ(all(outbox).size(), 3U);  // what it holds can still be read and sent
  for (int i = 3; i < 100; ++i) {
    outbox.append(text(i) + std::string(500, ' '));
    EXPECT_FALSE(outbox.commit());
  }
  EXPECT_FALSE(outbox.on_disk());
  EXPECT_EQ(outbox.pending() + outbox.dropped(), 100U);
  EXPECT_LE(outbox.pending(), 16U);
  EXPECT_TRUE(all(outbox).back().starts_with(text(99)));
  ASSERT_TRUE(scratch.remount(0));
  outbox.recover();
  EXPECT_TRUE(outbox.on_disk());
  EXPECT_TRUE(all(outbox).back().starts_with(text(99)));
}

TEST(Outbox, ADirectoryThatCannotBeReadAtTheStartIsReadWhenItCan) {
  Quiet quiet;
  Scratch scratch;
  {
    Outbox outbox(small(scratch / "o"));
    put(outbox, 0, 3);
  }
  fs::rename(scratch / "o", scratch / "away");
  scratch.write("o", "a file in its place");
  Outbox outbox(small(scratch / "o"));
  EXPECT_FALSE(outbox.on_disk());
  outbox.append(text(3));
  EXPECT_FALSE(outbox.commit());
  fs::remove(scratch / "o");
  fs::rename(scratch / "away", scratch / "o");
  outbox.recover();
  EXPECT_TRUE(outbox.on_disk());
  EXPECT_EQ(all(outbox), (std::vector{text(0), text(1), text(2), text(3)}));
}

}  // namespace
}  // namespace sickbay::agent
