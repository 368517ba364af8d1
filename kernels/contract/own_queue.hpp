// Calls a variant without the harness: launches go to the caller's stream, scratch memory is the caller's. A program
// includes this first, then the file of the variant, and is compiled by nvcc (examples/).
//
//   Caller caller(stream);
//   const auto bytes = caller.scratch_bytes<by_turns>(problem);   // nothing is launched
//   caller.run<by_turns>(problem, scratch);                       // nothing is waited for, no memory is made
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/variant.hpp"

// The variant's file registers nothing, so that only what the program calls is compiled.
#undef REDBENCH_VARIANT
#define REDBENCH_VARIANT(Problem, Variant)

namespace redbench {

inline void check_cuda(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

/// The GPU at hand, and the stream.
class Device {
 public:
  explicit Device(cudaStream_t stream) : stream(stream) {
    int ordinal;
    cudaDeviceProp gpu;
    check_cuda(cudaGetDevice(&ordinal));
    check_cuda(cudaGetDeviceProperties(&gpu, ordinal));
    facts = {.name = gpu.name,
             .capability = gpu.major * 10 + gpu.minor,
             .multiprocessors = gpu.multiProcessorCount,
             .max_threads_per_block = gpu.maxThreadsPerBlock,
             .max_blocks = gpu.maxBlocksPerMultiProcessor,
             .max_warps = gpu.maxThreadsPerMultiProcessor / gpu.warpSize,
             .shared_bytes = gpu.sharedMemPerMultiprocessor,
             .shared_bytes_per_block = gpu.sharedMemPerBlockOptin,
             .shared_bytes_reserved = gpu.reservedSharedMemPerBlock,
             .registers = gpu.regsPerMultiprocessor,
             .l2_bytes = std::size_t(gpu.l2CacheSize),
             .memory_bytes = gpu.totalGlobalMem};
  }
  DeviceFacts facts;
  cudaStream_t stream;
};

/// Scratch memory that a variant asks for, in order.
struct Footprint {
  std::vector<std::size_t> scratch;
};

inline CaseQueue::CaseQueue(Device& device, const Parameters& parameters, Footprint& footprint)
    : device_(device), parameters_(parameters), footprint_(&footprint) {}
inline CaseQueue::CaseQueue(Device& device, const Parameters& parameters, const Footprint& planned,
                            const std::vector<void*>& scratch)
    : device_(device), parameters_(parameters), planned_(&planned), scratch_(&scratch) {}

inline const DeviceFacts& Queue::device() const { return CaseQueue::of(*this).device_.facts; }
inline Index Queue::parameter(std::string_view name) const {
  for (const auto& [known, value] : CaseQueue::of(*this).parameters_)
    if (known == name) return value;
  throw std::logic_error("no parameter " + std::string(name));
}
inline void* Queue::scratch_bytes(std::size_t bytes) {
  CaseQueue& own = CaseQueue::of(*this);
  if (!own.planning()) return own.scratch_->at(own.next_scratch_++);
  own.footprint_->scratch.push_back(bytes);
  return nullptr;
}
inline void Queue::chain(Index) {}
inline void Queue::refuse(const std::string& why) const { throw std::invalid_argument(why); }
inline void Queue::on_host(const std::function<void()>&) { refuse("a step on the CPU would wait"); }
inline std::size_t Queue::library_bytes(const LibraryCall& call) {
  std::size_t bytes = 0;
  check_cuda(cudaError_t(call(nullptr, bytes, CaseQueue::of(*this).device_.stream)));
  return std::max<std::size_t>(bytes, 1);
}
inline void Queue::library(const LibraryCall& call) {
  CaseQueue& own = CaseQueue::of(*this);
  std::size_t bytes = own.planning() ? library_bytes(call) : own.planned_->scratch.at(own.next_scratch_);
  void* const temporary = scratch_bytes(bytes);
  if (!own.planning()) check_cuda(cudaError_t(call(temporary, bytes, own.device_.stream)));
}
inline void Queue::submit(const KernelCall& call) {
  const CaseQueue& own = CaseQueue::of(*this);
  if (own.planning()) return;
  const Grid& grid = call.grid;
  check_cuda(cudaFuncSetAttribute(call.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(grid.shared_bytes)));
  const dim3 blocks(unsigned(grid.blocks)), threads(unsigned(grid.threads));
  const cudaStream_t stream = own.device_.stream;
  check_cuda(grid.cooperative ? cudaLaunchCooperativeKernel(call.function, blocks, threads, call.arguments,
                                                            grid.shared_bytes, stream)
                              : cudaLaunchKernel(call.function, blocks, threads, call.arguments,
                                                 grid.shared_bytes, stream));
}
inline int Queue::resident_blocks(const KernelCall& call) const {
  int blocks = 0;
  check_cuda(cudaFuncSetAttribute(call.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  int(call.grid.shared_bytes)));
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, call.function, call.grid.threads,
                                                           call.grid.shared_bytes));
  return std::max(1, blocks);
}

/// Calls variants. Throws std::invalid_argument where the variant refuses, std::runtime_error where CUDA fails.
class Caller {
 public:
  explicit Caller(cudaStream_t stream) : device_(stream) {}

  /// `chosen`: parameters other than the card's defaults.
  template <class Variant, class Problem>
  std::size_t scratch_bytes(const Problem& problem, const Parameters& chosen = {}) {
    std::size_t total = 0;
    for (const std::size_t bytes : plan<Variant>(problem, all<Variant>(chosen)).scratch)
      total += round_up(bytes, alignment);
    return total;
  }

  /// Launches. `scratch`: as much memory as above says, aligned to 256 bytes.
  template <class Variant, class Problem>
  void run(const Problem& problem, void* scratch, const Parameters& chosen = {}) {
    const Parameters parameters = all<Variant>(chosen);
    const Footprint planned = plan<Variant>(problem, parameters);
    std::vector<void*> places;
    auto* next = static_cast<unsigned char*>(scratch);
    for (const std::size_t bytes : planned.scratch) {
      places.push_back(next);
      next += round_up(bytes, alignment);
    }
    CaseQueue queue(device_, parameters, planned, places);
    Variant::run(queue, problem);
  }

 private:
  static constexpr std::size_t alignment = 256;

  template <class Variant>
  static Parameters all(Parameters parameters) {
    for (const Parameter& one : Variant::card.parameters)
      if (!one.name.empty()) parameters.emplace_back(one.name, one.fallback);  // the first of a name counts
    return parameters;
  }

  template <class Variant, class Problem>
  Footprint plan(const Problem& problem, const Parameters& parameters) {
    Footprint footprint;
    CaseQueue queue(device_, parameters, footprint);
    Variant::run(queue, problem);
    return footprint;
  }

  Device device_;
};

}  // namespace redbench
