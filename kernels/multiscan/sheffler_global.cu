#include "kernels/multiscan/sheffler.hpp"

namespace redbench {
namespace {

/// Each block goes through every gridDim.x-th segment with records of its own in global memory; the segment's
/// values and labels are in shared memory.
template <class Op, bool published>
__global__ void scan_segments(Sheffler<Op> x, SpineRecord<typename Op::Value>* records) {
  using T = typename Op::Value;
  const int length = int(blockDim.x * blockDim.x);
  auto* const s_values = dynamic_shared<T>();
  auto* const s_labels = reinterpret_cast<u32*>(s_values + length);
  records += blockIdx.x * (length + x.m);

  for (Index segment = blockIdx.x; segment < x.segments; segment += gridDim.x) {
    const Index first = segment * length;
    const int count = int(x.n - first < length ? x.n - first : length);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
      s_labels[i] = x.labels[first + i];
      s_values[i] = x.values[first + i];
    }
    __syncthreads();
    scan_square<published>(x, segment, count, s_labels, s_values, records);
    __syncthreads();
  }
}

struct sheffler_global {
  static constexpr Card card{
      .title = "Sheffler's spine trees, nodes and buckets of a block's segment in global memory",
      .source =
          "Eilers 2014, 5.4.2, Alg. 5.2; that resident blocks take segment after segment, so that "
          "there are as many sets of records as blocks, is ours",
      .order = Order::any,
      .maximum_m = most_sheffler_labels,
      .parameters = {
          {{"threads", 16, 2, 128, Step::one, "5.4.2: 16 is best for 256 labels; a segment is its square"},
           spine_condition}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    with_condition(queue, [&]<bool published>(std::bool_constant<published>) {
      run_sheffler<Op>(queue, x, queue.parameter("threads"), [&](const Sheffler<Op>& all) {
        launch_resident(queue, x, all, scan_segments<Op, published>);
      });
    });
  }

  template <class Op, class Kernel>
  static void launch_resident(Queue& queue, const Multiscan<Op>& x, const Sheffler<Op>& all, Kernel kernel) {
    using T = typename Op::Value;
    const Index side = queue.parameter("threads"), length = side * side;
    const std::size_t shared_bytes = std::size_t(length) * (sizeof(u32) + sizeof(T));
    const Index blocks = std::min(all.segments, persistent_blocks(queue, kernel, int(side), shared_bytes));
    auto* const records = queue.scratch<SpineRecord<T>>(blocks * (length + x.m));
    launch(queue,
           {.blocks = blocks,
            .threads = int(side),
            .shared_bytes = shared_bytes,
            .bytes_read = x.input_bytes(),
            .bytes_written = double(x.n + std::min(x.n, x.m * all.segments)) * sizeof(T)},
           kernel, all, records);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, sheffler_global)
}  // namespace redbench
