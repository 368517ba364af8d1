#include "src/inputs/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>

#include "src/error.hpp"
#include "src/inputs/npy.hpp"
#include "src/inputs/pairs.hpp"
#include "src/inputs/words.hpp"

namespace redbench {
namespace {

enum class Kind : std::uint8_t { uniform, exact, equal, extreme };
constexpr std::array<std::string_view, 4> kind_names{"uniform", "exact", "equal", "extreme"};

Kind kind_of(const Json& value) {
  const auto& name = value.get_ref<const std::string&>();
  return Kind(std::find(kind_names.begin(), kind_names.end(), name) - kind_names.begin());
}

template <class T>
struct RealOf {
  using type = T;
};
template <class R>
struct RealOf<Complex<R>> {
  using type = R;
};
template <class T>
using Real = typename RealOf<T>::type;

/// The same rule for both components, from a word each, or for the one that there is.
template <class T, class Rule>
T by_component(const Words& words, Index i, Rule rule) {
  if constexpr (is_complex<T>)
    return {rule(words[2 * std::uint64_t(i)]), rule(words[2 * std::uint64_t(i) + 1])};
  else return rule(words[std::uint64_t(i)]);
}

/// In [0, 1), every bit of the significand random: a sum of many is half their number.
template <class R>
R unit_interval(std::uint64_t word) {
  constexpr int digits = std::numeric_limits<R>::digits;
  constexpr R last_bit = R(1) / R(std::uint64_t(1) << digits);
  return last_bit * R(word >> (64 - digits));
}

/// Any finite number, its bits random.
template <class R>
R any_finite(std::uint64_t word) {
  using Bits = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits exponent = std::bit_cast<Bits>(std::numeric_limits<R>::infinity());
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

template <class Op>
typename Op::Value uniform(const Words& words, Index i) {
  using T = typename Op::Value;
  using R = Real<T>;
  if constexpr (Op::name == Operator::affine) {
    return {u32(words[std::uint64_t(i)]) | 1, u32(words[std::uint64_t(i)] >> 32)};
  } else if constexpr (std::is_integral_v<T>) {
    const T value = T(words[std::uint64_t(i)] >> (64 - 8 * sizeof(T)));
    if constexpr (Op::name == Operator::product) return value | 1;
    else if constexpr (Op::name == Operator::right) return value == Op::identity() ? T(0) : value;
    else return value;
  } else if constexpr (Op::name == Operator::product) {
    return exact_factor<T>(words[std::uint64_t(i)], i);
  } else if constexpr (Op::name == Operator::min || Op::name == Operator::max) {
    return any_finite<R>(words[std::uint64_t(i)]);
  } else {
    return by_component<T>(words, i, unit_interval<R>);
  }
}

/// Sums of whole numbers up to this are exact in every type.
constexpr Index exact_sum = Index(1) << 24;

/// 1 to `most`, where most x count <= 2^24. Above 2^24 elements: 1 and -1, whose partial sums grow with the
/// root of their number; with one 2 where count is even the sum is odd, so never 0.
template <class T>
T small_whole(const Words& words, Index i, Index count, std::uint64_t most) {
  using R = Real<T>;
  return by_component<T>(words, i, [=](std::uint64_t word) {
    if (count <= exact_sum) return R(1 + ((word >> 32) * most >> 32));
    if (i == 0 && count % 2 == 0) return R(2);
    return R(1 - 2 * int(word >> 63));  // arithmetic, as half of the branches would be mispredicted
  });
}

/// Half of the elements are as large as leaves room for a sum of 2^40, the others as small beside them.
template <class R>
R far_apart(bool large) {
  const int exponent = sizeof(R) == 4 ? 60 : 500;
  return std::ldexp(R(1), large ? exponent : -exponent);
}

template <class Op>
typename Op::Value extreme(const Words& words, Index i) {
  using T = typename Op::Value;
  using Limits = std::numeric_limits<Real<T>>;
  const bool odd = i % 2 != 0;
  if constexpr (Op::name == Operator::affine) {
    return odd ? T{0xffffffffu, 0xffffffffu} : T{1, 0x80000000u};
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (Op::name == Operator::product) return odd ? T(Limits::max()) : T(Limits::lowest() + 1);
    else if constexpr (Op::name ==
                       Operator::right)  // the identity is the largest where unsigned, else the lowest
      return odd ? T(Limits::max() - 1) : T(Limits::lowest() + 1);
    else return odd ? Limits::max() : Limits::lowest();
  } else if constexpr (Op::name == Operator::product) {
    return exact_factor<T>(words[std::uint64_t(i)], i);
  } else if constexpr (Op::name == Operator::sum) {
    using R = Real<T>;
    if constexpr (is_complex<T>) return {far_apart<R>(odd), far_apart<R>(!odd)};
    else return far_apart<R>(odd);
  } else if constexpr (is_complex<T>) {
    return odd ? T{Limits::max(), Limits::lowest()} : T{Limits::lowest(), Limits::max()};
  } else {
    return odd ? Limits::max() : Limits::lowest();
  }
}

template <class Op>
typename Op::Value equal() {
  using T = typename Op::Value;
  if constexpr (Op::name == Operator::affine) return {3, 5};
  else if constexpr (Op::name == Operator::product) {
    if constexpr (is_complex<T>) return {0, -1};
    else if constexpr (std::is_integral_v<T>) return 3;
    else return -1;
  } else if constexpr (is_complex<T>) return {1, 1};
  else return 1;
}

/// Calls `fill` with the rule of the distribution: element i by number. Chosen once, not for each element.
template <class Op, class Fill>
void with_rule(Kind kind, const Words& words, Index count, const Fill& fill) {
  using T = typename Op::Value;
  if (kind == Kind::equal) fill([](Index) { return equal<Op>(); });
  else if (kind == Kind::extreme) fill([&](Index i) { return extreme<Op>(words, i); });
  else if (kind == Kind::exact && Op::name == Operator::sum) {
    const std::uint64_t most = std::clamp<Index>(exact_sum / std::max<Index>(count, 1), 1, 64);
    if constexpr (Op::name == Operator::sum)
      fill([&](Index i) { return small_whole<T>(words, i, count, most); });
  } else {
    fill([&](Index i) { return uniform<Op>(words, i); });
  }
}

/// The file as `input` asks for it. Throws where it does not fit.
NpyHeader fitting_file(const InputSpec& input, Index count) {
  const NpyHeader header = read_npy_header(values_file(input.axes.at("values")));
  const bool pairs = header.columns() == 2;
  const std::string held = fmt::format("{}{}", pairs ? "pairs of " : "", name_of(header.type));
  if (header.type != input.type || pairs != (input.op == Operator::affine))
    throw UsageError(fmt::format("{} holds {}, not {}{}", header.path, held,
                                 input.op == Operator::affine ? "pairs of " : "", name_of(input.type)));
  if (count > header.rows())
    throw UsageError(fmt::format("{} holds {} values, n asks for {}", header.path, header.rows(), count));
  return header;
}

/// Throws where some order of a product of the file's values could overflow or lose bits to underflow.
template <class T>
void check_product_range(const HostBuffer& buffer, Index count, const std::string& path) {
  using Limits = std::numeric_limits<Real<T>>;
  double up = 0, down = 0;  // log2 of the product of all that are larger, smaller than 1
  const T* const values = buffer.as<T>();
#pragma omp parallel for reduction(+ : up, down)
  for (Index i = 0; i < count; ++i) {
    double size;
    if constexpr (is_complex<T>) size = std::hypot(double(values[i].re), double(values[i].im));
    else size = std::abs(double(values[i]));
    if (size > 1) up += std::log2(size);
    if (size > 0 && size < 1) down += std::log2(size);
  }
  // One bit for a complex product's own sums; underflow must stay below the last bit of the product.
  if (up + 1 > Limits::max_exponent || down < Limits::min_exponent + Limits::digits)
    throw UsageError(
        fmt::format("{}: a product of these values may leave the range of {} on the way, so that no order "
                    "gives an answer to check against",
                    path, name_of(type_of<T>)));
}

template <class Op>
void check_file(const NpyHeader& header, Index count) {
  using T = typename Op::Value;
  if constexpr (Op::name == Operator::product && !Op::exact) {
    check_product_range<T>(read_npy(header, count), count, header.path);
  } else if constexpr (Op::name == Operator::right) {
    const HostBuffer buffer = read_npy(header, count);
    const T* const values = buffer.as<T>();
    const T* const found = std::find(values, values + count, Op::identity());
    if (found != values + count)
      throw UsageError(fmt::format("{}: element {} is the value that `right` sets aside as its identity",
                                   header.path, found - values));
  }
}

void check_axis(const Json& value) {
  const std::vector<std::string> names = distributions();
  if (value.is_string()) {
    const auto& name = value.get_ref<const std::string&>();
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw UsageError(fmt::format("no distribution `{}`: allowed are {}, and {{\"file\": \"x.npy\"}}{}",
                                   name, alternatives(names), nearest_match(name, names)));
    return;
  }
  if (!value.is_object() || value.size() != 1 || !value.contains("file") || !value["file"].is_string())
    throw UsageError(fmt::format("expected {}, or {{\"file\": \"x.npy\"}}", alternatives(names)));
  const NpyHeader header = read_npy_header(values_file(value));
  if (header.type == Type::u8)
    throw UsageError(header.path +
                     ": holds bytes (u1), which only histograms take; write it with .astype('int32')");
  check_finite(header);
}

}  // namespace

std::string values_file(const Json& value) {
  return value.is_object() ? value.at("file").get<std::string>() : std::string();
}

std::vector<std::string> distributions() { return {kind_names.begin(), kind_names.end()}; }

ProblemAxis values_axis() {
  return {"values",
          fmt::format("what the values are: {} or {{\"file\": \"x.npy\"}}", fmt::join(kind_names, ", ")),
          {},
          kind_names.front(),
          check_axis};
}

void check_values(const InputSpec& input, Index count) {
  if (!input.axes.at("values").is_object()) return;
  const NpyHeader header = fitting_file(input, count);
  with_operator(input.type, input.op, [&](auto op) { check_file<decltype(op)>(header, count); });
}

HostBuffer make_values(const InputSpec& input, Index count) {
  const Json& values = input.axes.at("values");
  if (values.is_object()) return read_npy(fitting_file(input, count), count);
  const Kind kind = kind_of(values);
  const Words words(input.seed);
  HostBuffer buffer;
  with_operator(input.type, input.op, [&](auto op) {
    using Op = decltype(op);
    using T = typename Op::Value;
    buffer = HostBuffer(std::size_t(count) * sizeof(T));
    T* const out = buffer.as<T>();
    with_rule<Op>(kind, words, count, [&](const auto& rule) {
#pragma omp parallel for
      for (Index i = 0; i < count; ++i) out[i] = rule(i);
    });
  });
  return buffer;
}

bool exact_in_any_order(const InputSpec& input, Index count) {
  bool always = count <= 1;
  with_operator(input.type, input.op, [&](auto op) { always |= decltype(op)::exact; });
  const Json& values = input.axes.at("values");
  if (always || values.is_object()) return always;
  if (input.op == Operator::product) return true;
  const Kind kind = kind_of(values);
  return kind == Kind::exact || (kind == Kind::equal && count <= exact_sum);
}

}  // namespace redbench
