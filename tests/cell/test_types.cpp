// A data type is one definition: what follows from it, for each value of the type axis.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support.hpp"

namespace redbench {
namespace {

template <class F, class... T>
void for_each_type(TypeList<T...>, const F& f) {
  (f(T{}), ...);
}

TEST(Types, FloatsAgreeWithTheLanguage) {
  for_each_type(TypeList<f32, f64>{}, [](auto x) {
    using T = decltype(x);
    using Traits = TypeTraits<T>;
    using Limits = std::numeric_limits<T>;
    EXPECT_EQ(Traits::digits, Limits::digits);
    EXPECT_EQ(Traits::max_exponent, Limits::max_exponent);
    EXPECT_EQ(Traits::min_exponent, Limits::min_exponent);
    EXPECT_EQ(Traits::highest(), Limits::infinity());
    EXPECT_EQ(Traits::lowest(), -Limits::infinity());
    EXPECT_EQ(Traits::largest(), Limits::max());
    EXPECT_EQ(facts_of<T>().unit, Limits::epsilon() / 2);
  });
}

// IEEE 754-2008, table 3.5: binary16 has 11 digits, exponents -14 to 15.
TEST(Types, HalfPrecision) {
  using Traits = TypeTraits<f16>;
  EXPECT_EQ(double(Traits::largest()), 65504);
  EXPECT_EQ(double(Traits::highest()), INFINITY);
  EXPECT_EQ(Traits::min_exponent, -13);
  EXPECT_EQ(facts_of<f16>().unit, 0x1p-11);
  // Half-way to the even neighbour: 2049 goes down, 2051 up.
  EXPECT_EQ(double(Sum<f16>()(f16(2048), f16(1))), 2048);
  EXPECT_EQ(double(Sum<f16>()(f16(2050), f16(1))), 2052);
  EXPECT_EQ(double(Sum<f16>()(f16(65504), f16(32))), INFINITY);
  // Each addition rounds by itself: 2048 + 1 + 1 is 2050 only where the sum is kept in a wider type.
  EXPECT_EQ(double(Sum<f16>()(Sum<f16>()(f16(2048), f16(1)), f16(1))), 2048);
  EXPECT_EQ(double(Min<f16>::identity()), INFINITY);
  EXPECT_EQ(facts_of<f16>().text(std::array{f16(0.5)}.data()), "0.5");
}

// The upper half of an f32: 8 digits, its exponents. 257 and 259 are half-way between even neighbours.
TEST(Types, Bfloat16) {
  using Traits = TypeTraits<bf16>;
  EXPECT_EQ(double(Traits::largest()), 0x1.FEp127);
  EXPECT_EQ(double(Traits::lowest()), -INFINITY);
  EXPECT_EQ(Traits::min_exponent, TypeTraits<f32>::min_exponent);
  EXPECT_EQ(facts_of<bf16>().unit, 0x1p-8);
  EXPECT_EQ(double(Sum<bf16>()(bf16(256), bf16(1))), 256);
  EXPECT_EQ(double(Sum<bf16>()(bf16(258), bf16(1))), 260);
  EXPECT_EQ(double(Sum<bf16>()(Traits::largest(), bf16(0x1p119f))), INFINITY);
  EXPECT_EQ(double(bf16(0x1p-133f)), 0x1p-133) << "the least subnormal";
  EXPECT_TRUE(std::isnan(double(bf16(NAN))));
}

/// A component made of this byte alone.
template <class T>
typename TypeTraits<T>::Real repeated(unsigned char byte) {
  typename TypeTraits<T>::Real value;
  std::memset(&value, byte, sizeof value);
  return value;
}

// A poison that is a NaN in some type would be dropped by a comparison that is always false, one in the
// middle of the order by any other value: both would hide that memory was read which nobody wrote.
TEST(Types, PoisonsAreFiniteAndNearTheEndsOfTheOrder) {
  for_each_type(DataTypes{}, [](auto x) {
    using T = decltype(x);
    const TypeFacts& type = facts_of<T>();
    const double low = double(repeated<T>(type.low_poison)), high = double(repeated<T>(type.high_poison));
    EXPECT_TRUE(std::isfinite(low) && std::isfinite(high)) << type.name;
    // Floats are near the ends where their exponents are.
    const double near = type.integer ? 1.02 : 0x1p16;
    EXPECT_LE(low, std::is_unsigned_v<typename TypeTraits<T>::Real> ? 0 : -type.largest / near) << type.name;
    EXPECT_GE(high, type.largest / near) << type.name;
  });
}

TEST(Types, WhatIsNotFiniteIsFoundByItsElement) {
  const c32 values[] = {{1, 2}, {3, 4}, {5, INFINITY}, {NAN, 1}};
  EXPECT_EQ(facts_of<c32>().first_not_finite(values, 4), 2);
  EXPECT_EQ(facts_of<c32>().first_not_finite(values, 2), 2);
  const f16 halves[] = {TypeTraits<f16>::largest(), TypeTraits<f16>::lowest()};
  EXPECT_EQ(facts_of<f16>().first_not_finite(halves, 2), 1);
  const i32 ones[] = {-1, -1};
  EXPECT_EQ(facts_of<i32>().first_not_finite(ones, 2), 2);
}

}  // namespace
}  // namespace redbench
