// Atomics of the kernel language on single words: what each leaves, and that it gives what was there.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "src/simt/block.hpp"

namespace redbench::simt {
namespace {

/// What the word is afterwards.
template <class T>
T after(AtomicOp op, T before, T value) {
  T word = before;
  const T seen = atomic(op, &word, value);
  EXPECT_EQ(std::memcmp(&seen, &before, sizeof before), 0) << "what was there";
  return word;
}

template <class T>
void expect_integers() {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(after<T>(AtomicOp::add, 5, 7), T(12));
  EXPECT_EQ(after<T>(AtomicOp::add, Limits::max(), 2), T(Limits::min() + 1));
  EXPECT_EQ(after<T>(AtomicOp::sub, 9, 7), T(2));
  EXPECT_EQ(after<T>(AtomicOp::sub, Limits::min(), 2), T(Limits::max() - 1));
  EXPECT_EQ(after<T>(AtomicOp::min, 5, 7), T(5));
  EXPECT_EQ(after<T>(AtomicOp::min, 7, 5), T(5));
  EXPECT_EQ(after<T>(AtomicOp::min, Limits::max(), Limits::min()), Limits::min());
  EXPECT_EQ(after<T>(AtomicOp::max, 5, 7), T(7));
  EXPECT_EQ(after<T>(AtomicOp::max, 7, 5), T(7));
  EXPECT_EQ(after<T>(AtomicOp::max, Limits::min(), Limits::max()), Limits::max());
  EXPECT_EQ(after<T>(AtomicOp::exchange, 5, 7), T(7));
  EXPECT_EQ(after<T>(AtomicOp::bit_and, 0b0101, 0b0110), T(0b0100));
  EXPECT_EQ(after<T>(AtomicOp::bit_or, 0b0101, 0b0110), T(0b0111));
  EXPECT_EQ(after<T>(AtomicOp::bit_xor, 0b0101, 0b0110), T(0b0011));
}

TEST(Atomics, OfIntegers) {
  expect_integers<int>();
  expect_integers<unsigned>();
  expect_integers<unsigned short>();
  expect_integers<long>();
  expect_integers<unsigned long>();
  expect_integers<long long>();
  expect_integers<unsigned long long>();
}

TEST(Atomics, CountUpToALimitAndDownFromIt) {
  for (const auto& [before, up, down] :
       {std::tuple(0u, 1u, 3u), {1, 2, 0}, {2, 3, 1}, {3, 0, 2}, {4, 0, 3}, {9, 0, 3}}) {
    EXPECT_EQ(after(AtomicOp::increment, before, 3u), up) << before;
    EXPECT_EQ(after(AtomicOp::decrement, before, 3u), down) << before;
  }
  EXPECT_EQ(after(AtomicOp::increment, 0u, 0u), 0u);
  EXPECT_EQ(after(AtomicOp::decrement, 0u, 0u), 0u);
}

// Of two zeros, which are equal, the one that is there stays.
template <class T>
void expect_fractions() {
  EXPECT_EQ(after<T>(AtomicOp::add, 1.5, 0.25), T(1.75));
  EXPECT_EQ(after<T>(AtomicOp::sub, 1.5, 0.25), T(1.25));
  EXPECT_EQ(after<T>(AtomicOp::min, 1.5, -0.25), T(-0.25));
  EXPECT_EQ(after<T>(AtomicOp::min, -0.25, 1.5), T(-0.25));
  EXPECT_EQ(after<T>(AtomicOp::max, 1.5, -0.25), T(1.5));
  EXPECT_EQ(after<T>(AtomicOp::max, -0.25, 1.5), T(1.5));
  EXPECT_EQ(after<T>(AtomicOp::exchange, 1.5, 0.25), T(0.25));
  for (const AtomicOp op : {AtomicOp::min, AtomicOp::max}) {
    EXPECT_FALSE(std::signbit(after<T>(op, 0.0, -0.0)));
    EXPECT_TRUE(std::signbit(after<T>(op, -0.0, 0.0)));
  }
}

TEST(Atomics, OfFractions) {
  expect_fractions<float>();
  expect_fractions<double>();
}

TEST(Atomics, ComparedByTheirBits) {
  int word = 5;
  EXPECT_EQ(atomic_cas(&word, 4, 7), 5);
  EXPECT_EQ(word, 5);
  EXPECT_EQ(atomic_cas(&word, 5, 7), 5);
  EXPECT_EQ(word, 7);
  double zero = 0.0;
  EXPECT_EQ(atomic_cas(&zero, -0.0, 2.5), 0.0);
  EXPECT_EQ(zero, 0.0) << "another zero";
  EXPECT_EQ(atomic_cas(&zero, 0.0, 2.5), 0.0);
  EXPECT_EQ(zero, 2.5);
  relaxed_store(&zero, 3.5);
  EXPECT_EQ(zero, 3.5);
}

}  // namespace
}  // namespace redbench::simt
