// Atomics of the kernel language on single words: what each leaves in memory, and that it gives what was there
// before.
#include <cmath>
#include <limits>

#include "tests/simt/runner_support.hpp"

namespace redbench::simt {
namespace {

using enum AtomicOp;

/// What an atomic makes of `old`.
template <class T>
T after(AtomicOp op, T old, T value) {
  T place[3] = {T(77), old, T(78)};
  EXPECT_EQ(atomic(op, &place[1], value), old) << int(op);
  EXPECT_EQ(place[0], T(77)) << int(op);
  EXPECT_EQ(place[2], T(78)) << int(op);
  return place[1];
}

template <class T>
class NumberAtomics : public testing::Test {};
template <class T>
class IntegerAtomics : public testing::Test {};
using Integers =
    testing::Types<int, unsigned, unsigned short, long, unsigned long, long long, unsigned long long>;
using Numbers = testing::Types<int, unsigned, unsigned short, long, unsigned long, long long,
                               unsigned long long, float, double>;
TYPED_TEST_SUITE(NumberAtomics, Numbers);
TYPED_TEST_SUITE(IntegerAtomics, Integers);

TYPED_TEST(NumberAtomics, OfNumbers) {
  const auto is = [](AtomicOp op, int old, int value, int result) {
    EXPECT_EQ(after(op, TypeParam(old), TypeParam(value)), TypeParam(result))
        << int(op) << ": " << old << ", " << value;
  };
  is(add, 9, 5, 14);
  is(sub, 9, 5, 4);
  is(exchange, 9, 5, 5);
  for (const int other : {5, 9}) {
    is(min, other, 14 - other, 5);
    is(max, other, 14 - other, 9);
  }
  // Up to the limit, and from there to 0; down to 0, and from there or from above the limit to it.
  for (const auto& [old, up, down] : {std::tuple(0, 1, 5), {1, 2, 0}, {4, 5, 3}, {5, 0, 4}, {8, 0, 5}}) {
    is(increment, old, 5, up);
    is(decrement, old, 5, down);
  }
}

TYPED_TEST(IntegerAtomics, OfBitsAndBeyondTheLargest) {
  using T = TypeParam;
  EXPECT_EQ(after(bit_and, T(0b0101), T(0b0110)), T(0b0100));
  EXPECT_EQ(after(bit_or, T(0b0101), T(0b0110)), T(0b0111));
  EXPECT_EQ(after(bit_xor, T(0b0101), T(0b0110)), T(0b0011));
  const T largest = std::numeric_limits<T>::max(), smallest = std::numeric_limits<T>::min();
  EXPECT_EQ(after(add, largest, T(2)), T(smallest + 1));
  EXPECT_EQ(after(sub, smallest, T(3)), T(largest - 2));
  if (std::is_signed_v<T>) {
    EXPECT_EQ(after(min, T(-2), T(1)), T(-2));
    EXPECT_EQ(after(max, T(-2), T(1)), T(1));
  } else {
    EXPECT_EQ(after(min, largest, T(1)), T(1));
    EXPECT_EQ(after(max, largest, T(1)), largest);
  }
}

TYPED_TEST(NumberAtomics, ComparesAndStores) {
  using T = TypeParam;
  T place[3] = {T(77), T(9), T(78)};
  EXPECT_EQ(atomic_cas(&place[1], T(8), T(5)), T(9));
  EXPECT_EQ(place[1], T(9)) << "it was not 8";
  EXPECT_EQ(atomic_cas(&place[1], T(9), T(5)), T(9));
  EXPECT_EQ(place[1], T(5));
  relaxed_store(&place[1], T(6));
  EXPECT_EQ(place[1], T(6));
  EXPECT_EQ(place[0], T(77));
  EXPECT_EQ(place[2], T(78));
}

// A negative zero has other bits than zero, so that it is not what was expected.
TEST(AtomicsOfFractions, AreComparedByTheirBits) {
  double zero = -0.0;
  EXPECT_EQ(atomic_cas(&zero, 0.0, 5.0), 0);
  EXPECT_TRUE(std::signbit(zero));
  EXPECT_EQ(zero, 0);
  float sum = 0.5f;
  EXPECT_EQ(atomic(add, &sum, 0.25f), 0.5f);
  EXPECT_EQ(atomic(sub, &sum, 1.5f), 0.75f);
  EXPECT_EQ(sum, -0.75f);
}

TEST(Atomics, BitsOfAFractionAreRefused) {
  with_runner([](BlockRunner& runner) {
    for (const AtomicOp op : {AtomicOp::bit_and, AtomicOp::bit_or, AtomicOp::bit_xor}) {
      float word = 1;
      const std::string error = run(runner, {.threads = 1}, [&](unsigned) { atomic(op, &word, 2.0f); });
      EXPECT_TRUE(error.starts_with("kernel indices, block 0, thread 0 (")) << error;
      EXPECT_TRUE(error.ends_with("): a bitwise atomic on a floating-point number")) << error;
      EXPECT_EQ(word, 1);
    }
  });
}

}  // namespace
}  // namespace redbench::simt
