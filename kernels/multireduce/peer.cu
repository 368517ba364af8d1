// Model: n / GPUs inputs read by each GPU. A second launch waits until all GPUs have their tables; each then reads its
// share of the labels from all tables, m / GPUs of each over NVLink, and writes it to the first GPU.
#include "kernels/multireduce/share_of_gpu.hpp"
#include "kernels/reduce/last_block.hpp"

namespace redbench {
namespace {

/// Flags of a GPU: of each other in how many runs it had its table; and of itself how many runs have ended, and the
/// ticket by which the last block of one is found.
constexpr int ended_at = most_gpus, ticket_at = most_gpus + 1;

template <class T>
struct Exchange {
  int rank, gpus;
  OnEach<T> tables, results;
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
    x.results.of[0][l] = reduction;
  }
  if (comes_last(&x.own_flags()[ticket_at]) && threadIdx.x == 0) x.own_flags()[ended_at] = run;
}

struct peer {
  static constexpr Card card{
      .title = "several GPUs, each of which reduces a share of the labels over the tables of all",
      .source = "CUDA C++ Programming Guide, peer-to-peer memory access, memory fence functions",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .parameters = {{share_block}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const Rank rank = this_rank();
    const bool alone = rank.count == 1;
    T* const table = alone ? x.result : queue.scratch<T>(x.m);
    queue.chain(share_of_gpu(queue, x, table) + rank.count);
    if (alone) return;
    constexpr int threads = 256;
    // Blocks that wait for peers keep none of this GPU's waiting.
    const Index resident = persistent_blocks(queue, reduce_tables<Op>, threads, 0);
    const Index blocks = std::min(resident, ceil_div(x.m, Index(threads) * rank.count));
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .bytes_read = x.result_bytes(),
            .bytes_written = x.result_bytes() / rank.count},
           reduce_tables<Op>,
           Exchange<T>{rank.number, rank.count, on_each(table), on_each(x.result), flags_on_each()}, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, peer)
}  // namespace redbench
