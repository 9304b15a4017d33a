// Counts the accelerators on the PCI bus against the shape the server expects of the node (GpuMissing): at each
// heartbeat, at each hello, and when a kernel line speaks of a device that is lost. What the bus shows is pci.hpp's.
#pragma once

#include <optional>

#include "agent/detector.hpp"

namespace sickbay::agent {

class PciDetector final : public Detector {
 public:
  explicit PciDetector(const Surroundings& around) : sys_(around.config.sys) {}

  std::string_view name() const override { return "pci"; }
  void start(FindingSink& sink, const Saved& saved) override;
  void stop() override {}
  void on_heartbeat() override { look(); }
  void on_hint(const Finding&) override { in_doubt_ = true; }
  void on_gap() override { in_doubt_ = true; }
  void on_settled() override;
  void on_hello(wire::Hello& hello) override;
  void on_greeted(const wire::HelloReply& reply) override;
  void save(Saved& saved) override { saved.gpus = known_; }

 private:
  void look();

  const std::string& sys_;
  FindingSink* sink_ = nullptr;
  std::optional<Shape> expected_;   // what the server says the node should have
  std::vector<std::string> known_;  // addresses seen when the shape was complete
  bool in_doubt_ = false;           // look at the next occasion
};

}  // namespace sickbay::agent
