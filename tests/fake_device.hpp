// A device without kernels. Its memory is the host's; a test sets how much of it counts as free.
#pragma once

#include <functional>
#include <memory>

#include "src/device/device.hpp"

namespace redbench {

class FakeDevice : public Device {
 public:
  Target target() const override { return Target::host; }
  std::string name() const override { return "fake"; }
  std::string slug() const override { return "fake"; }
  const DeviceFacts& facts() const override { return facts_; }
  std::size_t free_bytes() const override { return free_; }
  void* allocate(std::size_t bytes) override { return host_->allocate(bytes); }
  void release(void* memory) override { host_->release(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override { host_->upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { host_->download(to, from, bytes); }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    host_->fill(memory, byte, bytes);
  }
  void execute(const KernelCall&) override {}
  void execute_library(const Queue::LibraryCall&, void*, std::size_t) override {}
  std::size_t library_bytes(const Queue::LibraryCall&) override { return 0; }
  LaunchFacts describe(const KernelCall&) const override { return {}; }
  void finish() override { finished_(); }

  std::function<void()> finished_ = [] {};  // called by finish()
  std::size_t free_ = std::size_t(1) << 30;

 protected:
  std::unique_ptr<Device> host_ = make_host();
  DeviceFacts facts_ = host_->facts();
};

}  // namespace redbench
