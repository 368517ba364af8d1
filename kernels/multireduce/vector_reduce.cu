#include <bit>

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
namespace {

/// n vectors of m components to gridDim.x, one for each block: component c of vector i is at c * n + i. In
/// the first pass vector i is the identity but for values[i] at component labels[i]; later ones have no
/// labels.
template <class Op>
__global__ void reduce_vectors(const u32* labels, const typename Op::Value* values, Index n, int m,
                               typename Op::Value* out) {
  const Op op;
  auto* const s = dynamic_shared<typename Op::Value>();
  const int block = blockDim.x, t = threadIdx.x;
  const Index i = Index(blockIdx.x) * block + t;

  // Component c of this thread's vector is s[c * block + t]; vectors past the end are identities.
  if (labels == nullptr) {
    for (int c = 0; c < m; ++c) s[c * block + t] = i < n ? values[c * n + i] : Op::identity();
  } else {
    for (int c = 0; c < m; ++c) s[c * block + t] = Op::identity();
    if (i < n) s[labels[i] * block + t] = values[i];
  }
  __syncthreads();

  // Neighbours 2j and 2j + 1 become vector j (Alg. 4.1), which stays in the place of 2j: after each level,
  // every second vector is left.
  for (int stride = 1; stride < block; stride *= 2) {
    const int pairs = block / (2 * stride);
    for (int k = t; k < m * pairs; k += block) {
      auto* const left = s + (k / pairs) * block + 2 * stride * (k % pairs);
      left[0] = op(left[0], left[stride]);
    }
    __syncthreads();
  }
  for (int c = t; c < m; c += block) out[c * Index(gridDim.x) + blockIdx.x] = s[c * block];
}

struct vector_reduce {
  static constexpr Card card{
      .title = "every input as a vector of m components, a tree over neighbours; work n x m",
      .source =
          "Eilers 2014, 4.1, Alg. 4.1; where the vectors live is not said: here in shared memory, one "
          "for each thread of a block, and between passes in global memory",
      .order = Order::any,
      .maximum_m = 256,
      .parameters = {{{"block", 128, 32, 1024, Step::power_of_two,
                       "not printed; vectors of a single digit of components fit beside others"}}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const Index block = queue.parameter("block");
    if (x.n == 0) return fill(queue, x.result, x.m, Op::identity());
    T* between[2];
    for (Index vectors = x.n; T * &memory : between) {
      vectors = ceil_div(vectors, block);
      memory = queue.scratch<T>(vectors > 1 ? vectors * x.m : 0);
    }
    const T* in = x.values;
    Index n = x.n, levels = 0;
    for (int pass = 0; pass == 0 || n > 1; ++pass) {
      const Index blocks = ceil_div(n, block);
      T* const out = blocks > 1 ? between[pass % 2] : x.result;
      const double vector_bytes = double(x.m) * sizeof(T);
      launch(queue,
             {.blocks = blocks,
              .threads = int(block),
              .shared_bytes = std::size_t(block * x.m) * sizeof(T),
              .bytes_read = double(n) * (pass == 0 ? sizeof(u32) + sizeof(T) : vector_bytes),
              .bytes_written = double(blocks) * vector_bytes},
             reduce_vectors<Op>, pass == 0 ? x.labels : nullptr, in, n, int(x.m), out);
      in = out;
      n = blocks;
      levels += std::bit_width(std::uint64_t(block - 1));
    }
    queue.chain(levels);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, vector_reduce)
}  // namespace redbench
