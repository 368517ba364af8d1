// A data type is one definition: what follows from it, for each value of the type axis.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "src/cell/buffers.hpp"
#include "src/inputs/npy.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

template <class F, class... T>
void for_each_type(TypeList<T...>, const F& f) {
  (f(T{}), ...);
}

/// Whether traits are there, so that `type_of` and all that follows compiles.
template <class T>
concept HasTraits = requires { TypeTraits<T>::type; };

TEST(Types, AnUnknownTypeHasNoTraits) {
  static_assert(HasTraits<f16> && HasTraits<AffineMap>);
  static_assert(!HasTraits<std::uint16_t> && !HasTraits<long double> && !HasTraits<Complex<f16>>);
}

TEST(Types, NamesAndCodesAreUnique) {
  std::set<std::string_view> names, codes;
  for (const TypeFacts& type : all_types()) {
    names.insert(type.name);
    codes.insert(type.npy);
    EXPECT_EQ(name_of(type.type), type.name);
    EXPECT_EQ(&facts_of(type.type), &type);
  }
  EXPECT_EQ(names.size(), type_names.size());
  EXPECT_EQ(codes.size(), type_names.size());
  EXPECT_EQ(names.count(""), 0u);
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

// A value of every type through NumPy's code: what is written comes back, in either byte order.
TEST(Types, EveryTypeIsReadFromNumPyFiles) {
  const TemporaryFolder folder;
  for (const TypeFacts& type : all_types())
    for (const char order : {'<', '>'}) {
      std::string header = std::string("{'descr': '") + order + std::string(type.npy) +
                           "', 'fortran_order': False, 'shape': (2,), }";
      std::string bytes;
      for (std::size_t i = 0; i < 2 * type.bytes; ++i) bytes += char(i + 1);
      std::string text("\x93NUMPY\x01\x00", 8);
      text += char(header.size());
      text += '\0';
      const NpyHeader read = read_npy_header(folder.write("x.npy", text + header + bytes));
      EXPECT_EQ(read.type, type.type);
      EXPECT_EQ(read.element(), type.name);
      const HostBuffer buffer = read_npy(read, 2);
      if (order == '>')
        for (auto word = bytes.begin(); word != bytes.end(); word += std::ptrdiff_t(type.component_bytes))
          std::reverse(word, word + std::ptrdiff_t(type.component_bytes));
      EXPECT_EQ(std::memcmp(buffer.data.get(), bytes.data(), bytes.size()), 0) << type.name << order;
    }
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

TEST(Types, ScratchForASumIsNeverPoisonedWithItsIdentity) {
  for (const Pair& pair : find_problem("reduce")->pairs) {
    if (pair.op != Operator::sum) continue;
    for (const int round : {0, 1}) EXPECT_NE(scratch_poison(pair, round), 0) << pair.value->name;
  }
}

// The lowest number does a maximum no harm, nor the largest a minimum.
TEST(Types, TheSecondPoisonOfScratchWouldChangeTheExtreme) {
  for (const Pair& pair : find_problem("reduce")->pairs) {
    const unsigned char poison = scratch_poison(pair, 1);
    EXPECT_TRUE(pair.op != Operator::min || poison == pair.value->low_poison) << pair.value->name;
    EXPECT_TRUE(pair.op != Operator::max || poison == pair.value->high_poison) << pair.value->name;
  }
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

TEST(Types, MapsAreTwoColumnsOfU32) {
  const TypeFacts& maps = facts_of<AffineMap>();
  EXPECT_EQ(maps.type, Type::u32);
  EXPECT_EQ(maps.columns, 2);
  EXPECT_EQ(maps.bytes, 8u);
  EXPECT_EQ(maps.name, "pairs of u32");
  const AffineMap map{3, 5};
  EXPECT_EQ(maps.text(&map), "x -> 3 x + 5");
}

}  // namespace
}  // namespace redbench
