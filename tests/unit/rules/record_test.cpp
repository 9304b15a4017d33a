// Kernel records and the other forms messages are found in.
#include "rules/record.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace sickbay::rules {
namespace {

Record kmsg(std::string_view raw) {
  auto record = parse_kmsg(raw);
  EXPECT_TRUE(record) << record.error().message;
  return record ? *record : Record{};
}

Record line(std::string_view text) {
  auto record = parse_line(text);
  EXPECT_TRUE(record) << record.error().message;
  return record ? *record : Record{};
}

TEST(KmsgRecord, IsReadWholeWithItsDictionaryAndCaller) {
  const Record record = kmsg(
      "6,1093,4096000,-,caller=T17;nvidia 0000:2a:00.0: enabling device (0000 -> 0003)\n SUBSYSTEM=pci\n "
      "DEVICE=+pci:0000:2a:00.0\n");
  EXPECT_EQ(record.facility, 0);
  EXPECT_EQ(record.level, 6);
  EXPECT_EQ(record.sequence, 1093U);
  EXPECT_EQ(record.since_boot_us, 4096000);
  EXPECT_EQ(record.caller, "T17");
  EXPECT_EQ(record.message, "nvidia 0000:2a:00.0: enabling device (0000 -> 0003)");
  ASSERT_EQ(record.dictionary.size(), 2U);
  EXPECT_EQ(record.dictionary[1], (std::pair<std::string, std::string>{"DEVICE", "+pci:0000:2a:00.0"}));
}

TEST(KmsgRecord, EscapesAreTakenBackOnceAndWhatIsNotTextIsShownAsBytes) {
  EXPECT_EQ(kmsg("3,5,6,c;a\\x0ab\\x09c").message, "a\nb\tc");
  EXPECT_TRUE(kmsg("3,5,6,c;x").continued);
  EXPECT_EQ(kmsg("3,5,6,-;\\xc3\\xa9").message, "\xc3\xa9");
  EXPECT_EQ(kmsg("3,5,6,-;\\xff\\x00").message, "\\xff\\x00");
  EXPECT_EQ(kmsg("3,5,6,-;back\\x5cslash").message, "back\\slash");
  EXPECT_EQ(kmsg("3,5,6,-;\\x4").message, "\\x4");
}

TEST(KmsgRecord, FacilityAndLevelComeFromThePriority) {
  const Record record = kmsg("11,7,9,-;from a program");
  EXPECT_EQ(record.facility, 1);
  EXPECT_EQ(record.level, 3);
}

TEST(KmsgRecord, ABrokenHeaderIsAnErrorThatNamesIt) {
  for (const std::string_view raw : {"6,1,2;three fields", "6,x,2,-;bad sequence", "x,1,2,-;bad priority", "no header",
                                     "", "6,1,99999999999999999999,-;time", ";", "6,1,-2,-;negative"}) {
    const auto record = parse_kmsg(raw);
    ASSERT_FALSE(record) << raw;
    EXPECT_EQ(record.error().code, Errc::invalid);
    EXPECT_NE(record.error().message.find("kernel record header"), std::string::npos);
  }
}

TEST(KmsgRecord, AMegabyteIsCutNotKept) {
  const Record record = kmsg("6,1,2,-;" + std::string(1 << 20, 'x') + "\n KEY=" + std::string(1 << 20, 'y'));
  EXPECT_EQ(record.message.size(), kMaxMessage);
  ASSERT_EQ(record.dictionary.size(), 1U);
  EXPECT_EQ(record.dictionary[0].second.size(), kMaxMessage);
  std::string escaped = "6,1,2,-;";
  for (int i = 0; i < 100'000; ++i) escaped += "\\xc3\\xa9";
  EXPECT_LE(kmsg(escaped).message.size(), kMaxMessage);
  EXPECT_TRUE(is_utf8(kmsg(escaped).message));
  std::string many = "6,1,2,-;x\n";
  for (int i = 0; i < 10'000; ++i) many += " K=v\n";
  EXPECT_EQ(kmsg(many).dictionary.size(), kMaxDictionary);
}

TEST(Line, EveryHeaderIsTakenOffAndTheMessageStays) {
  const std::string_view message = "NVRM: Xid (PCI:0000:4d:00): 79, GPU has fallen off the bus.";
  for (const std::string_view head :
       {"", "[  123.456789] ", "[  123.456789][  T896] ", "[Tue May  5 10:00:00 2026] ", "[...] ",
        "[2026-06-22 21:55:31.778747][5975154.296056] ", "<3>[  123.456789] ", "<3>",
        "kern  :err   : 2026-02-03T04:05:06,789012+00:00 ", "kern  :err   : [    1.000000] ",
        "kernel: ", "kernel: [123.456789] ", "May  5 10:00:00 gpu-7 kernel: ", "May 15 10:00:00 gpu-7 kernel: [  1.5] ",
        "2026-05-01T10:00:00.123456+00:00 gpu-7 kernel: ", "2026-05-01 10:00:00 gpu-7 kernel: ",
        "Tue May  5 10:00:00 2026 gpu-7 kernel: ", "gpu-7 kernel: ", "kernel: Jan 22 03:04:05 kernel: "}) {
    const Record record = line(std::string(head) + std::string(message));
    EXPECT_EQ(record.message, message) << head;
    EXPECT_EQ(record.facility, 0) << head;
    EXPECT_NE(record.origin, Origin::program) << head;
  }
}

TEST(Line, SecondsSinceBootAreKept) {
  EXPECT_EQ(line("[  123.456789] x").since_boot_us, 123456789);
  EXPECT_EQ(line("[  123.4] x").since_boot_us, 123400000);
}

TEST(Line, ProgramsAreToldFromTheKernel) {
  const Record networkd = line("Aug 17 06:18:01 host systemd-networkd[5398]: ib6: Lost carrier");
  EXPECT_EQ(networkd.origin, Origin::program);
  EXPECT_EQ(networkd.program, "systemd-networkd");
  EXPECT_EQ(networkd.message, "ib6: Lost carrier");
  EXPECT_EQ(line("Aug 17 06:18:01 host some-daemon[5398]: NVRM: Xid (PCI:0000:4d:00): 79").origin, Origin::program);
  EXPECT_EQ(line("<30>[   9.123456] systemd[1]: Inserted module 'fuse'").facility, 3);
  const Record fabric = line("[Jul 23 2026 07:53:55] [ERROR] [tid 841] detected NVSwitch fatal error 20034");
  EXPECT_EQ(fabric.program, "nv-fabricmanager");
  EXPECT_EQ(fabric.message, "detected NVSwitch fatal error 20034");
  EXPECT_EQ(line("python3[44]: segfault at 0 ip 00 sp 00 error 4").message,
            "python3[44]: segfault at 0 ip 00 sp 00 error 4");
}

TEST(Line, ADatedLineOfDmesgNamesNoHost) {
  EXPECT_EQ(line("kern  :err   : 2026-02-03T04:05:06,789012+00:00 nvme nvme6: I/O 22").message, "nvme nvme6: I/O 22");
  EXPECT_EQ(line("May  5 10:00:00 gpu-7 kernel: nvme nvme6: I/O 22").message, "nvme nvme6: I/O 22");
}

TEST(Line, FoldedRepetitionsAreUnfolded) {
  EXPECT_EQ(line("kernel: message repeated 9 times: [ block nvme7n1: no available path - failing I/O]").message,
            "block nvme7n1: no available path - failing I/O");
}

TEST(Line, RawRecordsAreKnownByTheirHeader) {
  EXPECT_EQ(line("4,1227,437812449,c;NVRM: x").sequence, 1227U);
  EXPECT_FALSE(parse_line("6,x,2,-;bad seq"));
  EXPECT_FALSE(parse_line(""));
  EXPECT_EQ(line("1, 2, 3: not a header; just text").message, "1, 2, 3: not a header; just text");
}

}  // namespace
}  // namespace sickbay::rules
