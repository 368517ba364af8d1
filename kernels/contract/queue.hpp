// A variant's queue as the harness has it: what plans a case and what executes it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/variant.hpp"

namespace redbench {

class Device;
struct Footprint;
struct LaunchFacts;
using Parameters = std::vector<std::pair<std::string, Index>>;

/// A kernel with its arguments, untyped: what `launch` makes for the device.
struct KernelCall {
  const void* function;
  void** arguments;
  void (*invoke)(const void* function, void** arguments);  // null on cuda, where the runtime unpacks them
  Grid grid;
};

/// Every Queue is one of these.
class CaseQueue : public Queue {
 public:
  /// Plans: writes what `run` asks for to `footprint`.
  CaseQueue(Device& device, const Parameters& parameters, Footprint& footprint);
  /// Executes: hands out `scratch` (one pointer for each request of `planned`, in order).
  CaseQueue(Device& device, const Parameters& parameters, const Footprint& planned,
            const std::vector<void*>& scratch);

  static CaseQueue& of(Queue& queue) { return static_cast<CaseQueue&>(queue); }
  static const CaseQueue& of(const Queue& queue) { return static_cast<const CaseQueue&>(queue); }

  bool planning() const { return footprint_ != nullptr; }
  /// Forwards to Queue's, whose name compiled launches hold: it stays, so that their code stays.
  void submit(const KernelCall& call) { Queue::submit(call); }
  /// Registers per thread on the card, for the occupancy of a device that does not know them.
  void assume_registers(int registers) { assumed_registers_ = registers; }
  /// Blocks of this shape that one multiprocessor holds at once (the occupancy calculator).
  int resident_blocks(const KernelCall& call) const { return Queue::resident_blocks(call); }

 private:
  friend class Queue;
  LaunchFacts describe(const KernelCall& call) const;

  Device& device_;
  const Parameters& parameters_;
  Footprint* footprint_ = nullptr;
  const Footprint* planned_ = nullptr;
  const std::vector<void*>* scratch_ = nullptr;
  std::size_t next_scratch_ = 0;
  int assumed_registers_ = 0;
};

}  // namespace redbench
