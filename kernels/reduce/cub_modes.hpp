// cub::DeviceReduce in a mode of determinism that is not its default, run to run: an environment asks for it, and brings the
// stream and the memory, in CUB from 3.5 on.
#pragma once

#if defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#if CUB_VERSION >= 300500
#define REDBENCH_CUB_HAS_MODES
#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/std/functional>
#include <cuda/stream_ref>
#include <new>
#endif
#endif

#include "kernels/parts/library_reduce.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Modes other than the default are of sums alone.
template <class Op>
constexpr std::string_view refuses_in_modes() {
  constexpr bool number = sizeof(typename Op::Value) >= 4 && std::is_arithmetic_v<typename Op::Value>;
  if (!number || Op::name != Operator::sum) return "CUB has modes of determinism for sums of numbers only";
#if defined(__CUDACC__) && !defined(REDBENCH_CUB_HAS_MODES)
  return "CUB takes a mode of determinism from 3.5 on (cmake -DREDBENCH_CCCL=FOLDER)";
#else
  return {};
#endif
}

#if defined(REDBENCH_CUB_HAS_MODES)
/// The memory of a library call as a resource that CUB asks: it has `memory`, or says in `bytes` how much is asked for.
struct GivenMemory {
  void* memory;
  std::size_t* bytes;

  void* allocate(::cuda::stream_ref, std::size_t asked, std::size_t) { return allocate_sync(asked, 0); }
  void deallocate(::cuda::stream_ref, void*, std::size_t, std::size_t) noexcept {}
  void* allocate_sync(std::size_t asked, std::size_t) {
    *bytes = asked;
    if (memory == nullptr) throw std::bad_alloc();  // ends CUB's call with an error before it launches
    return memory;
  }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept {}
  bool operator==(const GivenMemory&) const = default;
  friend constexpr void get_property(const GivenMemory&, ::cuda::mr::device_accessible) noexcept {}
};

template <class Mode, class Op>
void sum_in_mode(Queue& queue, const Reduce<Op>& x, const Mode& mode) {
  using T = typename Op::Value;
  queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
    std::size_t asked = 0;
    const ::cuda::std::execution::env environment{
        ::cuda::execution::require(mode),
        ::cuda::std::execution::prop{::cuda::get_stream,
                                     ::cuda::stream_ref{static_cast<cudaStream_t>(stream)}},
        ::cuda::std::execution::prop{::cuda::mr::get_memory_resource, GivenMemory{temporary, &asked}}};
    const cudaError_t error =
        ::cub::DeviceReduce::Reduce(x.values, x.result, x.n, ::cuda::std::plus<>(), T(0), environment);
    if (temporary != nullptr) return int(error);
    bytes = asked;
    return int(error == cudaErrorMemoryAllocation ? cudaSuccess : error);
  });
  // Where order is not guaranteed, each block adds its sum by an atomic: five for each of 16 that a multiprocessor holds.
  const int multiprocessors = queue.device().multiprocessors;
  queue.chain(cub_reduce_chain(x.n, multiprocessors) + 5 * 16 * Index(multiprocessors));
}
#endif

}  // namespace REDBENCH_TARGET
}  // namespace redbench
