// Segmented reduction by trees and rows (Martin 2012, IV.A): what all its variants share.
//
// A node of a tree holds the reduction of one segment of its range and that segment's owner; where two nodes
// of different owners meet, one of them goes to the output at once and the other stays. Left-storing keeps
// the first segment of the range, right-storing the last. What a data-block keeps is its carry, and the next
// pass reduces the carries in order, as a segmented input of their own.
//
// Why no two threads update one output at a time, though nothing here is atomic. Left-storing: a node updates
// the owner o of its right child where its left child's first value has another owner. So o starts within the
// node but not at its first value, and the right child starts at or after the start p of o. Of all nodes of
// one level, in all blocks of a pass, only one contains p; between levels there is a barrier of the block or
// the warp. The carries of a pass are read, and their owners updated, by the next launch. Why the order is
// kept: the nodes that contain p cover ranges to the right of p one after the other from one level to the
// next, so each update is later in the input than all before it. Right-storing is the mirror image: only the
// node that contains the last value of o, but does not end with it, updates o, each update earlier in the
// input than all before it.
#pragma once

#include <algorithm>

#include "kernels/parts/fill.hpp"
#include "kernels/segreduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Left-storing: `left` keeps the pair's reduction where the owners are equal; else the right value goes to
/// its owner's output, behind what is there.
template <class Op>
__device__ __forceinline__ void reduce_to_left(typename Op::Value* output, typename Op::Value& left,
                                               u32 left_owner, typename Op::Value right, u32 right_owner) {
  const Op op;
  if (left_owner != right_owner) output[right_owner] = op(output[right_owner], right);
  else left = op(left, right);
}

/// Right-storing: the left value goes to its owner's output, before what is there, where the owners differ.
template <class Op>
__device__ __forceinline__ void reduce_to_right(typename Op::Value* output, typename Op::Value left,
                                                u32 left_owner, typename Op::Value& right, u32 right_owner) {
  const Op op;
  if (left_owner != right_owner) output[left_owner] = op(left, output[left_owner]);
  else right = op(left, right);
}

/// The carry of each data-block of a pass: what the next pass reduces. The last pass has one block, whose
/// carry goes to the output.
template <class T>
struct Carries {
  T* values;
  u32* owners;
};

/// Hands on a block's carry. One thread calls. The last pass's carry is the first or the last segment of the
/// whole input, which nobody had to update: its output still is the identity.
template <class T>
__device__ void hand_on(Carries<T> carries, T* output, T value, u32 owner) {
  if (gridDim.x == 1) {
    output[owner] = value;
  } else {
    carries.values[blockIdx.x] = value;
    carries.owners[blockIdx.x] = owner;
  }
}

/// A kernel of one pass: (values, owners, n, output, carries), n > 0.
template <class T>
using SegmentedKernel = void(const T*, const u32*, Index, T*, Carries<T>);

/// Shape of a pass. `chain` is the longest chain of operations within a block, an update of the output
/// included.
struct SegmentedPass {
  Index tile;
  int threads;
  std::size_t shared_bytes;
  Index chain;
};

/// The grid of one launch over n values.
template <class T>
Grid segmented_grid(Index n, Index blocks, int threads, std::size_t shared_bytes) {
  constexpr double pair_bytes = sizeof(T) + sizeof(u32);
  return {.blocks = blocks,
          .threads = threads,
          .shared_bytes = shared_bytes,
          .bytes_read = double(n) * pair_bytes,
          .bytes_written = double(blocks) * pair_bytes};
}

/// Passes until one carry remains, after the output was set to the identity.
template <class Op>
void segmented_multi_pass(Queue& queue, const SegReduce<Op>& x, const SegmentedPass& pass,
                          SegmentedKernel<typename Op::Value>* kernel) {
  using T = typename Op::Value;
  x.needs_owners(queue);
  fill(queue, x.result, x.m, Op::identity());

  const Index most = ceil_div(x.n, pass.tile);
  Carries<T> carries[2];
  for (auto& [values, owners] : carries) {
    values = queue.scratch<T>(most);
    owners = queue.scratch<u32>(most);
  }
  const T* values = x.values;
  const u32* owners = x.owners;
  Index n = x.n, length = 1;
  for (int number = 0; n > 0; ++number) {
    const Index blocks = ceil_div(n, pass.tile);
    const Carries<T> out = carries[number % 2];
    launch(queue, segmented_grid<T>(n, blocks, pass.threads, pass.shared_bytes), kernel, values, owners, n,
           x.result, out);
    length += pass.chain;
    values = out.values;
    owners = out.owners;
    n = blocks > 1 ? blocks : 0;
  }
  queue.chain(length);
}

/// Number of the owner to load for value i: past the end the last one's, so that the padding, of identities,
/// belongs to the last segment and never ends it.
REDBENCH_HOST_DEVICE constexpr Index owner_index(Index i, Index n) { return i < n ? i : n - 1; }

}  // namespace REDBENCH_TARGET
}  // namespace redbench
