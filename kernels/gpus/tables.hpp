// Tables of m results by label, one of each GPU's part of the inputs, and how they become one: multireduce's, and
// histogram's, which is the multireduce of ones. A problem's share_of_gpu.hpp makes the table of a rank; `Op` joins two.
#pragma once

#include <algorithm>

#include "kernels/gpus/nccl.hpp"
#include "kernels/reduce/last_block.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int share_loads = 4;
inline constexpr Parameter share_block{
    "block", 1024, 32, 1024, Step::multiple_of_warp, "as privatized's: few tables to join; tuned on an H200"};

/// With what all of their cards say.
constexpr Card card_of_tables(Card card) {
  card.order = Order::commutative;
  card.reproducible = Reproducible::exact;
  card.parameters = {{share_block}};
  return card;
}

/// Flags of a GPU: of each other in how many runs it had its table; and of itself how many runs have ended, and the
/// ticket by which the last block of one is found.
inline constexpr int ended_at = most_gpus, ticket_at = most_gpus + 1;

template <class T>
struct Exchange {
  int rank, gpus;
  OnEach<T> tables;
  OnEach<u32> flags;
  __device__ u32* own_flags() const { return flags.of[rank]; }
};

/// Waits until all GPUs have come to run number `run`. All threads of the block call.
template <class T>
__device__ __forceinline__ void meet(const Exchange<T>& x, u32 run) {
  const int thread = int(threadIdx.x);
  if (thread < x.gpus) {
    if (blockIdx.x == 0) release_system(&x.flags.of[thread][x.rank], run);
    while (acquire_system(&x.own_flags()[thread]) != run) {
    }
  }
  __syncthreads();
}

template <class Op>
__global__ void reduce_tables(Exchange<typename Op::Value> x, Index m) {
  const u32 run = x.own_flags()[ended_at] + 1;
  meet(x, run);
  const Index end = m * (x.rank + 1) / x.gpus, step = Index(gridDim.x) * blockDim.x;
  for (Index l = m * x.rank / x.gpus + Index(blockIdx.x) * blockDim.x + threadIdx.x; l < end; l += step) {
    auto reduction = x.tables.of[0][l];
    for (int r = 1; r < x.gpus; ++r) reduction = Op()(reduction, x.tables.of[r][l]);
    x.tables.of[0][l] = reduction;  // which no other thread reads
  }
  if (comes_last(&x.own_flags()[ticket_at]) && threadIdx.x == 0) x.own_flags()[ended_at] = run;
}

/// Each GPU reduces a share of the labels over the tables of all, which are their results, and writes it to the first's.
template <class Op, class T>
void reduce_by_peers(Queue& queue, T* result, Index m) {
  const Rank rank = this_rank();
  if (rank.count == 1) return;
  constexpr int threads = 256;
  const double bytes = double(m) * sizeof(T);
  // Blocks that wait for peers keep none of this GPU's waiting.
  const Index resident = persistent_blocks(queue, reduce_tables<Op>, threads, 0);
  launch(queue,
         {.blocks = std::min(resident, ceil_div(m, Index(threads) * rank.count)),
          .threads = threads,
          .bytes_read = bytes,
          .bytes_written = bytes / rank.count},
         reduce_tables<Op>, Exchange<T>{rank.number, rank.count, on_each(result), flags_on_each()}, m);
}

/// The CPU joins the tables, which are the results of all ranks, into the first's.
template <class Op, class T>
void reduce_on_host(Queue& queue, T* result, Index m) {
  const Rank rank = this_rank();
  join_on_host(queue, result, std::size_t(m) * sizeof(T), [=](void* all) {
    T* const tables = static_cast<T*>(all);
    for (int r = 1; r < rank.count; ++r)
      for (Index l = 0; l < m; ++l) tables[l] = Op()(tables[l], tables[r * m + l]);
  });
}

/// Room for a table of as many equal parts as there are ranks. A GPU alone makes its table in the result.
template <class T>
T* table_in_parts(Queue& queue, T* result, Index m) {
  const Index ranks = this_rank().count;
  return ranks == 1 ? result : queue.scratch<T>(ceil_div(m, ranks) * ranks);
}

/// Each GPU's result gets the reductions of its part of the labels. Of m that is no multiple of the ranks a last part has
/// fewer, or none: what NCCL makes of the table's end is not of the result.
template <class Op, class T>
void reduce_into_parts_by_nccl(Queue& queue, const T* table, T* result, Index m) {
  const Rank rank = this_rank();
  const Index part = ceil_div(m, Index(rank.count));
  reduce_scatter_by_nccl<Op>(queue, table, result, part);
  leave_part(queue, result, std::size_t(std::clamp<Index>(m - rank.number * part, 0, part)) * sizeof(T));
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
