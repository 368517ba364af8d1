// What a variant's `run` works on: kernels/variant.hpp, kernels/contract/queue.hpp.
#include <fmt/format.h>

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

CaseQueue::CaseQueue(Device& device, const Parameters& parameters, Footprint& footprint)
    : device_(device), parameters_(parameters), footprint_(&footprint) {
  footprint = {};
}

CaseQueue::CaseQueue(Device& device, const Parameters& parameters, const Footprint& planned,
                     const std::vector<void*>& scratch)
    : device_(device), parameters_(parameters), planned_(&planned), scratch_(&scratch) {}

const DeviceFacts& Queue::device() const { return CaseQueue::of(*this).device_.facts(); }

Index Queue::parameter(std::string_view name) const {
  std::vector<std::string> known;
  for (const auto& [candidate, value] : CaseQueue::of(*this).parameters_) {
    if (candidate == name) return value;
    known.push_back(candidate);
  }
  throw std::logic_error("it asks for the parameter `" + std::string(name) + "`, its card has " +
                         (known.empty() ? "none" : alternatives(known)));
}

void* Queue::scratch_bytes(std::size_t bytes) {
  CaseQueue& own = CaseQueue::of(*this);
  if (own.planning()) {
    own.footprint_->scratch.push_back(bytes);
    return nullptr;
  }
  if (own.next_scratch_ == own.scratch_->size()) throw DeviceError("asked for more scratch than planned");
  return (*own.scratch_)[own.next_scratch_++];
}

void Queue::chain(Index length) {
  CaseQueue& own = CaseQueue::of(*this);
  if (own.planning()) own.footprint_->chain = length;
}

void Queue::refuse(const std::string& why) const { throw Refusal(why); }

void Queue::on_host(const std::function<void()>& step) {
  const CaseQueue& own = CaseQueue::of(*this);
  if (own.planning()) return;
  if (own.device_.target() != Target::host)
    own.device_.finish();  // the step reads what was enqueued before it
  step();
  // On the modelled device a step stands in for a library call, which has written the scratch memory that was
  // asked for before it.
  if (own.device_.target() != Target::simt) return;
  for (std::size_t i = 0; i < own.next_scratch_; ++i)
    own.device_.upload((*own.scratch_)[i], (*own.scratch_)[i], own.planned_->scratch.at(i));
}

std::size_t Queue::library_bytes(const LibraryCall& call) {
  CaseQueue& own = CaseQueue::of(*this);
  return own.planning() ? own.device_.library_bytes(call) : 0;
}

void Queue::library(const LibraryCall& call) {
  CaseQueue& own = CaseQueue::of(*this);
  if (own.planning()) {
    own.footprint_->library_calls.push_back(own.footprint_->launches.size());
    scratch_bytes(library_bytes(call));
    return;
  }
  const std::size_t request = own.next_scratch_;
  void* const temporary = scratch_bytes(0);
  own.device_.execute_library(call, temporary, own.planned_->scratch.at(request));
}

LaunchFacts CaseQueue::describe(const KernelCall& call) const {
  LaunchFacts launch = device_.describe(call);
  if (launch.registers == 0 && assumed_registers_ > 0)
    model_occupancy(device_.facts(), assumed_registers_, launch);
  return launch;
}

void Queue::submit(const KernelCall& call) {
  CaseQueue& own = CaseQueue::of(*this);
  if (!own.planning()) return own.device_.execute(call);
  constexpr std::size_t most = std::size_t(1) << 20;  // 256 times as many as any record has
  if (own.footprint_->launches.size() == most)
    throw std::runtime_error(fmt::format("it launches more than {} kernels", most));
  own.footprint_->launches.push_back(own.describe(call));
}

int Queue::resident_blocks(const KernelCall& call) const {
  // At least one, so that `run` may divide by it; the plan refuses a block that fits nowhere.
  return std::max(1, CaseQueue::of(*this).describe(call).resident_blocks);
}

}  // namespace redbench
