// Each oracle against the operator that kernels use, and against the same operator with a mistake in it: an
// oracle that used the operator's code would agree with both.
#include <gtest/gtest.h>

#include <functional>

#include "src/inputs/values.hpp"
#include "src/reference/exact_answer.hpp"
#include "src/reference/fold.hpp"
#include "src/reference/oracle.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// A reduction by `op`, from left to right.
template <class Op, class F>
typename Op::Value by_loop(const HostBuffer& values, Index n, F op) {
  auto total = Op::identity();
  for (Index i = 0; i < n; ++i) total = op(total, values.as<typename Op::Value>()[i]);
  return total;
}

template <class Op>
struct Mistake {
  const char* what;
  typename Op::Value (*op)(typename Op::Value x, typename Op::Value y);
};

/// The reference must agree with the operator on each prefix of a list, and disagree with the mistaken one on
/// some.
template <class Op>
void expect_seen(const Mistake<Op>& mistake) {
  using T = typename Op::Value;
  constexpr Index most = 1009;
  const Pair& pair = reduction(Op::type, Op::name);
  InputSpec input{.type = Op::type, .op = Op::name, .n = most, .pair = &pair};
  input.axes["values"] = pair.exact ? "uniform" : "exact";
  const HostBuffer values = make_values(input, most);
  const std::string where = fmt::format("{} of {}: {}", name_of(Op::name), name_of(Op::type), mistake.what);
  bool seen = false;
  for (Index n = 1; n <= most; n = n < 64 ? n + 1 : 2 * n) {
    const Expected expected =
        fold(pair, true, 1, [&](Index) { return List{values.data.get(), n}; })->block(0, 1);
    EXPECT_TRUE(*expected.exact.as<T>() == by_loop<Op>(values, n, Op())) << where;
    seen = seen || !(*expected.exact.as<T>() == by_loop<Op>(values, n, mistake.op));
  }
  EXPECT_TRUE(seen) << where;
}

template <class T>
void expect_integer_mistakes_are_seen() {
  expect_seen<Sum<T>>({"saturates", [](T x, T y) {
                         T sum;
                         const T end = y < 0 ? TypeTraits<T>::lowest() : TypeTraits<T>::highest();
                         return __builtin_add_overflow(x, y, &sum) ? end : sum;
                       }});
  expect_seen<Sum<T>>({"loses the carry into the upper half", [](T x, T y) {
                         constexpr T low = T((T(1) << (4 * sizeof(T))) - 1);
                         return T((wrapping_sum(x, y) & low) | wrapping_sum(T(x & ~low), T(y & ~low)));
                       }});
  expect_seen<Product<T>>({"multiplies half of the bits", [](T x, T y) {
                             constexpr int half = 4 * sizeof(T);
                             return T(std::make_unsigned_t<T>(wrapping_product(x, y)) << half >> half);
                           }});
  expect_seen<Product<T>>({"adds", [](T x, T y) { return wrapping_sum(x, y); }});
  expect_seen<Min<T>>({"takes the first", [](T x, T) { return x; }});
  expect_seen<Min<T>>(
      {"compares the other signedness", [](T x, T y) {
         using Other =
             std::conditional_t<std::is_signed_v<T>, std::make_unsigned_t<T>, std::make_signed_t<T>>;
         return Other(y) < Other(x) ? y : x;
       }});
  expect_seen<Max<T>>({"takes the smaller", [](T x, T y) { return y < x ? y : x; }});
  expect_seen<Right<T>>({"takes the left", [](T x, T y) { return x == Right<T>::identity() ? y : x; }});
}

TEST(Oracles, SeeMistakesInIntegerOperators) {
  expect_integer_mistakes_are_seen<i32>();
  expect_integer_mistakes_are_seen<i64>();
  expect_integer_mistakes_are_seen<u32>();
}

template <class T>
void expect_order_mistakes_are_seen() {
  expect_seen<Min<T>>({"compares the bits", [](T x, T y) {
                         using Bits = typename TypeTraits<T>::Bits;
                         return std::bit_cast<Bits>(y) < std::bit_cast<Bits>(x) ? y : x;
                       }});
  expect_seen<Min<T>>(
      {"compares magnitudes", [](T x, T y) { return std::abs(double(y)) < std::abs(double(x)) ? y : x; }});
  expect_seen<Max<T>>({"takes the last", [](T, T y) { return y; }});
  expect_seen<Max<T>>({"takes the smaller", [](T x, T y) { return y < x ? y : x; }});
}
TEST(Oracles, ReadEveryFiniteHalf) {
  for (std::uint32_t bits = 0; bits < 1 << 16; ++bits) {
    const f16 value = std::bit_cast<f16>(std::uint16_t(bits));
    if (!std::isfinite(double(value))) continue;
    EXPECT_EQ(oracles::double_of(value), double(value)) << bits;
    EXPECT_EQ(std::signbit(oracles::double_of(value)), std::signbit(double(value))) << bits;
  }
}

TEST(Oracles, SeeMistakesInTheOrderOfFloats) {
  expect_order_mistakes_are_seen<f16>();
  expect_order_mistakes_are_seen<f32>();
  expect_order_mistakes_are_seen<f64>();
}

template <class T>
void expect_sum_mistakes_are_seen() {
  expect_seen<Sum<T>>({"drops what is small compared with the sum",
                       [](T x, T y) { return T(y * T(64)) < x ? x : wrapping_sum(x, y); }});
  expect_seen<Sum<T>>({"subtracts", [](T x, T y) { return T(x - y); }});
}
TEST(Oracles, SeeMistakesInFloatOperators) {
  expect_sum_mistakes_are_seen<f16>();
  expect_sum_mistakes_are_seen<f32>();
  expect_sum_mistakes_are_seen<f64>();
  expect_seen<Product<f32>>({"loses signs", [](f32 x, f32 y) { return std::abs(x * y); }});
  expect_seen<Product<f64>>({"adds", [](f64 x, f64 y) { return x + y; }});
  expect_seen<Right<f32>>({"takes the left", [](f32 x, f32) { return x; }});
  expect_seen<Right<f64>>({"takes the larger", [](f64 x, f64 y) { return x < y ? y : x; }});
}

template <class T>
void expect_complex_mistakes_are_seen() {
  expect_seen<Sum<T>>({"loses the imaginary part", [](T x, T y) -> T { return {x.re + y.re, x.im}; }});
  expect_seen<Sum<T>>({"swaps the components", [](T x, T y) -> T { return {x.re + y.im, x.im + y.re}; }});
  expect_seen<Product<T>>(
      {"conjugates", [](T x, T y) -> T { return {x.re * y.re + x.im * y.im, x.re * y.im - x.im * y.re}; }});
  expect_seen<Product<T>>(
      {"multiplies by component", [](T x, T y) -> T { return {x.re * y.re, x.im * y.im}; }});
  expect_seen<Right<T>>({"mixes two values", [](T x, T y) -> T { return {y.re, x.im}; }});
}
TEST(Oracles, SeeMistakesInComplexOperators) {
  expect_complex_mistakes_are_seen<c32>();
  expect_complex_mistakes_are_seen<c64>();
}

// x -> 2x + 3 then x -> 5x + 7: the wrong order, a lost addend and a lost factor.
TEST(Oracles, SeeMistakesInAffine) {
  expect_seen<Affine>({"swaps its operands", [](AffineMap x, AffineMap y) { return Affine()(y, x); }});
  expect_seen<Affine>(
      {"loses an addend", [](AffineMap x, AffineMap y) -> AffineMap { return {y.a * x.a, y.a * x.b}; }});
  expect_seen<Affine>({"does not scale the addend",
                       [](AffineMap x, AffineMap y) -> AffineMap { return {y.a * x.a, x.b + y.b}; }});
}

// Identities by hand: with a wrong one an empty segment, or a tail that is filled up, would be wrong.
TEST(Oracles, NothingGivesTheIdentityOfEachOperator) {
  for_each_operator(AllPairs{}, [](auto op) {
    using Op = decltype(op);
    const Expected none =
        fold(reduction(Op::type, Op::name), true, 1, [](Index) { return List{nullptr, 0}; })->block(0, 1);
    EXPECT_TRUE(*none.exact.as<typename Op::Value>() == Op::identity())
        << name_of(Op::name) << " of " << name_of(Op::type);
  });
}

/// Counts blocks, and insists on their order.
class Numbers final : public Reference {
 public:
  Numbers(Index results, bool exact, int& calls) : results_(results), exact_(exact), calls_(calls) {}
  Index results() const override { return results_; }
  Expected block(Index first, Index count) override {
    EXPECT_TRUE(first == 0 || first == next_);
    next_ = first + count;
    ++calls_;
    Expected expected;
    if (exact_) expected.exact = HostBuffer(std::size_t(count) * sizeof(i32));
    for (Index i = 0; i < count; ++i)
      if (exact_) {
        expected.exact.as<i32>()[i] = i32(first + i);
      } else {
        expected.wide.emplace_back(first + i, 0);
        expected.magnitude.push_back(1);
        expected.terms.push_back(2);
      }
    return expected;
  }

 private:
  Index results_, next_ = 0;
  bool exact_;
  int& calls_;
};

TEST(ExactAnswer, GoesThroughAllBlocksInOrderEachTime) {
  int calls = 0;
  constexpr Index many = 600'001;
  ExactAnswer answer(reduction(Type::i32, Operator::sum), std::make_unique<Numbers>(many, true, calls));
  for (int round = 0; round < 2; ++round) {
    Index next = 0;
    answer.each_block([&](Index first, const Expected& block) {
      EXPECT_EQ(first, next);
      EXPECT_EQ(block.exact.as<i32>()[0], i32(first));
      next += Index(block.exact.bytes / sizeof(i32));
      return true;
    });
    EXPECT_EQ(next, many);
  }
  EXPECT_EQ(calls, 3) << "an exact answer is kept";
}

// Stopped behind the first block, the next use must find all of them.
TEST(ExactAnswer, AUseThatStopsEarlyLeavesTheNextWhole) {
  for (const bool exact : {true, false}) {
    int calls = 0;
    constexpr Index many = Index(1) << 24;  // of doubles: 32 bytes each are more than are kept
    const Pair& pair = exact ? reduction(Type::i32, Operator::sum) : reduction(Type::f64, Operator::sum);
    ExactAnswer answer(pair, std::make_unique<Numbers>(exact ? many / 16 : many, exact, calls));
    answer.each_block([](Index, const Expected&) { return false; });
    Index blocks = 0, last = -1;
    answer.each_block([&](Index first, const Expected&) {
      EXPECT_GT(first, last);
      last = first;
      return ++blocks < 5;
    });
    EXPECT_EQ(blocks, exact ? 4 : 5);
    // Too large to be kept: calculated anew, as far as it is wanted.
    EXPECT_EQ(calls, exact ? 4 : 6);
  }
}

/// Blocks of one answer each, whatever was asked for.
class OneEach final : public Reference {
 public:
  OneEach(Index results, std::function<Expected(int call)> make, int& calls)
      : results_(results), make_(std::move(make)), calls_(calls) {}
  Index results() const override { return results_; }
  Expected block(Index, Index) override { return make_(calls_++); }

 private:
  const Index results_;
  const std::function<Expected(int)> make_;
  int& calls_;
};

template <class T>
Expected exactly(T value) {
  Expected expected;
  expected.exact = HostBuffer(sizeof value);
  *expected.exact.as<T>() = value;
  return expected;
}

// A component, or a half of one of eight bytes, which a kernel may leave as it was.
TEST(ExactAnswer, LooksForAWordOfOnesInEveryBlock) {
  constexpr Index two_blocks = (Index(1) << 18) + 1;
  const auto has_ones = [](const Pair& pair, Index results, std::function<Expected(int)> make, int calls) {
    int called = 0;
    ExactAnswer answer(pair, std::make_unique<OneEach>(results, std::move(make), called));
    const bool found = answer.has_all_ones();
    EXPECT_EQ(answer.has_all_ones(), found);
    EXPECT_EQ(called, calls);
    return found;
  };
  const Pair &wide = reduction(Type::i64, Operator::sum), &half = reduction(Type::f16, Operator::max),
             &byte = reduction(Type::u8, Operator::max), &rounded = reduction(Type::f64, Operator::sum);
  const auto of = [](i64 value) { return [=](int) { return exactly(value); }; };
  EXPECT_TRUE(has_ones(wide, 1, of(0x11223344ffffffff), 1));
  EXPECT_TRUE(has_ones(wide, 1, of(-0x100000000 + 5), 1));
  EXPECT_FALSE(has_ones(wide, 1, of(0x1122ffffffff3344), 1)) << "no word is left as it was";
  EXPECT_TRUE(has_ones(byte, 1, [](int) { return exactly(std::uint8_t(0xff)); }, 1));
  const auto last_of_many = [](i64 last) {
    return [=](int) {
      Expected many;
      many.exact = HostBuffer(sizeof(i64) << 17);
      std::fill_n(many.exact.as<i64>(), 1 << 17, 5);
      many.exact.as<i64>()[(1 << 17) - 1] = last;
      return many;
    };
  };
  EXPECT_TRUE(has_ones(wide, 1 << 17, last_of_many(-1), 1));
  EXPECT_FALSE(has_ones(wide, 1 << 17, last_of_many(6), 1));
  EXPECT_FALSE(has_ones(wide, 1, of(0x11ffffff22ffffff), 1));
  EXPECT_TRUE(has_ones(half, 1, [](int) { return exactly(std::uint16_t(0xffff)); }, 1));
  EXPECT_FALSE(has_ones(half, 1, [](int) { return exactly(std::uint16_t(0xff7f)); }, 1));
  EXPECT_FALSE(has_ones(wide, 0, of(-1), 0)) << "there is no result";
  EXPECT_TRUE(has_ones(wide, two_blocks, [](int call) { return exactly(i64(call ? 5 : -1)); }, 1));
  EXPECT_TRUE(has_ones(wide, two_blocks, [](int call) { return exactly(i64(call ? -1 : 5)); }, 2));
  EXPECT_FALSE(has_ones(wide, two_blocks, of(5), 2));
  const auto make_wide = [](int) {
    Expected expected;
    expected.wide = {{-1, 0}};
    return expected;
  };
  EXPECT_FALSE(has_ones(rounded, two_blocks, make_wide, 1)) << "they are compared by their errors";
}

}  // namespace
}  // namespace redbench
