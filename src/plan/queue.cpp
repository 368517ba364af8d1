// What a variant's `run` works on: see kernels/variant.hpp.
#include <algorithm>
#include <stdexcept>

#include "src/device/device.hpp"
#include "src/error.hpp"
#include "src/text/nearest.hpp"

namespace redbench {

std::size_t Footprint::scratch_bytes() const {
  constexpr std::size_t alignment = 256;
  std::size_t total = 0;
  for (std::size_t bytes : scratch) total += round_up(bytes, alignment);
  return total;
}

Queue::Queue(Device& device, const Parameters& parameters, Footprint& footprint)
    : device_(device), parameters_(parameters), footprint_(&footprint) {
  footprint = {};
}

Queue::Queue(Device& device, const Parameters& parameters, const Footprint& planned,
             const std::vector<void*>& scratch)
    : device_(device), parameters_(parameters), planned_(&planned), scratch_(&scratch) {}

const DeviceFacts& Queue::device() const { return device_.facts(); }

Index Queue::parameter(std::string_view name) const {
  std::vector<std::string> known;
  for (const auto& [candidate, value] : parameters_) {
    if (candidate == name) return value;
    known.push_back(candidate);
  }
  throw std::logic_error("`run` asks for the parameter `" + std::string(name) + "`, its card has " +
                         (known.empty() ? "none" : alternatives(known)));
}

void* Queue::scratch_bytes(std::size_t bytes) {
  if (planning()) {
    footprint_->scratch.push_back(bytes);
    return nullptr;
  }
  if (next_scratch_ == scratch_->size()) throw DeviceError("asked for more scratch than planned");
  return (*scratch_)[next_scratch_++];
}

void Queue::chain(Index length) {
  if (planning()) footprint_->chain = length;
}

void Queue::refuse(const std::string& why) const { throw Refusal(why); }

void Queue::on_host(const std::function<void()>& step) {
  if (planning()) return;
  if (device_.target() != Target::host) device_.finish();  // the step reads what was enqueued before it
  step();
  // On the modelled device a step stands in for a library call, which has written the scratch memory that was
  // asked for before it.
  if (device_.target() != Target::simt) return;
  for (std::size_t i = 0; i < next_scratch_; ++i)
    device_.upload((*scratch_)[i], (*scratch_)[i], planned_->scratch.at(i));
}

void Queue::library(const LibraryCall& call) {
  if (planning()) {
    footprint_->library = true;
    scratch_bytes(device_.library_bytes(call));
    return;
  }
  const std::size_t request = next_scratch_;
  void* const temporary = scratch_bytes(0);
  device_.execute_library(call, temporary, planned_->scratch.at(request));
}

LaunchFacts Queue::describe(const KernelCall& call) const {
  LaunchFacts launch = device_.describe(call);
  if (launch.registers == 0 && assumed_registers_ > 0)
    model_occupancy(device_.facts(), assumed_registers_, launch);
  return launch;
}

void Queue::submit(const KernelCall& call) {
  if (planning()) footprint_->launches.push_back(describe(call));
  else device_.execute(call);
}

int Queue::resident_blocks(const KernelCall& call) const {
  // At least one, so that `run` may divide by it; the plan refuses a block that fits nowhere.
  return std::max(1, describe(call).resident_blocks);
}

}  // namespace redbench
