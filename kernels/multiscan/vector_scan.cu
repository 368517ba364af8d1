#include <vector>

#include "kernels/multiscan/partitioned_scan.hpp"
#include "kernels/parts/chains.hpp"

namespace redbench {
namespace {

/// Arguments of a launch over n vectors of m components. In the first pass vector i is made from input i: its
/// value at the component of its label, identities elsewhere. Later passes have no labels, and component c
/// of vector i is at c * n + i.
template <class Op>
struct Vectors {
  using T = typename Op::Value;
  const u32* labels;
  const T* values;
  Index n;
  int m;
  bool inclusive;
  T* result;
  T* totals;  // component c of block b's reduction at c * gridDim.x + b; null: nobody asks
};

/// A block scans blockDim vectors (Alg. 5.1). The result of an input is the component of its label; that of a
/// vector is a vector.
template <class Op>
__global__ void scan_vectors(Vectors<Op> x) {
  using T = typename Op::Value;
  const Op op;
  auto* const s = dynamic_shared<T>();
  const int block = blockDim.x, t = threadIdx.x;
  const Index i = Index(blockIdx.x) * block + t;

  // Component c of this thread's vector is s[c * block + t]; vectors past the end are identities.
  if (x.labels == nullptr) {
    for (int c = 0; c < x.m; ++c) s[c * block + t] = i < x.n ? x.values[c * x.n + i] : Op::identity();
  } else {
    for (int c = 0; c < x.m; ++c) s[c * block + t] = Op::identity();
    if (i < x.n) s[x.labels[i] * block + t] = x.values[i];
  }
  __syncthreads();

  // Calls visit(left, right) for neighbours of the level, component by component.
  const auto each_pair = [&](int stride, const auto& visit) {
    const int pairs = block / (2 * stride);
    for (int k = t; k < x.m * pairs; k += block) {
      auto* const left = s + (k / pairs) * block + 2 * stride * (k % pairs) + stride - 1;
      visit(left[0], left[stride]);
    }
    __syncthreads();
  };
  for (int stride = 1; stride < block; stride *= 2)
    each_pair(stride, [&](T left, T& right) { right = op(left, right); });
  for (int c = t; c < x.m; c += block) {
    T& last = s[c * block + block - 1];
    if (x.totals) x.totals[c * Index(gridDim.x) + blockIdx.x] = last;
    last = Op::identity();
  }
  __syncthreads();
  for (int stride = block / 2; stride > 0; stride /= 2)
    each_pair(stride, [&](T& left, T& right) {
      const T before = right, of_left = left;
      left = before;
      right = op(before, of_left);
    });

  if (i >= x.n) return;
  if (x.labels == nullptr) {
    for (int c = 0; c < x.m; ++c) x.result[c * x.n + i] = s[c * block + t];
  } else {
    const T before = s[x.labels[i] * block + t];
    x.result[i] = x.inclusive ? op(before, x.values[i]) : before;
  }
}

/// A block's totals go before each of its vectors.
template <class Op>
__global__ void put_before_vectors(const typename Op::Value* before, Index blocks, Index n, int m,
                                   typename Op::Value* vectors) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int c = 0; c < m; ++c) vectors[c * n + i] = Op()(before[c * blocks + blockIdx.x], vectors[c * n + i]);
}

struct vector_scan {
  static constexpr Card card{
      .title = "every input as a vector of m components, a scan by up- and downsweep; work n x m",
      .source =
          "Eilers 2014, 5.1, Alg. 5.1 with its misprints mended; where the vectors live and how blocks "
          "are joined is not said: here in shared memory, and by scans of the blocks' totals",
      .order = Order::any,
      .maximum_m = 256,
      .parameters = {{{"block", 128, 32, 1024, Step::power_of_two,
                       "not printed; vectors of a single digit of components fit beside others"}}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    if (x.n == 0) return;
    const Index block = queue.parameter("block");
    const double vector_bytes = double(x.m) * sizeof(T);

    // Level k has counts[k] vectors; those of level 1 and up are the totals of the blocks below, and become
    // what comes before them.
    std::vector<Index> counts{x.n};
    std::vector<T*> vectors{nullptr};
    while (counts.back() > block) {
      counts.push_back(ceil_div(counts.back(), block));
      vectors.push_back(queue.scratch<T>(counts.back() * x.m));
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const bool last = k + 1 == counts.size();
      const double in = k == 0 ? sizeof(u32) + sizeof(T) : vector_bytes,
                   out = k == 0 ? sizeof(T) : vector_bytes;
      const Index blocks = ceil_div(counts[k], block);
      launch(queue,
             {.blocks = blocks,
              .threads = int(block),
              .shared_bytes = std::size_t(block * x.m) * sizeof(T),
              .bytes_read = double(counts[k]) * in,
              .bytes_written = double(counts[k]) * out + (last ? 0 : double(blocks) * vector_bytes)},
             scan_vectors<Op>,
             Vectors<Op>{k == 0 ? x.labels : nullptr, k == 0 ? x.values : vectors[k], counts[k], int(x.m),
                         x.inclusive, k == 0 ? x.result : vectors[k], last ? nullptr : vectors[k + 1]});
    }
    for (std::size_t k = counts.size() - 1; k > 1; --k)
      launch(queue,
             {.blocks = counts[k],
              .threads = int(block),
              .bytes_read = double(counts[k - 1] + counts[k]) * vector_bytes,
              .bytes_written = double(counts[k - 1]) * vector_bytes},
             put_before_vectors<Op>, vectors[k], counts[k], counts[k - 1], int(x.m), vectors[k - 1]);
    if (counts.size() > 1) put_before(queue, x, counts[1], block, vectors[1]);
    queue.chain(vector_scan_chain(Index(counts.size()), block));
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, vector_scan)
}  // namespace redbench
