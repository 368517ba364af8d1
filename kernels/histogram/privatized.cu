#include "kernels/histogram/join_tables.hpp"
#include "kernels/histogram/label_vectors.hpp"

namespace redbench {
namespace {

/// A label's counters are `columns` neighbours, of which a lane has number lane % columns. With 32 columns that
/// is a bank for each lane, with one all lanes share a counter.
template <class Label, int loads>
__global__ void __launch_bounds__(1024, loads > 2 ? 1 : 2)
    count_privately(const Label* labels, Index n, Index m, int columns, u32* result) {
  auto* const counters = dynamic_shared<u32>();
  clear_table(counters, int(m) * columns);
  clear_result(result, m);
  __syncthreads();

  // One multiply-add finds the counter: the label's row in bytes, from the lane's column on.
  auto* const column = reinterpret_cast<unsigned char*>(counters + threadIdx.x % warp_size % columns);
  const u32 row_bytes = columns * sizeof(u32);
  for_each_label<loads>(
      labels, n, [=](u32 label) { atomicAdd(reinterpret_cast<u32*>(column + label * row_bytes), 1u); });
  __syncthreads();

  // Neighbouring threads begin with different columns: another bank each where there are 32.
  const auto count = [=](Index bin) {
    if (columns == 1) return counters[int(bin)];  // without the division
    u32 sum = 0;
    int k = int(bin) % columns;
    for (int left = columns; left > 0; --left, k = k + 1 < columns ? k + 1 : 0)
      sum += counters[int(bin) * columns + k];
    return sum;
  };
  join_tables(m, count, result);
}

struct privatized {
  static constexpr Card card{
      .title =
          "a table of counters in each block's shared memory, with columns by lane, joined in the same launch",
      .source = "the tables of Podlozhnyuk 2007 and the banks of Nugteren 2011 with hardware's atomics",
      .order = Order::commutative,
      .parameters = {
          {{"columns", 0, 0, 32, Step::one,
            "counters of a label; 0: 32 for bytes, 1 for words; tuned on an H200"},
           {"loads", 4, 1, 8, Step::power_of_two, "loads of 16 bytes in flight; tuned on an H200"},
           {"block", 1024, 32, 1024, Step::multiple_of_warp, "few tables to join; tuned on an H200"}}}};

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    with_power_of_two<1, 8>(queue.parameter("loads"), [&](auto loads) { count<loads>(queue, x); });
  }

 private:
  template <int loads, class Op>
  static void count(Queue& queue, const Histogram<Op>& x) {
    using Label = typename Op::Value;
    const auto kernel = count_privately<Label, loads>;
    const Index asked = queue.parameter("columns"), columns = asked ? asked : sizeof(Label) == 1 ? 32 : 1;
    const int threads = int(queue.parameter("block"));
    const std::size_t bytes = table_bytes(x.m * columns), most = queue.device().shared_bytes_per_block;
    if (bytes > most)
      queue.refuse("its counters take " + std::to_string(bytes) + " bytes, a block has " +
                   std::to_string(most) + " of shared memory");
    const Index blocks = blocks_with_tiles<Label, loads>(queue, x.n, kernel, threads, bytes);
    const double table_traffic = double(blocks * x.m) * sizeof(u32);
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = bytes,
            .cooperative = true,
            .bytes_read = x.input_bytes() + table_traffic,
            .bytes_written = x.result_bytes() + table_traffic},
           kernel, x.labels, x.n, x.m, int(columns), x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, privatized)
}  // namespace redbench
