#include "kernels/multiscan/indexed_values.hpp"
#include "kernels/multiscan/problem.hpp"
#include "kernels/parts/device_scan_by_key.hpp"
#include "kernels/parts/runs.hpp"

namespace redbench {
namespace {

template <class T>
__global__ void make_pairs(const T* values, Index n, IndexedValue<T>* pairs) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) pairs[i] = IndexedValue<T>::of(i, values[i]);
}

template <class T>
__global__ void extract_values(const IndexedValue<T>* pairs, Index n, T* values) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) values[i] = pairs[i].value();
}

template <class Op>
__global__ void scatter_results(const IndexedValue<typename Op::Value>* pairs,
                                const typename Op::Value* scanned, Index n, bool inclusive,
                                typename Op::Value* result) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const auto pair = pairs[i];
  const auto before = scanned[i];
  result[pair.index()] = inclusive ? Op()(before, pair.value()) : before;
}

struct sort_segscan {
  static constexpr Card card{
      .title = "index-value pairs, a stable sort by log2 m bits, a scan by key, results put back",
      .source =
          "Eilers 2014, 5.5.1, Alg. 5.3; SRTS sort and Thrust there, CUB here; inclusive results, which "
          "it has not, take the value in where they are put back",
      .order = Order::any,
      .reproducible = Reproducible::exact,
      .maximum_n = most_of_32_bits};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    if (x.n == 0) return;
    constexpr int threads = 256;
    const Index blocks = ceil_div(x.n, threads);
    const auto moving = [=](double read, double written) {
      return Grid{.blocks = blocks,
                  .threads = threads,
                  .bytes_read = double(x.n) * read,
                  .bytes_written = double(x.n) * written};
    };
    constexpr std::size_t pair_bytes = sizeof(IndexedValue<T>);

    auto* const pairs = queue.scratch<IndexedValue<T>>(x.n);
    launch(queue, moving(sizeof(T), pair_bytes), make_pairs<T>, x.values, x.n, pairs);
    const auto sorted = sort_indexed<T>(queue, {x.labels, pairs}, x.n, bits_of(x.m));
    T* const values = queue.scratch<T>(x.n);
    launch(queue, moving(pair_bytes, sizeof(T)), extract_values<T>, sorted.values, x.n, values);
    T* const scanned = queue.scratch<T>(x.n);
    exclusive_scan_by_key<Op>(queue, sorted.labels, static_cast<const T*>(values), scanned, x.n);
    launch(queue, moving(pair_bytes + sizeof(T), sizeof(T)), scatter_results<Op>, sorted.values, scanned, x.n,
           x.inclusive, x.result);
    queue.chain(by_key_chain(x.n));
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, sort_segscan)
}  // namespace redbench
