#include "src/cell/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "src/inputs/problem.hpp"
#include "src/parallel.hpp"

namespace redbench {
namespace {

/// Equal bits; for floats also equal values, as the sign of a zero depends on the order of min, max and
/// products. `right` copies a value, sign and all.
bool same(const Pair& pair, const std::byte* got, const std::byte* expected) {
  const TypeFacts& type = *pair.result;
  if (type.integer) return std::memcmp(got, expected, type.bytes) == 0;
  const bool by_place = traits_of(pair.op).selects == Selects::by_place;
  for (std::size_t c = 0; c < std::size_t(type.components); ++c) {
    const double x = type.component(got, c), y = type.component(expected, c);
    if (x != y) return false;  // NaN included
    if (by_place && std::signbit(x) != std::signbit(y)) return false;
  }
  return true;
}

Check check_exact(const Pair& pair, const Expected& expected, const std::byte* got, Index first) {
  const std::size_t bytes = pair.result->bytes;
  const std::byte* const want = expected.exact.data.get();
  const Index count = Index(expected.exact.bytes / bytes);
  if (pair.result->integer && equal_bytes(got, want, expected.exact.bytes)) return {true, 0, 0, {}};
  Index wrong = count;
#pragma omp parallel for reduction(min : wrong)
  for (Index i = 0; i < count; ++i)
    if (!same(pair, got + std::size_t(i) * bytes, want + std::size_t(i) * bytes)) wrong = std::min(wrong, i);
  if (wrong == count) return {true, 0, 0, {}};
  return {false, std::numeric_limits<double>::infinity(), 0,
          fmt::format("result[{}] is {}, the exact answer is {}", first + wrong,
                      pair.result->text(got + std::size_t(wrong) * bytes),
                      pair.result->text(want + std::size_t(wrong) * bytes))};
}

/// The error bound of a floating-point result, by component.
std::array<double, 2> bounds(const Pair& pair, const Expected& expected, std::size_t i, Index chain) {
  const double relative =
      rounding_error(pair, expected.terms[i], chain) + double(expected.terms[i]) * oracle_error;
  const auto components = std::size_t(pair.result->components);
  std::array<double, 2> bound{};
  for (std::size_t c = 0; c < components; ++c) bound[c] = relative * expected.magnitude[i * components + c];
  return bound;
}

/// Compares result i of the block, which is result `number` of the case.
Check check_rounded(const Pair& pair, const Expected& expected, const void* results, Index chain,
                    std::size_t i, Index number) {
  const TypeFacts& type = *pair.result;
  const auto components = std::size_t(type.components);
  const std::array<double, 2> bound = bounds(pair, expected, i, chain);
  const bool multiplies = traits_of(pair.op).arithmetic == Arithmetic::multiplication;
  const std::array<double, 2> identity{multiplies ? 1.0 : 0.0, 0};
  Check check{true, 0, 0, {}};
  bool identity_passes = true, is_identity = true;
  for (std::size_t c = 0; c < components; ++c) {
    const std::size_t at = i * components + c;
    const auto [high, low] = expected.wide[at];
    const double got = type.component(results, at);
    if (!std::isfinite(high) || std::abs(high) > type.largest || expected.magnitude[at] > type.largest)
      return {
          false, 0, bound[c],
          fmt::format("result[{}] has no answer to check against: the values are not finite or overflow {}",
                      number, type.name)};
    const double error = std::abs((got - high) - low);
    if (!(error <= bound[c]))  // NaN is never within a bound
      return {false, error, bound[c],
              fmt::format(
                  "result[{}] is {}, the exact answer is {}: off by {:.3g}, where rounding explains {:.3g}{}",
                  number, got, high, error, bound[c],
                  chain > 0 ? fmt::format(" by the chain of {} that is stated", chain) : "")};
    const double distance = std::abs((identity[c] - high) - low);
    identity_passes = identity_passes && distance <= bound[c];
    is_identity = is_identity && distance == 0;
    check.error = std::max(check.error, error);
    check.bound = std::max(check.bound, bound[c]);
  }
  if (identity_passes && !is_identity)
    return {false, check.error, check.bound,
            fmt::format(
                "result[{}]: the bound {:.3g} swallows the answer {:.6g}, so that no result would be wrong; "
                "state a shorter chain of operations (Queue::chain) or take values that do not cancel",
                number, bound[0], expected.wide[i * components].first)};
  return check;
}

}  // namespace

Check check_block(const Pair& pair, const Expected& expected, const void* results, Index chain, Index first) {
  if (expected.wide.empty())
    return check_exact(pair, expected, static_cast<const std::byte*>(results), first);
  const Index count = Index(expected.terms.size());
  Index wrong = count;
  double error = 0, bound = 0;
#pragma omp parallel for reduction(min : wrong) reduction(max : error, bound)
  for (Index i = 0; i < count; ++i) {
    const Check check = check_rounded(pair, expected, results, chain, std::size_t(i), first + i);
    if (!check.right) wrong = std::min(wrong, i);
    error = std::max(error, check.error);
    bound = std::max(bound, check.bound);
  }
  if (wrong < count) return check_rounded(pair, expected, results, chain, std::size_t(wrong), first + wrong);
  return {true, error, bound, {}};
}

Check check_result(const Pair& pair, ExactAnswer& answer, const void* results, Index chain) {
  if (const ExactAnswer::Right* const before = answer.found_right(results, chain))
    return {true, before->error, before->bound, {}};
  Check all{true, 0, 0, {}};
  answer.each_block([&](Index first, const Expected& block) {
    const auto* const here = static_cast<const std::byte*>(results) + std::size_t(first) * pair.result->bytes;
    const Check check = check_block(pair, block, here, chain, first);
    if (!check.right) {
      all = check;
      return false;
    }
    all.error = std::max(all.error, check.error);
    all.bound = std::max(all.bound, check.bound);
    return true;
  });
  if (all.right) answer.remember_right(results, chain, all.error, all.bound);
  return all;
}

}  // namespace redbench
