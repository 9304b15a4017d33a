// The PCI bus as the truth about which accelerators are there (a sick driver cannot be asked): devices by vendor and
// class from sysfs, whether each still answers, and what a difference to the expected shape means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/node.hpp"

namespace sickbay::agent {

struct PciDevice {
  std::string address;  // normalised
  std::string model;    // "10de:2330"
  bool answers = true;  // false: its configuration space reads as ones, the device has left the bus
};

// The accelerators under `sys`/bus/pci/devices: NVIDIA display and 3D controllers, AMD Instinct, Habana Gaudi. Errc::io
// when the bus cannot be listed: not knowing is not the same as none.
Result<std::vector<PciDevice>> accelerators(const std::string& sys);

// "8x10de:2330", by the most frequent model; devices that do not answer count not. No GPU: an empty shape.
Shape shape_of(const std::vector<PciDevice>& devices);

// GpuMissing when fewer devices answer than expected and it is not `active` yet with the same ones missing, its clear
// when all are there and it is active; otherwise nothing. `known` are the addresses seen when the shape was complete.
// The finding has no id and no time yet.
std::optional<Finding> compare(const std::vector<PciDevice>& devices, const Shape& expected,
                               const std::vector<std::string>& known, const ActiveFault* active);

}  // namespace sickbay::agent
