// The detectors of an agent, one line each.
#include "agent/detector.hpp"
#include "agent/kernel_log_detector.hpp"
#include "agent/mount_detector.hpp"
#include "agent/pci_detector.hpp"

namespace sickbay::agent {

std::vector<std::unique_ptr<Detector>> make_detectors(const Surroundings& around) {
  std::vector<std::unique_ptr<Detector>> all;
  if (around.config.watch_host) {
    all.push_back(std::make_unique<PciDetector>(around));
    all.push_back(std::make_unique<MountDetector>(around));
  }
  // Last: what it reads at its start makes the others look, and they must stand by then.
  all.push_back(std::make_unique<KernelLogDetector>(around));
  return all;
}

}  // namespace sickbay::agent
