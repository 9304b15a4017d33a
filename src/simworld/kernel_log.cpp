// What simulated kernels print.
#include "simworld/kernel_log.hpp"

#include <fmt/core.h>

#include <array>

namespace sickbay::simworld {

std::string raw_record(const LogRecord& record) {
  return fmt::format("{},{},{},-;{}", record.level, record.sequence, record.since_boot_us, record.text);
}

const std::vector<FaultKind>& fault_kinds() {
  static const std::vector<FaultKind> kinds{
      {"xid-31", Action::none, "a job's own memory fault: nothing to repair"},
      {"xid-48", Action::reboot, "uncorrectable double-bit error"},
      {"xid-63", Action::reboot, "a row waits to be remapped"},
      {"xid-74", Action::reboot, "NVLink error"},
      {"xid-79", Action::migrate, "GPU has fallen off the bus"},
      {"xid-95", Action::reboot, "uncontained memory error"},
      {"xid-109", Action::reboot, "context switch timeout"},
      {"xid-119", Action::reboot, "the GPU's system processor does not answer"},
      {"xid-149", Action::reboot, "NVLink 5 link down"},
      {"ecc", Action::reboot, "uncorrectable double-bit error and its remap"},
      {"nvlink", Action::reboot, "NVLink error"},
      {"sxid", Action::reboot, "fatal NVSwitch error"},
      {"mlx5", Action::migrate, "a network adapter's health is compromised"},
      {"xfs", Action::reprovision, "XFS shut a file system down"},
      {"ext4", Action::reprovision, "ext4 remounted a file system read-only"},
      {"oops", Action::reboot, "kernel oops"},
      {"hung", Action::reboot, "tasks hang in the kernel"},
      {"lockup", Action::reboot, "soft lockup"},
      {"edac", Action::migrate, "uncorrectable memory error"},
      {"aer", Action::migrate, "fatal PCIe error"},
  };
  return kinds;
}

const FaultKind* find_fault_kind(std::string_view name) {
  for (const FaultKind& kind : fault_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

std::string gpu_address(std::uint32_t gpu) {
  static constexpr std::array<std::string_view, 8> buses{"18", "2a", "3a", "5d", "9a", "ab", "ba", "db"};
  if (gpu < buses.size()) return fmt::format("0000:{}:00", buses[gpu]);
  return fmt::format("0001:{:02x}:00", 16 + gpu);
}

std::vector<Line> healthy_boot(std::uint32_t gpus) {
  std::vector<Line> lines{
      {5,
       "Linux version 6.8.0-52-generic (buildd@lcy02-amd64-046) (x86_64-linux-gnu-gcc-13 (Ubuntu 13.3.0) 13.3.0) "
       "#53-Ubuntu SMP PREEMPT_DYNAMIC"},
      {6, "Command line: BOOT_IMAGE=/vmlinuz-6.8.0-52-generic root=/dev/nvme0n1p2 ro console=ttyS0"},
      {6, "DMI: simulated GPU server, BIOS 1.0 01/01/2026"},
      {6,
       "EDAC MC0: Giving out device to module i10nm_edac controller Intel_10nm Socket#0 IMC#0: DEV 0000:7e:0c.0 "
       "(INTERRUPT)"},
      {5, "SGI XFS with ACLs, security attributes, realtime, quota, no debug enabled"},
      {5, "XFS (nvme0n1p2): Mounting V5 Filesystem"},
      {6, "XFS (nvme0n1p2): Ending clean mount"},
      {6, "mlx5_core 0000:5c:00.0: firmware version: 28.39.1002"},
      {6, "mlx5_core 0000:5c:00.0: Port module event: module 0, Cable plugged"},
      {4, "nvidia: loading out-of-tree module taints kernel."},
      {6, "nvidia-nvlink: Nvlink Core is being initialized, major device number 237"},
      {4, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.86.15  Mon Jan 27 20:44:08 UTC 2025"}};
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    lines.push_back({6, fmt::format("nvidia {}.0: enabling device (0000 -> 0002)", gpu_address(gpu))});
  }
  lines.push_back({6, "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms  570.86.15"});
  lines.push_back({6, "IPv6: ADDRCONF(NETDEV_CHANGE): ib0: link becomes ready"});
  return lines;
}

namespace {

std::vector<Line> xid(std::uint32_t gpu, int code, std::string_view text) {
  return {{4, fmt::format("NVRM: Xid (PCI:{}): {}, {}", gpu_address(gpu), code, text)}};
}

std::vector<Line> gpu_lines(std::string_view kind, std::uint32_t gpu) {
  const std::string address = gpu_address(gpu);
  if (kind == "xid-31") {
    return xid(gpu, 31,
               "pid=48211, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted "
               "@ 0x7f3a_4c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ");
  }
  if (kind == "xid-48" || kind == "ecc") {
    auto lines = xid(gpu, 48,
                     "pid=48211, name=python3, An uncorrectable double bit error (DBE) has been detected on GPU in the "
                     "framebuffer at partition 6, subpartition 0.");
    if (kind == "ecc") {
      lines.push_back({4, fmt::format("NVRM: Xid (PCI:{}): 63, pid=48211, name=python3, Row Remapper: New row marked "
                                      "for remapping, reset gpu to activate.",
                                      address)});
      lines.push_back({4, fmt::format("NVRM: Xid (PCI:{}): 45, pid=48211, name=python3, Ch 00000008", address)});
    }
    return lines;
  }
  if (kind == "xid-63") {
    return xid(gpu, 63, "pid=48211, name=python3, Row Remapper: New row marked for remapping, reset gpu to activate.");
  }
  if (kind == "xid-74" || kind == "nvlink") {
    return xid(gpu, 74,
               "pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 3(0x10000, 0x0, 0x0, 0x0, 0x0, "
               "0x0, 0x0)");
  }
  if (kind == "xid-79") {
    auto lines = xid(gpu, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.");
    lines.push_back({4, fmt::format("NVRM: GPU {}.0: GPU has fallen off the bus.", address)});
    return lines;
  }
  if (kind == "xid-95") {
    return xid(gpu, 95, "pid=48211, name=python3, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No");
  }
  if (kind == "xid-109") {
    return xid(gpu, 109, "pid=48211, name=python3, Ch 00000018, errorString CTX SWITCH TIMEOUT, Info 0x5c00a");
  }
  if (kind == "xid-119") {
    auto lines = xid(gpu, 119,
                     "pid=48211, name=nvidia-smi, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected "
                     "function 76 (GSP_RM_CONTROL) (0x20801348 0x410).");
    lines.push_back({4, fmt::format("NVRM: Xid (PCI:{}): 45, pid=48211, name=python3, Ch 00000008", address)});
    return lines;
  }
  if (kind == "xid-149") {
    return xid(
        gpu, 149,
        "NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)");
  }
  return {};
}

}  // namespace

std::vector<Line> fault_lines(std::string_view kind, std::uint32_t gpu) {
  if (auto lines = gpu_lines(kind, gpu); !lines.empty()) return lines;
  if (kind == "sxid") {
    return {
        {4, "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up"},
        {4, "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Severity 1 Engine instance 30 Sub-engine instance 00"}};
  }
  if (kind == "mlx5") {
    return {{3, "mlx5_core 0000:5c:00.0: poll_health:819:(pid 0): device's health compromised - reached miss count"},
            {3, "mlx5_core 0000:5c:00.0: print_health_info:431:(pid 0): synd 0x8: unrecoverable hardware error"}};
  }
  if (kind == "xfs") {
    return {{1, "XFS (nvme1n1): log I/O error -5"},
            {1, "XFS (nvme1n1): Filesystem has been shut down due to log error (0x2)."},
            {1, "XFS (nvme1n1): Please unmount the filesystem and rectify the problem(s)."}};
  }
  if (kind == "ext4") {
    return {{2, "EXT4-fs error (device nvme1n1): ext4_journal_check_start:83: comm kubelet: Detected aborted journal"},
            {2, "EXT4-fs (nvme1n1): Remounting filesystem read-only"}};
  }
  if (kind == "oops") {
    return {{1, "BUG: unable to handle page fault for address: ffffffffc0a81b20"},
            {1, "#PF: supervisor write access in kernel mode"},
            {4, "Oops: 0002 [#1] PREEMPT SMP NOPTI"}};
  }
  if (kind == "hung") {
    return {{3, "INFO: task kworker/u256:3:48211 blocked for more than 120 seconds."},
            {3, "      Tainted: P           OE      6.8.0-52-generic #53-Ubuntu"}};
  }
  if (kind == "lockup") return {{0, "watchdog: BUG: soft lockup - CPU#14 stuck for 26s! [python3:48211]"}};
  if (kind == "edac") {
    return {{0,
             "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x3f5b2a "
             "offset:0x0 grain:32)"}};
  }
  if (kind == "aer") {
    return {{3, fmt::format("pcieport 0000:17:01.0: AER: Uncorrected (Fatal) error received: {}.0", gpu_address(gpu))},
            {3, fmt::format(
                    "nvidia {}.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)",
                    gpu_address(gpu))}};
  }
  return {};
}

}  // namespace sickbay::simworld
