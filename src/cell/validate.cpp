#include "src/cell/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "src/inputs/pairs.hpp"

namespace redbench {
namespace {

/// How a floating-point type rounds.
struct Rounding {
  double unit;     // relative error of one operation
  double largest;  // past it a result is infinite
};
constexpr Rounding single{0x1p-24, std::numeric_limits<float>::max()};
constexpr Rounding twofold{0x1p-53, std::numeric_limits<double>::max()};

bool is_single(Type type) { return type == Type::f32 || type == Type::c32; }
bool is_floating(Type type) { return is_single(type) || type == Type::f64 || type == Type::c64; }
int components_of(Type type) { return type == Type::c32 || type == Type::c64 ? 2 : 1; }

double component(Type type, const void* result, std::size_t index) {
  return is_single(type) ? double(static_cast<const float*>(result)[index])
                         : static_cast<const double*>(result)[index];
}

template <class T>
std::string format_as(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (is_complex<T>) return fmt::format("({}, {})", value.re, value.im);
  else if constexpr (std::is_same_v<T, AffineMap>) return fmt::format("x -> {} x + {}", value.a, value.b);
  else return fmt::format("{}", value);
}

std::string format_value(const InputSpec& input, const void* bytes) {
  std::string text;
  with_operator(input.type, input.op,
                [&](auto op) { text = format_as<typename decltype(op)::Value>(bytes); });
  return text;
}

/// Equal bits; for floats also equal values, as the sign of a zero depends on the order of min, max and
/// products. `right` copies a value, sign and all.
bool same(const InputSpec& input, const char* got, const char* expected, std::size_t bytes) {
  if (!is_floating(input.type)) return std::memcmp(got, expected, bytes) == 0;
  for (std::size_t c = 0; c < std::size_t(components_of(input.type)); ++c) {
    const double x = component(input.type, got, c), y = component(input.type, expected, c);
    if (x != y) return false;  // NaN included
    if (input.op == Operator::right && std::signbit(x) != std::signbit(y)) return false;
  }
  return true;
}

Check check_exact(const InputSpec& input, const Expected& expected, const char* got) {
  const std::size_t bytes = element_bytes(input.type, input.op);
  const char* want = expected.exact.as<char>();
  for (std::size_t at = 0; at < expected.exact.bytes; at += bytes) {
    if (same(input, got + at, want + at, bytes)) continue;
    return {false, std::numeric_limits<double>::infinity(), 0,
            fmt::format("result[{}] is {}, the exact answer is {}", at / bytes, format_value(input, got + at),
                        format_value(input, want + at))};
  }
  return {true, 0, 0, {}};
}

/// The relative error of k rounded operations in a row: gamma_k of Higham, Accuracy and Stability of
/// Numerical Algorithms, section 3.1. Infinite where k roundings may lose everything.
double gamma(double k, double unit) {
  return k * unit < 1 ? k * unit / (1 - k * unit) : std::numeric_limits<double>::infinity();
}

/// One floating-point result: what may differ from the exact answer, by component.
struct Tolerance {
  std::array<double, 2> bound{};
  std::array<double, 2> identity{};
};

/// A sum's terms each pass at most `chain` additions, and never more than n - 1 that round. A product's n - 1
/// roundings all reach the result whatever the order; a complex one is off by at most sqrt(2) gamma_2 < 3
/// units in its modulus (Higham, lemma 3.5).
Tolerance tolerance(const InputSpec& input, const Expected& expected, std::size_t element, Index chain) {
  const double unit = (is_single(input.type) ? single : twofold).unit;
  const int components = components_of(input.type);
  const double roundings = double(std::max<Index>(input.n - 1, 0));
  // The reference adds in pairs of doubles whose low words are summed plainly over 2^13 values: under 2^-96
  // for each operation, so nothing beside any result's own rounding.
  const double reference = double(input.n) * 0x1p-96;
  Tolerance result;
  if (input.op == Operator::product) {
    result.identity = {1, 0};
    double modulus = 0;
    for (int c = 0; c < components; ++c)
      modulus = std::hypot(modulus, expected.wide[element * components + c].first);
    result.bound.fill((gamma(roundings * (components == 2 ? 3 : 1), unit) + reference) * modulus);
  } else {
    const double length = chain > 0 ? std::min(double(chain), roundings) : roundings;
    for (int c = 0; c < components; ++c)
      result.bound[c] = (gamma(length, unit) + reference) * expected.magnitude[element * components + c];
  }
  return result;
}

Check check_rounded(const InputSpec& input, const Expected& expected, const void* result, Index chain) {
  const std::size_t components = std::size_t(components_of(input.type));
  const Rounding rounding = is_single(input.type) ? single : twofold;
  Check worst{true, 0, 0, {}};
  for (std::size_t element = 0; element * components < expected.wide.size(); ++element) {
    const Tolerance allowed = tolerance(input, expected, element, chain);
    bool identity_passes = true, is_identity = true;
    for (std::size_t c = 0; c < components; ++c) {
      const std::size_t at = element * components + c;
      const auto [high, low] = expected.wide[at];
      const double bound = allowed.bound[c], got = component(input.type, result, at);
      if (!std::isfinite(high) || std::abs(high) > rounding.largest ||
          expected.magnitude[at] > rounding.largest)
        return {
            false, 0, bound,
            fmt::format("result[{}] has no answer to check against: the values are not finite or overflow {}",
                        element, name_of(input.type))};
      const double error = std::abs((got - high) - low);
      if (!(error <= bound))  // NaN is never within a bound
        return {false, error, bound,
                fmt::format(
                    "result[{}] is {}, the exact answer is {}: off by {:.3g}, where rounding explains {:.3g}",
                    element, got, high, error, bound)};
      const double distance = std::abs((allowed.identity[c] - high) - low);
      identity_passes = identity_passes && distance <= bound;
      is_identity = is_identity && distance == 0;
      if (error > worst.error || at == 0) worst.error = error;
      worst.bound = std::max(worst.bound, bound);
    }
    if (identity_passes && !is_identity)
      return {
          false, worst.error, worst.bound,
          fmt::format(
              "result[{}]: the bound {:.3g} swallows the answer {:.6g}, so that no result would be wrong; "
              "state a shorter chain of operations (Queue::chain) or take values that do not cancel",
              element, allowed.bound[0], expected.wide[element * components].first)};
  }
  return worst;
}

}  // namespace

Check check_result(const InputSpec& input, const Expected& expected, const void* result, Index chain) {
  return expected.wide.empty() ? check_exact(input, expected, static_cast<const char*>(result))
                               : check_rounded(input, expected, result, chain);
}

}  // namespace redbench
