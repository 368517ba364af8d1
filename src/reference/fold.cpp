#include "src/reference/fold.hpp"

#include <algorithm>
#include <array>

#include "src/inputs/pairs.hpp"
#include "src/reference/wide.hpp"

namespace redbench {
namespace {

/// Reduces fixed chunks in parallel, then their results in order: the same answer for any number of threads.
template <class Partial, class Chunk, class Combine>
Partial in_chunks(Index n, const Partial& identity, const Chunk& chunk, const Combine& combine) {
  constexpr Index chunk_size = 1 << 16;
  const Index chunks = ceil_div(n, chunk_size);
  if (chunks == 1) return combine(identity, chunk(0, n));
  std::vector<Partial> partials(std::size_t(chunks), identity);
#pragma omp parallel for schedule(dynamic)
  for (Index c = 0; c < chunks; ++c)
    partials[std::size_t(c)] = chunk(c * chunk_size, std::min(n, (c + 1) * chunk_size));
  Partial total = identity;
  for (const Partial& partial : partials) total = combine(total, partial);
  return total;
}

template <class T>
constexpr int components = is_complex<T> ? 2 : 1;

template <class T>
double component(T value, int c) {
  if constexpr (is_complex<T>) return c == 0 ? value.re : value.im;
  else return double(value);
}

template <class Op>
typename Op::Value exact_fold(const List& list) {
  using T = typename Op::Value;
  const T* const values = static_cast<const T*>(list.first);
  const Op op;
  return in_chunks(
      list.n, Op::identity(),
      [&](Index begin, Index end) {
        T total = Op::identity();
        for (Index i = begin; i < end; ++i) total = op(total, values[i * list.stride]);
        return total;
      },
      op);
}

struct WideSum {
  Wide sum;
  double magnitude = 0;
};

/// Several sums side by side, as each addition waits for the one before.
template <class T>
WideSum sum_of_chunk(const T* values, Index stride, int c, Index begin, Index end) {
  constexpr int lanes = 8;
  std::array<double, lanes> high{}, low{}, magnitude{};
  const auto add = [&](int lane, Index i) {
    const double x = component(values[i * stride], c);
    const Wide next = two_sum(high[lane], x);
    high[lane] = next.high;
    low[lane] += next.low;
    magnitude[lane] += std::abs(x);
  };
  Index i = begin;
  for (; i + lanes <= end; i += lanes)
    for (int lane = 0; lane < lanes; ++lane) add(lane, i + lane);
  for (; i < end; ++i) add(int(i % lanes), i);
  WideSum total;
  for (int lane = 0; lane < lanes; ++lane) {
    total.sum = total.sum + two_sum(high[lane], low[lane]);
    total.magnitude += magnitude[lane];
  }
  return total;
}

template <class T>
void put_sum(Expected& expected, std::size_t number, const List& list) {
  const T* const values = static_cast<const T*>(list.first);
  for (int c = 0; c < components<T>; ++c) {
    const WideSum total = in_chunks(
        list.n, WideSum{},
        [&](Index begin, Index end) { return sum_of_chunk(values, list.stride, c, begin, end); },
        [](const WideSum& x, const WideSum& y) { return WideSum{x.sum + y.sum, x.magnitude + y.magnitude}; });
    const std::size_t at = number * components<T> + std::size_t(c);
    expected.wide[at] = {total.sum.high, total.sum.low};
    expected.magnitude[at] = total.magnitude;
  }
}

struct WideFactor {
  Wide re{1, 0}, im;
};

WideFactor operator*(const WideFactor& x, const WideFactor& y) {
  return {x.re * y.re + -(x.im * y.im), x.re * y.im + x.im * y.re};
}

template <class T>
void put_product(Expected& expected, std::size_t number, const List& list) {
  const T* const values = static_cast<const T*>(list.first);
  const WideFactor product = in_chunks(
      list.n, WideFactor{},
      [&](Index begin, Index end) {
        WideFactor total;
        for (Index i = begin; i < end; ++i) {
          const T x = values[i * list.stride];
          if constexpr (is_complex<T>) total = total * WideFactor{{double(x.re), 0}, {double(x.im), 0}};
          else total.re = total.re * double(x);
        }
        return total;
      },
      [](const WideFactor& x, const WideFactor& y) { return x * y; });
  const double size = std::hypot(product.re.high, product.im.high);
  for (int c = 0; c < components<T>; ++c) {
    const Wide& part = c == 0 ? product.re : product.im;
    const std::size_t at = number * components<T> + std::size_t(c);
    expected.wide[at] = {part.high, part.low};
    expected.magnitude[at] = size;
  }
}

}  // namespace

Expected fold(const InputSpec& input, const std::vector<List>& lists, bool exact) {
  Expected expected;
  with_operator(input.type, input.op, [&](auto op) {
    using Op = decltype(op);
    using T = typename Op::Value;
    if (exact) {
      expected.exact = HostBuffer(lists.size() * sizeof(T));
    } else {
      expected.wide.resize(lists.size() * components<T>);
      expected.magnitude.resize(lists.size() * components<T>);
    }
    // Few lists are shared out by their chunks, many by the list.
    [[maybe_unused]] constexpr std::size_t many = 64;
#pragma omp parallel for schedule(dynamic, 256) if (lists.size() >= many)
    for (std::size_t l = 0; l < lists.size(); ++l) {
      if (exact) expected.exact.as<T>()[l] = exact_fold<Op>(lists[l]);
      else if constexpr (Op::name == Operator::sum) put_sum<T>(expected, l, lists[l]);
      else if constexpr (Op::name == Operator::product) put_product<T>(expected, l, lists[l]);
    }
  });
  return expected;
}

}  // namespace redbench
