#include "agent/pci_detector.hpp"

#include "agent/pci.hpp"
#include "model/fault_names.hpp"

namespace sickbay::agent {

void PciDetector::start(FindingSink& sink, const Saved& saved) {
  sink_ = &sink;
  known_ = saved.gpus;
}

void PciDetector::on_settled() {
  if (in_doubt_) look();
}

void PciDetector::on_hello(wire::Hello& hello) {
  if (const auto devices = accelerators(sys_)) hello.shape = shape_of(*devices);
}

void PciDetector::on_greeted(const wire::HelloReply& reply) {
  expected_ = reply.expected;
  look();
}

void PciDetector::look() {
  in_doubt_ = false;
  if (!expected_) return;
  const auto devices = accelerators(sys_);
  if (!devices) {
    if (expected_->gpus > 0) {
      sink_->broken(name(), name(), "The PCI bus cannot be looked at: " + devices.error().message, {});
    }
    return;
  }
  sink_->mended(name(), name(), "The PCI bus can be looked at again");
  const ActiveFault* missing = sink_->active().find({fault_names::kGpuMissing, ""}, "");
  if (auto finding = compare(*devices, *expected_, known_, missing)) sink_->accept(std::move(*finding));
  std::vector<std::string> addresses;
  for (const PciDevice& device : *devices) {
    if (device.answers) addresses.push_back(device.address);
  }
  if (expected_->gpus > 0 && addresses.size() >= expected_->gpus) known_ = std::move(addresses);
}

}  // namespace sickbay::agent
