// The names of the faults that C++ itself makes or must know. All others stand in rules/ alone; what a fault means,
// and who looks because of it, stands there for these too (rules/faults.yaml). A test of the house checks that every
// name here, and every other that stands in a source, exists there.
#pragma once

namespace sickbay::fault_names {

// The node agent
inline constexpr const char* kDetectorBroken = "DetectorBroken";
inline constexpr const char* kGpuMissing = "GpuMissing";
inline constexpr const char* kReadonlyFilesystem = "NpdReadonlyFilesystem";

// What NVIDIA's driver says, read in C++ because its codes are tables
inline constexpr const char* kXidError = "DmesgXidError";
inline constexpr const char* kSxidError = "NvSwitchSxidError";
inline constexpr const char* kFallenOffBus = "DmesgGpuFallenOffBus";

// Crashes of the kernel, whose next lines belong to them
inline constexpr const char* kKernelOops = "KernelOops";
inline constexpr const char* kKernelPanic = "KernelPanic";

// The engine
inline constexpr const char* kAgentSilent = "AgentSilent";
inline constexpr const char* kIdentityConflict = "IdentityConflict";
inline constexpr const char* kUnknownMark = "UnknownMark";
inline constexpr const char* kKubeNodeNotReady = "KubeNodeNotReady";
inline constexpr const char* kSlurmNodeUnavailable = "SlurmNodeUnavailable";
inline constexpr const char* kKubeNodeDiskPressure = "KubeNodeDiskPressure";

}  // namespace sickbay::fault_names
