#include "agent/pci.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/fault_names.hpp"

namespace sickbay::agent {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> hex_file(const std::string& path) {
  const auto text = read_file(path, 64);
  if (!text) return std::nullopt;
  std::string_view digits = trim(*text);
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  return parse_uint(digits, 16);
}

// Vendor and class (base class and subclass), from the PCI ID and class code lists.
bool is_accelerator(std::uint64_t vendor, std::uint64_t type) {
  switch (vendor) {
    case 0x10de:
      return type == 0x0300 || type == 0x0302;  // NVIDIA: VGA, 3D controller
    case 0x1002:
      return type == 0x0380 || type == 0x0302 || type == 0x1200;  // AMD: display, 3D, accelerator
    case 0x1da3:
      return type == 0x1200;  // Habana: accelerator
    default:
      return false;
  }
}

// Reading the configuration space of a device that sleeps would wake it; one that sleeps was there when it went.
bool answers(const std::string& path) {
  if (const auto status = read_file(path + "/power/runtime_status", 64); status && trim(*status) == "suspended") {
    return true;
  }
  // Four bytes and no more: some devices do not take it well when all of it is read.
  const Fd config(::open((path + "/config").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<unsigned char, 4> ids{};
  if (!config || ::pread(config.get(), ids.data(), ids.size(), 0) != 4) return true;  // could not look: as listed
  return !std::all_of(ids.begin(), ids.end(), [](unsigned char byte) { return byte == 0xff; });
}

}  // namespace

Result<std::vector<PciDevice>> accelerators(const std::string& sys) {
  const std::string root = sys + "/bus/pci/devices";
  std::vector<PciDevice> devices;
  std::error_code error;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    const std::string path = it->path().string();
    const auto vendor = hex_file(path + "/vendor");
    const auto type = hex_file(path + "/class");
    if (!vendor || !type || !is_accelerator(*vendor, *type >> 8)) continue;
    const std::string address = normalize_pci(it->path().filename().string());
    if (address.empty()) continue;
    devices.push_back(
        {address, fmt::format("{:04x}:{:04x}", *vendor, hex_file(path + "/device").value_or(0)), answers(path)});
  }
  if (error) return fail(Errc::io, fmt::format("cannot list '{}': {}", root, error.message()));
  std::sort(devices.begin(), devices.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  return devices;
}

Shape shape_of(const std::vector<PciDevice>& devices) {
  std::map<std::string, std::uint32_t> models;
  Shape shape;
  for (const PciDevice& device : devices) {
    if (device.answers) ++models[device.model], ++shape.gpus;
  }
  const auto most =
      std::max_element(models.begin(), models.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (shape.gpus > 0) shape.name = fmt::format("{}x{}", shape.gpus, most->first);
  return shape;
}

std::optional<Finding> compare(const std::vector<PciDevice>& devices, const Shape& expected,
                               const std::vector<std::string>& known, const ActiveFault* active) {
  std::vector<std::string> present, missing;
  for (const PciDevice& device : devices) (device.answers ? present : missing).push_back(device.address);
  for (const std::string& address : known) {
    const auto there = [&](const auto& list) { return std::find(list.begin(), list.end(), address) != list.end(); };
    if (!there(present) && !there(missing)) missing.push_back(address);
  }
  std::sort(missing.begin(), missing.end());

  Finding finding;
  finding.detector = "pci";
  finding.fault = {fault_names::kGpuMissing, ""};
  finding.severity = Severity::critical;
  finding.action = Action::migrate;
  finding.evidence["expected"] = expected.gpus;
  finding.evidence["present"] = present.size();
  finding.evidence["shape"] = expected.name;
  boost::json::array names;
  for (const std::string& address : missing) names.emplace_back(address);
  finding.evidence["missing"] = names;
  if (present.size() >= expected.gpus) {
    if (!active) return std::nullopt;
    finding.kind = FindingKind::clear;
    finding.sentence = fmt::format("All {} GPUs are on the PCI bus again", expected.gpus);
    return finding;
  }
  const boost::json::value* before = active ? active->last.evidence.if_contains("missing") : nullptr;
  if (before && *before == finding.evidence["missing"]) return std::nullopt;
  const std::string which =
      missing.empty()
          ? "which ones was never seen"
          : fmt::format("{} missing: {}", missing.size() == 1 ? "one is" : "these are", fmt::join(missing, ", "));
  finding.sentence = fmt::format("{} of {} GPUs answer on the PCI bus; {}", present.size(), expected.gpus, which);
  return finding;
}

}  // namespace sickbay::agent
