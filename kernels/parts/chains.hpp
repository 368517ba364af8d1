// The longest chain of operator applications from an input to a result, for Queue::chain: how the bounds
// follow from the kernels.
//
// A result that is reached by at most k rounded operations is off by at most gamma(k) = k u / (1 - k u) of
// the sum of its inputs' magnitudes, u the unit roundoff, whatever the order (Higham 2002, 4.2). So what
// counts is depth, not work. The depth of the steps that kernels are made of:
//   a loop of one thread over c values                c
//   ... whose values are w at once, as a tree         c / w + w, the tail included
//   n values shared out over t threads                ceil(n / t)
//   a tree over t values, t a power of two            log2 t: 5 for a warp's 32 lanes
//   trees of warps, then one over the warps' values   5 + 5 for a block of up to 1024 threads
//   an inclusive scan of a warp, by doubling          5
//   an exclusive scan of a block, by its warps'       5 + 5, and 1 that puts both together
//   atomics that k threads or blocks make             k: one may come after all others
// Steps that follow each other add up, in one launch or in several. An operation with the identity does not
// round; where one is counted, the bound is only looser. Bounds need not be the least: they must hold, and
// must not swallow a wrong result (src/cell/validate.cpp).
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "kernels/rounding.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// A binary tree over `values`, a power of two.
template <class Int>
constexpr Index tree_chain(Int values) {
  return std::bit_width(std::make_unsigned_t<Int>(values)) - 1;
}

/// multiscan/vector_scan: on each level a block's sweep up and its sweep down, and what comes before it; one
/// more, where an inclusive scan adds the value itself.
constexpr Index vector_scan_chain(Index levels, Index block) {
  return levels * (2 * std::bit_width(std::uint64_t(block)) + 1) + 1;
}

/// The trees and scans of parts/block_shuffle.hpp and parts/block_scan.hpp.
inline constexpr Index warp_reduce_chain = 5, block_reduce_chain = 2 * warp_reduce_chain;
inline constexpr Index warp_scan_chain = 5, block_scan_chain = 2 * warp_scan_chain + 1;

/// A thread of `threads` that each take vectors of `width` values, a grid apart (parts/grid_stride.hpp).
constexpr Index grid_stride_chain(Index n, int width, Index threads) {
  return ceil_div(n / width, threads) + width;
}

/// A data-block as a matrix of 32 rows of `width` values: a row, then the tree over the rows. The segmented
/// one also updates the output.
constexpr Index matrix_chain(int width) { return width - 1 + warp_reduce_chain; }
constexpr Index segmented_matrix_chain(int width) { return width + warp_reduce_chain; }

/// The last two phases of multiscan/partitioned_scan.hpp: a block of 256 threads goes through a label's
/// buckets in steps of 8 a thread. A step adds one operation to what the steps before it hand on, and one is
/// a thread's own 8, a block's scan and three operations that put its parts together.
inline Index partitioned_scan_chain(Index segments) {
  return ceil_div(segments, 256 * 8) + 8 + block_scan_chain + 3;
}

/// Parts of `length` inputs over sets of one bucket for each of `banks` banks: a bucket's share, the sets,
/// the parts' atomics; two more, as neither share nor parts need divide evenly
/// (multireduce/bank_buckets.hpp).
constexpr Index bank_chain(Index length, Index banks, Index parts) {
  return length / banks + banks + parts + 2;
}

/// A chain of `length` operations in a type whose significand has `more_bits` bits more than the result's, in
/// roundings of the result's type: 2^29 in double are one in single. Two more: remainder and last conversion.
constexpr Index wider_chain(Index length, int more_bits) {
  return more_bits == 0 ? length : 2 + (length >> more_bits);
}

// Upper bounds for libraries; the constants stand for the trees of their blocks.

/// cub::DeviceReduce. Its grid has up to five blocks for each that a multiprocessor holds, of at least 128
/// threads that each take their share one after the other, in steps of up to 20 values; a second, single
/// block follows (CCCL 3.0, tuning_reduce.cuh).
constexpr Index cub_reduce_chain(Index n, int multiprocessors) {
  return n / (5 * Index(multiprocessors) * 128) + 128;
}

/// cub::DeviceSegmentedReduce: a block of at least 128 threads takes a segment, which may be all of the
/// input.
constexpr Index cub_segmented_chain(Index n) { return n / 128 + 128; }

/// A reduction or a scan by key in one pass of tiles: a tile has at least 256 values and adds one operation
/// to what the tiles before it hand on, besides its own scan.
constexpr Index by_key_chain(Index n) { return n / 256 + 128; }

}  // namespace REDBENCH_TARGET
}  // namespace redbench
