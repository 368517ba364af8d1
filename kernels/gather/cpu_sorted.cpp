#include "kernels/gather/problem.hpp"
#include "kernels/parts/partial_radix_sort.hpp"

namespace redbench {
namespace {

/// The sort has one pass: after a second one, the place of a label could not be found again from its digit.
constexpr int most_bits = 16;

struct cpu_sorted {
  static constexpr Parameter one_pass_bits{presort_bits.name, presort_bits.fallback, presort_bits.minimum,
                                           most_bits,         presort_bits.step,     presort_bits.found};
  static constexpr Card card{
      .title = "values fetched by labels that were sorted by their top bits in one pass, then put in order",
      .source =
          "Eilers 2014, 2.4, Alg. 2.6; mended: the offsets are copied before the sort changes them, and "
          "the sorted labels name the values",
      .order = Order::any,
      .pages = Pages::small,
      .parameters = {{one_pass_bits, presort_threshold}}};

  template <class Op>
  static void run(Queue& queue, const Gather<Op>& x) {
    using T = typename Op::Value;
    const PartialSort sort(queue, x.m, most_bits);
    if (sort.passes() == 0) return queue.on_host([=] { gather_by_label(x.labels, x.values, x.n, x.result); });

    const Digit digit = sort.digit(0);
    Index* const places = queue.scratch<Index>(digit.values());
    Index* const copy = queue.scratch<Index>(digit.values());
    u32* const sorted = queue.scratch<u32>(x.n);
    T* const fetched = queue.scratch<T>(x.n);
    queue.on_host([=, result = x.result] {
      find_places(x.labels, x.n, digit, places);
      std::copy(places, places + digit.values(), copy);
      place_by_digit(x.labels, x.n, digit, places,
                     [sorted](Index, u32 label, Index place) { sorted[place] = label; });
      gather_by_label(sorted, x.values, x.n, fetched);
      // No index was kept: the same pass over the unsorted labels says again where each went.
      place_by_digit(x.labels, x.n, digit, copy,
                     [result, fetched](Index i, u32, Index place) { result[i] = fetched[place]; });
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Gather, cpu_sorted)
}  // namespace redbench
