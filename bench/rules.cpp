// What reading the kernel log costs: lines that mean nothing (nearly all of them), lines that mean something, and the
// memory the rules take in the agent. Prints "name TAB value TAB unit" per figure; each time is the best of five runs.
#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "rules/kernel_log.hpp"

namespace {

using namespace sickbay;
using namespace sickbay::rules;

// Everyday lines in the proportions of a busy node's log; none of them means anything.
constexpr std::array<std::string_view, 16> kQuiet = {
    "6,1001,5206764307,-;IPv6: ADDRCONF(NETDEV_CHANGE): cali0f1e2d3c4b5: link becomes ready",
    "6,1002,5206764310,-;audit: type=1400 audit(1790000000.308:2): apparmor=\"STATUS\" operation=\"profile_load\" "
    "profile=\"unconfined\" name=\"cri-containerd.apparmor.d\" pid=1032 comm=\"apparmor_parser\"",
    "6,1003,5206764312,-,caller=T412;nvidia-nvswitch2: open (major=235)",
    "4,1004,5206764399,-;perf: interrupt took too long (2601 > 2500), lowering kernel.perf_event_max_sample_rate to "
    "76750",
    "6,1005,5206764400,-;eth0: renamed from veth1a2b3c4",
    "6,1006,5206764401,-;EXT4-fs (nvme0n1p2): mounted filesystem 6a1c with ordered data mode. Quota mode: none.",
    "6,1007,5206764402,-;mlx5_core 0000:43:00.1: E-Switch: Total vports 18, per vport: max uc(64) max mc(1024)",
    "6,1008,5206764403,-;NVRM: GPU at PCI:0000:6c:00: GPU-00000000-1111-2222-3333-444444444444",
    "6,1009,5206764404,-;overlayfs: upper fs does not support RENAME_WHITEOUT.",
    "6,1010,5206764405,-;device veth9f8e7d6 entered promiscuous mode",
    "6,1011,5206764406,-;cni0: port 4(veth9f8e7d6) entered forwarding state",
    "5,1012,5206764407,-;XFS (nvme3n1): Ending clean mount",
    "6,1013,5206764408,-;amdgpu 0000:b7:00.0: amdgpu: SRAM ECC is active.",
    "6,1014,5206764409,-;TCP: request_sock_TCP: Possible SYN flooding on port 0.0.0.0:10250. Sending cookies.",
    "6,1015,5206764410,-;pci 0000:8a:00.0: BAR 1 [mem 0x7e000000000-0x7ffffffffff 64bit pref]: assigned",
    "4,1016,5206764411,-;clocksource: Long readout interval, skipping watchdog check: cs_nsec: 1601122334 wd_nsec: 16"};

constexpr std::array<std::string_view, 10> kFaults = {
    "4,2001,6206764307,-;NVRM: Xid (PCI:0000:2a:00): 119, pid=12, name=python3, Timeout after 6s of waiting for RPC "
    "response from GPU1 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x8).",
    "4,2002,6206764307,-;NVRM: Xid (PCI:0018:01:00): 149, NETIR_LINK_EVT  Fatal   XC0 i0 Link 09 (0x025525c6 0x0 0x0 "
    "0x0)",
    "4,2003,6206764307,-;nvidia-nvswitch3: SXid (PCI:0000:4d:00.0): 20034, Fatal, Link 7 LTSSM Fault Up",
    "1,2004,6206764307,-;XFS (dm-9): Log I/O Error (0x2) detected at xlog_ioend_work+0x6d/0x70 [xfs] "
    "(fs/xfs/xfs_log.c:1377).  Shutting down filesystem.",
    "3,2005,6206764307,-;INFO: task ckptwriter:88123 blocked for more than 120 seconds.",
    "3,2006,6206764307,-;mlx5_core 0000:1d:00.0: poll_health:812:(pid 0): device's health compromised - reached miss "
    "count",
    "3,2007,6206764307,-;amdgpu 0000:4d:00.0: amdgpu: socket: 0, die: 1, 3 new uncorrectable hardware errors detected "
    "in "
    "umc block",
    "3,2008,6206764307,-;pcieport 0000:00:05.1: AER: Uncorrected (Fatal) error received: 0000:02:00.0",
    "0,2009,6206764307,-;EDAC MC0: 1 UE memory read error on CPU_SrcID#1_MC#1_Chan#0_DIMM#1 (channel:1 slot:0)",
    "3,2010,6206764307,-;blk_update_request: I/O error, dev nvme1n1, sector 88442 op 0x0:(READ) flags 0x80700"};

// Processor time of this thread: what counts is the cost, however busy the machine is with other things.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double best_seconds(const std::function<void()>& work) {
  double best = 1e9;
  for (int run = 0; run < 5; ++run) {
    const double start = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - start);
  }
  return best;
}

void print(std::string_view name, double value, std::string_view unit) {
  fmt::print("{}\t{:.4g}\t{}\n", name, value, unit);
}

std::vector<Record> parse_all(std::span<const std::string_view> lines) {
  std::vector<Record> records;
  for (const std::string_view line : lines) records.push_back(parse_kmsg(line).value());
  return records;
}

double resident_mib() {
  std::ifstream status("/proc/self/statm");
  long pages = 0, resident = 0;
  status >> pages >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

std::size_t found = 0;  // what the work leaves behind, so that no compiler leaves the work out

void read_times(const KernelLog& log, const std::vector<Record>& records, int times) {
  Context context("00000000-0000-4000-8000-000000000000");
  for (int i = 0; i < times; ++i) {
    for (const Record& record : records) found += log.read(record, context).size();
  }
}

void corpus(const KernelLog& log) {
  std::ifstream in(std::string(SICKBAY_SOURCE_DIR) + "/../shared/fixtures/kmsg_samples.tsv", std::ios::binary);
  std::vector<Record> records;
  for (std::string row; std::getline(in, row);) {
    const auto columns = split(row, '\t');
    if (columns.size() < 4) continue;
    if (auto record = parse_line(columns[2])) records.push_back(std::move(*record));
  }
  if (records.empty()) return;  // the corpus is not part of the project
  const double seconds = best_seconds([&] { read_times(log, records, 100); });
  print("rules_corpus", seconds * 1e9 / (100.0 * static_cast<double>(records.size())), "ns/line");
}

}  // namespace

int main() {
  malloc_trim(0);
  const double before = resident_mib();
  const KernelLog log = KernelLog::built_in();
  malloc_trim(0);
  print("rules_memory_loaded", resident_mib() - before, "MiB");

  const auto quiet = parse_all(kQuiet), faults = parse_all(kFaults);
  constexpr int kTimes = 20'000;
  double seconds = best_seconds([&] { read_times(log, quiet, kTimes); });
  print("rules_quiet_lines", kTimes * static_cast<double>(quiet.size()) / seconds, "lines/s");
  seconds = best_seconds([&] {
    Context context("b");
    for (int i = 0; i < kTimes; ++i) {
      for (const std::string_view line : kQuiet) found += log.read(parse_kmsg(line).value(), context).size();
    }
  });
  print("rules_quiet_lines_parsed", kTimes * static_cast<double>(quiet.size()) / seconds, "lines/s");
  seconds = best_seconds([&] { read_times(log, faults, 2'000); });
  print("rules_matching_line", seconds * 1e6 / (2'000.0 * static_cast<double>(faults.size())), "us/line");
  Record largest;
  largest.message.assign(kMaxMessage, 'N');
  seconds = best_seconds([&] { read_times(log, {largest}, 2'000); });
  print("rules_longest_line", seconds * 1e6 / 2'000.0, "us/line");
  malloc_trim(0);
  print("rules_memory_used", resident_mib() - before, "MiB");
  corpus(log);
  return found == 0 ? 1 : 0;
}
