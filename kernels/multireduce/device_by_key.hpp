// Reduction by key of the whole device: on a GPU a call of CUB, on the modelled device a plain loop on the
// CPU (kernels/parts/device_sort.hpp).
#pragma once

#include <algorithm>

#if defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
#endif

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/device_sort.hpp"
#include "kernels/parts/runs.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// One entry for each run of equal labels, in order. The thesis calls Modern GPU's.
template <class Op>
void reduce_by_key(Queue& queue, LabelledValues<typename Op::Value> in, Index n,
                   const Runs<typename Op::Value>& runs) {
#if defined(__CUDACC__)
  queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
    return int(::cub::DeviceReduce::ReduceByKey(temporary, bytes, in.labels, runs.owners, in.values,
                                                runs.values, runs.count, Op(), n,
                                                static_cast<cudaStream_t>(stream)));
  });
#else
  const auto reduce = [=] {
    Index run = -1;
    for (Index i = 0; i < n; ++i) {
      const bool starts = i == 0 || in.labels[i] != in.labels[i - 1];
      run += starts;
      runs.owners[run] = in.labels[i];
      runs.values[run] = starts ? in.values[i] : Op()(runs.values[run], in.values[i]);
    }
    *runs.count = run + 1;
  };
  queue.on_host(reduce);
#endif
}

/// Alg. 4.12, by the lowest `bits` bits of the labels: the inputs are sorted, reduced by key, and the runs
/// put to their labels.
template <class Op>
void sort_and_reduce(Queue& queue, const Multireduce<Op>& x, int bits) {
  using T = typename Op::Value;
  const auto sorted = stable_sort<T>(queue, {x.labels, x.values}, x.n, 0, bits);
  const auto runs = runs_scratch<T>(queue, std::min(x.n, x.m));
  if (x.n > 0) reduce_by_key<Op>(queue, sorted, x.n, runs);
  scatter_runs<Op>(queue, runs, x.result, x.m);
  queue.chain(by_key_chain(x.n));
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
