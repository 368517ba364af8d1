// What depends on an operator and a C++ type (src/reference/pairs.hpp): the rules by which values are drawn,
// and checks of the values of a user's file.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/inputs/words.hpp"

namespace redbench {

enum class Distribution : std::uint8_t { uniform, exact, equal, extreme };

/// Elements to be drawn.
struct Draw {
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 1;
  Index count = 0;
  std::optional<Part> part = {};  // of the elements, that which is drawn; none: all
};

/// Whole numbers up to this are exact in a type with so many digits.
constexpr Index exact_sum(int digits) { return Index(1) << std::min(digits, 53); }

/// The whole numbers that `exact` draws for sums, so that no order rounds.
struct WholeNumbers {
  enum class Kind : std::uint8_t { positive, odd_of_either_sign, sparse } kind;
  Index most;  // positive: 1 to this; odd: so many sizes, 1, 3, 5, ...; sparse: 1 to this, one in each window
  Index windows;
};

/// Certain where all are positive: the sum of all fits the significand. Values of either sign add up as a
/// random walk does, and their sizes leave room for 8 standard deviations of the sum of all: one partial sum
/// leaves the range by a chance of 2 exp(-32) at most (Hoeffding), and a right kernel is then called wrong,
/// no wrong one right. Where not even 1 and -1 have that room (f16 above 2^16): zeros, and one value in each
/// of up to 1024 windows of equal length, whose sum fits for certain.
constexpr WholeNumbers whole_numbers(int digits, Index count) {
  using enum WholeNumbers::Kind;
  constexpr Index most = 64;
  const Index sum = exact_sum(digits), windows = std::min<Index>(sum, 1024);
  if (count <= sum / most) return {positive, most, 0};
  // The mean square of 1, 3, ..., 2 m - 1 is (4 m^2 - 1) / 3.
  const double mean_square = double(sum) * double(sum) / (64 * double(count));
  Index sizes = 0;
  while (sizes < most && double(4 * (sizes + 1) * (sizes + 1) - 1) / 3 <= mean_square) ++sizes;
  if (sizes > 0) return {odd_of_either_sign, sizes, 0};
  return {sparse, sum / windows, windows};
}

namespace rules {

template <class T>
using Real = typename TypeTraits<T>::Real;
template <Operator op>
inline constexpr Arithmetic arithmetic = traits_of(op).arithmetic;
template <Operator op>
inline constexpr Selects selects = traits_of(op).selects;

/// Applies the rule to each component, with a word for each.
template <class T, class Rule>
T by_component(const Words& words, Index i, Rule rule) {
  if constexpr (is_complex<T>)
    return {rule(words[2 * std::uint64_t(i)]), rule(words[2 * std::uint64_t(i) + 1])};
  else return rule(words[std::uint64_t(i)]);
}

/// A power of two, 1 wherever `count` of them can be added without overflow: less in f16 above 2^15.
template <class R>
double scale_of(Index count) {
  const int excess =
      std::bit_width(std::uint64_t(std::max<Index>(count - 1, 0))) + 1 - TypeTraits<R>::max_exponent;
  return std::ldexp(1.0, -std::max(excess, 0));
}

/// In [0, scale), every bit of the significand random: a sum of many is half their number times `scale`.
template <class R>
R unit_interval(std::uint64_t word, double scale) {
  constexpr int digits = TypeTraits<R>::digits;
  constexpr double last_bit = 1 / double(std::uint64_t(1) << digits);
  return R(double(std::int64_t(word >> (64 - digits))) * (last_bit * scale));
}

/// Any finite number, its bits random.
template <class R>
R any_finite(std::uint64_t word) {
  using Bits = typename TypeTraits<R>::Bits;
  constexpr Bits exponent = TypeTraits<R>::infinity_bits;
  Bits bits = Bits(word >> (64 - 8 * sizeof(R)));
  if ((bits & exponent) == exponent) bits ^= exponent & ~(exponent >> 1);  // clears its highest bit
  return std::bit_cast<R>(bits);
}

/// A unit, times 2 or 1/2 at the elements 2^k and 3 x 2^k: of those there are 80 below 2^40, so that no order
/// leaves the range of any type. Three quarters are not 1, so that a missing one shows.
template <class T>
T exact_factor(std::uint64_t word, Index i) {
  using R = Real<T>;
  R size = 1;
  const auto bits = std::uint64_t(i);
  const int below_top_two = std::bit_width(bits) - 2;
  if (bits > 1 && bits >> below_top_two << below_top_two == bits) size = word >> 32 & 1 ? R(2) : R(0.5);
  // Looked up, as a quarter of the branches would be mispredicted.
  const unsigned unit = word & 3;
  constexpr R re[] = {1, 0, -1, 0}, im[] = {0, 1, 0, -1}, sign[] = {1, -1, -1, -1};
  if constexpr (is_complex<T>) return {re[unit] * size, im[unit] * size};
  else return sign[unit] * size;
}

template <Operator op, class T>
T uniform(const Words& words, Index i, double scale) {
  using R = Real<T>;
  if constexpr (std::is_same_v<T, AffineMap>) {
    return {u32(words[std::uint64_t(i)]) | 1, u32(words[std::uint64_t(i)] >> 32)};
  } else if constexpr (std::is_integral_v<T>) {
    const T value = T(words[std::uint64_t(i)] >> (64 - 8 * sizeof(T)));
    if constexpr (arithmetic<op> == Arithmetic::multiplication) return value | 1;
    else if constexpr (selects<op> == Selects::by_place) return value == set_aside<T>() ? T(0) : value;
    else return value;
  } else if constexpr (arithmetic<op> == Arithmetic::multiplication) {
    return exact_factor<T>(words[std::uint64_t(i)], i);
  } else if constexpr (selects<op> == Selects::by_size) {
    return any_finite<R>(words[std::uint64_t(i)]);
  } else {
    return by_component<T>(words, i, [=](std::uint64_t word) { return unit_interval<R>(word, scale); });
  }
}

/// The only element of its window that is not 0, at a place of the seed.
inline bool is_planted(const Words& words, Index i, Index count, Index windows) {
  const auto start = [=](Index window) { return (window * count + windows - 1) / windows; };
  const Index window = i * windows / count, first = start(window);
  const std::uint64_t length = std::uint64_t(start(window + 1) - first);
  return i - first == Index((words[std::uint64_t(count + window)] >> 32) % length);
}

/// With one 2 where there are evenly many odd numbers their sum is odd, so never 0.
template <class T>
T small_whole(const Words& words, Index i, Index count, const WholeNumbers& drawn) {
  using R = Real<T>;
  using Kind = WholeNumbers::Kind;
  const auto most = std::uint64_t(drawn.most);
  if (drawn.kind == Kind::sparse && !is_planted(words, i, count, drawn.windows)) return T{};
  return by_component<T>(words, i, [=](std::uint64_t word) {
    const int below_most = int((word & 0xffffffff) * most >> 32);
    if (drawn.kind != Kind::odd_of_either_sign) return R(1 + below_most);
    if (i == 0 && count % 2 == 0) return R(2);
    // Arithmetic, as half of the branches would be mispredicted.
    return R((1 - 2 * int(word >> 63)) * (1 + 2 * below_most));
  });
}

/// Half of the elements are as large as their sum allows, the others as small compared with them.
template <class R>
R far_apart(bool large, Index count) {
  constexpr int apart = TypeTraits<R>::max_exponent - 8;
  const int room = TypeTraits<R>::max_exponent - 2 - std::bit_width(std::uint64_t(count));
  const int exponent = std::min(apart / 2, room);
  return R(std::ldexp(1.0, large ? exponent : exponent - apart));
}

template <Operator op, class T>
T extreme(const Words& words, Index i, Index count) {
  using R = Real<T>;
  const bool odd = i % 2 != 0;
  if constexpr (std::is_same_v<T, AffineMap>) {
    return odd ? T{0xffffffffu, 0xffffffffu} : T{1, 0x80000000u};
  } else if constexpr (std::is_integral_v<T>) {
    constexpr T lowest = TypeTraits<T>::lowest(), highest = TypeTraits<T>::highest();
    if constexpr (arithmetic<op> == Arithmetic::multiplication) return odd ? highest : T(lowest + 1);
    else if constexpr (selects<op> ==
                       Selects::by_place)  // sets aside the highest where unsigned, else the lowest
      return odd ? T(highest - 1) : T(lowest + 1);
    else return odd ? highest : lowest;
  } else if constexpr (arithmetic<op> == Arithmetic::multiplication) {
    return exact_factor<T>(words[std::uint64_t(i)], i);
  } else if constexpr (arithmetic<op> == Arithmetic::addition) {
    if constexpr (is_complex<T>) return {far_apart<R>(odd, count), far_apart<R>(!odd, count)};
    else return far_apart<R>(odd, count);
  } else {
    const R high = TypeTraits<T>::largest(), low = -high;
    if constexpr (is_complex<T>) return odd ? T{high, low} : T{low, high};
    else return odd ? high : low;
  }
}

template <Operator op, class T>
T equal(double scale) {
  using R = Real<T>;
  if constexpr (std::is_same_v<T, AffineMap>) return {3, 5};
  else if constexpr (arithmetic<op> == Arithmetic::multiplication) {
    if constexpr (is_complex<T>) return {0, -1};
    else if constexpr (std::is_integral_v<T>) return 3;
    else return -1;
  } else if constexpr (is_complex<T>) return {R(scale), R(scale)};
  else return T(scale);
}

/// Calls `fill` with the rule of the distribution: element i by number. Chosen once, not for each element.
template <Operator op, class T, class Result, class Fill>
void with_rule(const Draw& draw, const Fill& fill) {
  const Words words(draw.seed);
  const Index count = draw.count;
  double scale = 1;
  if constexpr (arithmetic<op> == Arithmetic::addition && !TypeTraits<T>::integer)
    scale = scale_of<Real<Result>>(count);
  if (draw.distribution == Distribution::equal) {
    fill([=](Index) { return equal<op, T>(scale); });
  } else if (draw.distribution == Distribution::extreme) {
    fill([&](Index i) { return extreme<op, T>(words, i, count); });
  } else if (draw.distribution == Distribution::exact && arithmetic<op> == Arithmetic::addition) {
    // Integers wrap around and never round.
    constexpr int digits = std::is_integral_v<T> ? 63 : TypeTraits<Result>::digits;
    const WholeNumbers drawn = whole_numbers(digits, count);
    if constexpr (arithmetic<op> == Arithmetic::addition)
      fill([&](Index i) { return small_whole<T>(words, i, count, drawn); });
  } else {
    fill([&](Index i) { return uniform<op, T>(words, i, scale); });
  }
}

}  // namespace rules

/// Pair::generate, of elements of T. What a sum of them can hold is that of Result.
template <Operator op, class T, class Result = T>
void generate(const Draw& draw, void* values) {
  T* const out = static_cast<T*>(values);
  rules::with_rule<op, T, Result>(draw, [&](const auto& rule) {
    const Part part = draw.part.value_or(Part{0, draw.count});
#pragma omp parallel for
    for (Index i = 0; i < part.count; ++i) out[i] = rule(part.first + i);
  });
}

namespace rules {

/// Throws where some order of a product of the values could overflow or lose bits to underflow.
template <class T>
void check_product_range(const T* values, Index count, const std::string& path) {
  using Traits = TypeTraits<T>;
  double up = 0, down = 0;  // log2 of the product of all that are larger, smaller than 1
#pragma omp parallel for reduction(+ : up, down)
  for (Index i = 0; i < count; ++i) {
    double size;
    if constexpr (is_complex<T>) size = std::hypot(double(values[i].re), double(values[i].im));
    else size = std::abs(double(values[i]));
    if (size > 1) up += std::log2(size);
    if (size > 0 && size < 1) down += std::log2(size);
  }
  // One bit for a complex product's own sums; underflow must stay below the last bit of the product.
  if (up + 1 > Traits::max_exponent || down < Traits::min_exponent + Traits::digits)
    throw UsageError(
        fmt::format("{}: a product of these values may leave the range of {} on the way, so that no order "
                    "gives an answer to check against",
                    path, Traits::name));
}

template <class T>
void check_none_set_aside(const T* values, Index count, const std::string& path) {
  const T* const found = std::find(values, values + count, set_aside<T>());
  if (found != values + count)
    throw UsageError(fmt::format("{}: element {} is the value that `right` sets aside as its identity", path,
                                 found - values));
}

}  // namespace rules

/// Pair::check_file, or null.
template <Operator op, class T>
constexpr auto file_check() -> void (*)(const void*, Index, const std::string&) {
  if constexpr (rules::arithmetic<op> == Arithmetic::multiplication && !TypeTraits<T>::integer)
    return [](const void* values, Index count, const std::string& path) {
      rules::check_product_range(static_cast<const T*>(values), count, path);
    };
  else if constexpr (rules::selects<op> == Selects::by_place)
    return [](const void* values, Index count, const std::string& path) {
      rules::check_none_set_aside(static_cast<const T*>(values), count, path);
    };
  else return nullptr;
}

}  // namespace redbench
