// Inputs: NumPy files as numpy wrote them (tests/fixtures) and as no one should, and the generators.
#include <gmock/gmock.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "src/inputs/distributions.hpp"
#include "src/inputs/npy.hpp"
#include "src/inputs/values.hpp"
#include "tests/inputs/npy_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::vector<T> read_all(const std::string& name) {
  const NpyHeader header = read_npy_header(fixture(name));
  const HostBuffer buffer = read_npy(header, header.rows());
  EXPECT_EQ(buffer.bytes,
            std::size_t(header.rows() * header.columns()) * sizeof(T) / (header.columns() == 2 ? 2 : 1));
  return {buffer.as<T>(), buffer.as<T>() + header.rows()};
}

TEST(Npy, EveryTypeInEitherByteOrder) {
  EXPECT_THAT(read_all<i32>("i32.npy"), ElementsAre(1, -2, 3, 70000, -2147483647 - 1));
  EXPECT_THAT(read_all<i32>("i32_big.npy"), ElementsAre(1, -2, 3, 70000, -2147483647 - 1));
  EXPECT_THAT(read_all<i64>("i64_big.npy"), ElementsAre(1, -2, i64(1) << 40));
  EXPECT_THAT(read_all<u32>("u32_version2.npy"), ElementsAre(1u, 2u, 4294967295u));
  EXPECT_THAT(read_all<f32>("f32.npy"), ElementsAre(0.5f, -1.25f, 3e38f));
  EXPECT_THAT(read_all<f64>("f64_big_version3.npy"), ElementsAre(0.1, -2.5e300));
  EXPECT_THAT(read_all<c32>("c32_big.npy"), ElementsAre(c32{1, 2}, c32{-0.5, -4}));
  EXPECT_THAT(read_all<c64>("c64.npy"), ElementsAre(c64{1, 2}, c64{-0.5, -4}));
  EXPECT_THAT(read_all<AffineMap>("pairs.npy"),
              ElementsAre(AffineMap{3, 5}, AffineMap{7, 11}, AffineMap{13, 4294967295u}));
  EXPECT_THAT(read_all<u8>("u8.npy"), ElementsAre(1, 2, 3));
  EXPECT_EQ(read_npy_header(fixture("empty.npy")).rows(), 0);
  EXPECT_EQ(read_npy_header(fixture("c32_big.npy")).type, Type::c32);
}

TEST(Npy, APrefixIsRead) {
  const HostBuffer two = read_npy(read_npy_header(fixture("i32_big.npy")), 2);
  EXPECT_EQ(two.bytes, 8u);
  EXPECT_EQ(two.as<i32>()[1], -2);
}

std::string header_error(const std::string& path) {
  return usage_error([&] { read_npy_header(path); });
}

TEST(Npy, WhatIsNoListOfValues) {
  EXPECT_EQ(header_error(fixture("i16.npy")),
            fixture("i16.npy") +
                ": holds elements of NumPy type '<i2'; allowed are i4, i8, u4, f4, f8, c8, c16, u1 and f2 "
                "in either byte order");
  EXPECT_THAT(header_error(fixture("square.npy")), HasSubstr("has 2 dimensions: a list of values has one"));
  EXPECT_THAT(header_error(fixture("scalar.npy")), HasSubstr("has 0 dimensions"));
  EXPECT_THAT(header_error(fixture("fortran_pairs.npy")), HasSubstr("is in Fortran order"));
  EXPECT_THAT(header_error(fixture("records.npy")), HasSubstr("holds records of several fields"));
  EXPECT_THAT(header_error("/dev/null"), HasSubstr("is not a regular file"));
}

TEST(Npy, FilesThatLie) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) { return header_error(folder.write("x.npy", text)); };
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  EXPECT_NO_THROW(read_npy_header(folder.write("x.npy", npy(good, 12))));

  EXPECT_THAT(error(""), HasSubstr("is not a NumPy file"));
  EXPECT_THAT(error("PK\x03\x04 a zip of arrays"), HasSubstr("is not a NumPy file"));
  EXPECT_THAT(error(npy(good, 11)),
              HasSubstr("is cut off: its header promises 12 bytes of data, it holds 11"));
  EXPECT_THAT(error(npy(good, 13)), HasSubstr("has more data than its header says"));
  EXPECT_THAT(error(npy(good, 12).substr(0, 30)), HasSubstr("is cut off within its header"));
  EXPECT_THAT(error("\x93NUMPY\x07\x01" + good + good), HasSubstr("has the NumPy format version 7.1;"));
  EXPECT_THAT(error(std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12)),
              HasSubstr("has a header of 2147483647 bytes"));
  // The product of shape and element size must not wrap around to what the file holds.
  EXPECT_THAT(error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387907,), }", 12)),
              HasSubstr("has more than 2^40 elements"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 12)),
              HasSubstr("the header is not one that NumPy writes"));
  for (const char* damaged :
       {"", "{", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (3,)", "{'shape': (3,), 'descr': }",
        "{'descr': '<f4', 'shape': (-3,), }", "{'descr': '<f4', 'shape': (3,), 'more': 1, }",
        "{'descr' '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (3"})
    EXPECT_THAT(error(npy(damaged, 12)), HasSubstr("the header is not one that NumPy writes")) << damaged;
  EXPECT_THAT(error(npy("{'descr': '<f4, 'shape': (3,)}", 12)), HasSubstr("NumPy type '<f4, '"));
  EXPECT_THAT(error(npy("{'descr': '', 'fortran_order': False, 'shape': (3,), }", 12)),
              HasSubstr(": holds elements of NumPy type ''; allowed are"));
}

InputSpec spec(Type type, Operator op, Index n, const Json& values = "uniform", std::uint64_t seed = 1) {
  return {.type = type,
          .op = op,
          .n = n,
          .axes = {{"values", values}},
          .seed = seed,
          .pair = &reduction(type, op)};
}

bool same_bytes(const HostBuffer& a, const HostBuffer& b, std::size_t bytes) {
  return std::memcmp(a.data.get(), b.data.get(), bytes) == 0;
}

constexpr const char* kinds[] = {"uniform", "exact", "equal", "extreme"};

TEST(Generators, TheSameForAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  for (const Pair& pair : find_problem("reduce")->pairs)
    for (const char* kind : kinds) {
      const InputSpec input = spec(pair.type, pair.op, 10007, kind);
      omp_set_num_threads(1);
      const HostBuffer one = make_values(input, input.n);
      omp_set_num_threads(7);
      const HostBuffer seven = make_values(input, input.n);
      EXPECT_TRUE(same_bytes(one, seven, one.bytes)) << name_of(pair.type) << name_of(pair.op) << kind;
    }
  omp_set_num_threads(threads);
}

TEST(Generators, ALongerInputStartsWithTheShorterOne) {
  for (const Pair& pair : find_problem("reduce")->pairs) {
    const HostBuffer shorter = make_values(spec(pair.type, pair.op, 1000), 1000),
                     longer = make_values(spec(pair.type, pair.op, 5000), 5000);
    EXPECT_TRUE(same_bytes(shorter, longer, shorter.bytes)) << name_of(pair.type) << name_of(pair.op);
  }
}

TEST(Generators, SeedsDiffer) {
  const HostBuffer one = make_values(spec(Type::i32, Operator::sum, 1000, "uniform", 1), 1000);
  const HostBuffer two = make_values(spec(Type::i32, Operator::sum, 1000, "uniform", 2), 1000);
  int equal = 0;
  for (int i = 0; i < 1000; ++i) equal += one.as<i32>()[i] == two.as<i32>()[i];
  EXPECT_LT(equal, 3);
}

template <class Op>
void expect_none_is_the_identity() {
  using T = typename Op::Value;
  for (const char* kind : kinds) {
    const HostBuffer buffer = make_values(spec(Op::type, Op::name, 1 << 16, kind), 1 << 16);
    for (Index i = 0; i < 1 << 16; ++i) ASSERT_FALSE(buffer.as<T>()[i] == Op::identity()) << kind << i;
  }
}
TEST(Generators, NoValueIsTheIdentityOfRight) {
  for_each_operator(AllPairs{}, [](auto op) {
    if constexpr (decltype(op)::name == Operator::right) expect_none_is_the_identity<decltype(op)>();
  });
}

TEST(Generators, IntegerProductsNeverVanish) {
  for (const char* kind : kinds) {
    const HostBuffer buffer = make_values(spec(Type::i32, Operator::product, 4096, kind), 4096);
    for (Index i = 0; i < 4096; ++i) ASSERT_EQ(buffer.as<i32>()[i] & 1, 1) << kind << i;
  }
}

TEST(Generators, EveryBitOfAnIntegerToggles) {
  const HostBuffer buffer = make_values(spec(Type::i64, Operator::sum, 256), 256);
  std::uint64_t ever_one = 0, ever_zero = 0;
  for (Index i = 0; i < 256; ++i) {
    ever_one |= std::uint64_t(buffer.as<i64>()[i]);
    ever_zero |= ~std::uint64_t(buffer.as<i64>()[i]);
  }
  EXPECT_EQ(ever_one, ~std::uint64_t(0));
  EXPECT_EQ(ever_zero, ~std::uint64_t(0));
}

TEST(Generators, FloatsOfASumFillTheUnitInterval) {
  const Index n = 1 << 16;
  const HostBuffer buffer = make_values(spec(Type::f32, Operator::sum, n), n);
  double sum = 0;
  float low = 1, high = 0;
  for (Index i = 0; i < n; ++i) {
    const float x = buffer.as<f32>()[i];
    ASSERT_TRUE(x >= 0 && x < 1);
    sum += x;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  EXPECT_NEAR(sum / double(n), 0.5, 0.01);  // a standard deviation is 0.29 / 256 = 0.0011
  EXPECT_LT(low, 0.001);
  EXPECT_GT(high, 0.999);
}

/// Products in three orders: each step must be exact, so that all agree.
template <class T>
void expect_exact_products(Type type) {
  const Index n = 100003;
  for (const char* kind : kinds) {
    const HostBuffer buffer = make_values(spec(type, Operator::product, n, kind), n);
    const T* x = buffer.as<T>();
    const Product<T> times;
    T forward = Product<T>::identity(), backward = forward, strided = forward;
    for (Index i = 0; i < n; ++i) forward = times(forward, x[i]);
    for (Index i = n; i-- > 0;) backward = times(backward, x[i]);
    for (Index s = 0; s < 64; ++s) {
      T part = Product<T>::identity();
      for (Index i = s; i < n; i += 64) part = times(part, x[i]);
      strided = times(strided, part);
    }
    EXPECT_TRUE(forward == backward) << kind;
    EXPECT_TRUE(forward == strided) << kind;
    EXPECT_FALSE(forward == T{}) << kind;  // neither underflow ...
    if constexpr (!is_complex<T>) {
      EXPECT_TRUE(std::isfinite(forward)) << kind;  // ... nor overflow
    }
  }
}
TEST(Generators, ProductsOfFloatsAreExactInAnyOrder) {
  expect_exact_products<f32>(Type::f32);
  expect_exact_products<f64>(Type::f64);
  expect_exact_products<c32>(Type::c32);
  expect_exact_products<c64>(Type::c64);
}

TEST(Generators, NoSubsetOfAProductLeavesTheRange) {
  // All factors of 2 alone, then all of 1/2: the worst orders that there are.
  const Index n = Index(1) << 22;
  const HostBuffer buffer = make_values(spec(Type::f32, Operator::product, n), n);
  int up = 0, down = 0;
  for (Index i = 0; i < n; ++i) {
    const float size = std::abs(buffer.as<f32>()[i]);
    ASSERT_TRUE(size == 1 || size == 2 || size == 0.5f) << i;
    up += size == 2;
    down += size == 0.5f;
  }
  // Elements 2, 3, 4, 6, 8, 12, ..., 2^21, 3 x 2^20: two for each of 21 octaves.
  EXPECT_EQ(up + down, 2 * 21);
  EXPECT_GT(up, 5);
  EXPECT_GT(down, 5);
}

/// Sums of floats.
std::vector<double> exact_values(Type type, Index n, std::uint64_t seed = 1) {
  InputSpec input = spec(type, Operator::sum, n, "exact");
  input.seed = seed;
  check_values(input, n);
  const HostBuffer buffer = make_values(input, n);
  std::vector<double> values;
  values.reserve(std::size_t(n));
  for (Index i = 0; i < n; ++i)
    values.push_back(input.pair->value->component(buffer.data.get(), std::size_t(i)));
  return values;
}

/// Of the partial sums by steps of `stride`, one row after the other.
double furthest_partial_sum(const std::vector<double>& values, std::size_t stride) {
  double sum = 0, furthest = 0;
  for (std::size_t first = 0; first < stride; ++first)
    for (std::size_t i = first; i < values.size(); i += stride) {
      sum += values[i];
      furthest = std::max(furthest, std::abs(sum));
    }
  return furthest;
}

TEST(Generators, ExactSumsFitTheSignificand) {
  for (const Index n : {Index(1), Index(1000), Index(1) << 18}) {
    double sum = 0;
    for (const double x : exact_values(Type::f32, n)) {
      ASSERT_TRUE(x >= 1 && x <= 64 && x == std::floor(x)) << n;
      sum += x;
    }
    EXPECT_LE(sum, 0x1p24) << n;
  }
  for (const Index n : {(Index(1) << 18) + 1, Index(1) << 20, Index(1) << 24, (Index(1) << 24) + 1})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const std::vector<double> values = exact_values(Type::f32, n, seed);
      EXPECT_EQ(std::ranges::count(values, 0), 0) << n;  // one could be dropped in silence
      for (const std::size_t stride : {1, 32, 4096})
        EXPECT_LT(furthest_partial_sum(values, stride), 0x1p24) << n;
      // A kernel that writes zero must not pass.
      EXPECT_NE(std::accumulate(values.begin(), values.end(), 0.0), 0) << n;
    }
}

TEST(Generators, AsManySizesAsLeaveRoom) {
  using Kind = WholeNumbers::Kind;
  EXPECT_EQ(whole_numbers(24, Index(1) << 29).most, 64);
  EXPECT_EQ(whole_numbers(24, Index(1) << 32).most, 27);
  EXPECT_EQ(whole_numbers(53, Index(1) << 40).kind, Kind::positive);
  EXPECT_EQ(whole_numbers(11, Index(1) << 16).most, 1);
  EXPECT_EQ(whole_numbers(11, (Index(1) << 16) + 1).kind, Kind::sparse);
  for (int digits : {11, 24})
    for (Index n = 33; n < Index(1) << 34; n = n * 5 / 3) {
      const WholeNumbers drawn = whole_numbers(digits, n);
      if (drawn.kind != Kind::odd_of_either_sign) continue;
      const double sizes = double(drawn.most), spread = std::sqrt((4 * sizes * sizes - 1) / 3 * double(n));
      EXPECT_LE(8 * spread, double(exact_sum(digits))) << n;
    }
}

// All were 1 from 2^23 values on: a sum that counts one twice instead of another was the same.
TEST(Generators, AnExactSumShowsAValueForAnotherAndASkippedTile) {
  for (const Index n : {Index(1) << 17, Index(1) << 24, (Index(1) << 24) + 1})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const std::vector<double> values = exact_values(Type::f32, n, seed);
      constexpr std::size_t tile = 1024;
      std::size_t alike = 0, silent = 0;
      for (std::size_t i = 1; i < values.size(); ++i) alike += values[i] == values[i - 1];
      for (std::size_t i = 0; i < values.size(); i += tile)
        silent += std::accumulate(&values[i], values.data() + std::min(i + tile, values.size()), 0.0) == 0;
      EXPECT_LE(double(alike) / double(n), 0.018) << n << " " << seed;
      EXPECT_LE(double(silent) * double(tile) / double(n), 0.001) << n << " " << seed;
    }
}

// 65504 is the largest f16: a sum of 2^20 values from [0, 1) would be eight times that.
TEST(Generators, SumsOfHalfPrecisionStayInRange) {
  for (const char* kind : {"uniform", "equal", "extreme"})
    for (const Index n : {Index(1), Index(1) << 15, (Index(1) << 15) + 1, Index(1) << 20, Index(1) << 22}) {
      const HostBuffer buffer = make_values(spec(Type::f16, Operator::sum, n, kind), n);
      double sum = 0;
      Index zeros = 0;
      for (Index i = 0; i < n; ++i) {
        const double x = double(buffer.as<f16>()[i]);
        ASSERT_TRUE(x >= 0 && x <= 65504) << kind << n;
        sum += x;
        zeros += x == 0;
      }
      EXPECT_LE(sum, 32768) << kind << n;  // 2^15, so that rounding upwards has room
      EXPECT_GE(sum, n == 1 ? 0 : kind == std::string("extreme") ? 8 : 8000) << kind << n;
      EXPECT_LE(zeros, 2 + n / 1000) << kind << n;
    }
}

TEST(Generators, EveryBitOfAHalfIsRandom) {
  const Index n = 1 << 20;  // values below 2^-5 of 11 digits: whole multiples of 2^-16
  const HostBuffer buffer = make_values(spec(Type::f16, Operator::sum, n), n);
  std::set<double> values;
  for (Index i = 0; i < n; ++i) values.insert(double(buffer.as<f16>()[i]));
  EXPECT_EQ(values.size(), 2048u);
  EXPECT_EQ(*values.rbegin(), 2047 * 0x1p-16);
}

TEST(Generators, ExactSumsOfHalfPrecision) {
  for (const Index n : {Index(1000), Index(2048), Index(2049), Index(1) << 16})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const std::vector<double> values = exact_values(Type::f16, n, seed);
      EXPECT_EQ(std::ranges::count(values, 0), 0) << n;
      EXPECT_NE(std::accumulate(values.begin(), values.end(), 0.0), 0) << n;
      for (const std::size_t stride : {1, 32, 256})
        EXPECT_LE(furthest_partial_sum(values, stride), 2048) << n;
    }
}

// Above 2^16 values of f16 no such check ran, and the bound let a third be left out.
TEST(Generators, AnExactSumOfManyHalvesShowsASkippedPart) {
  for (const Index n : {(Index(1) << 16) + 1, Index(1) << 17, Index(1) << 24, (Index(1) << 24) + 1})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      const std::vector<double> values = exact_values(Type::f16, n, seed);
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      EXPECT_LE(sum, 2048) << n;
      EXPECT_EQ(std::ranges::count(values, 0), n - 1024) << n;
      // Two windows hold a whole one, wherever they begin.
      const std::size_t part = 2 * std::size_t(n / 1024 + 1);
      for (std::size_t i = 0; i + part <= values.size(); i += part / 3)
        ASSERT_GT(std::accumulate(&values[i], &values[i] + part, 0.0), 0) << n << " at " << i;
    }
}

TEST(Values, FilesThatTheCaseCannotUse) {
  const auto check = [](Type type, Operator op, Index n, const std::string& name) {
    return [=] { check_values(spec(type, op, n, {{"file", fixture(name)}}), n); };
  };
  const auto error = [&](auto... input) { return usage_error(check(input...)); };
  const auto refusal = [&](auto... input) { return refused(check(input...)); };
  EXPECT_EQ(refusal(Type::f32, Operator::sum, 3, "i32.npy"), fixture("i32.npy") + " holds i32, not f32");
  EXPECT_EQ(error(Type::i32, Operator::sum, 6, "i32.npy"),
            fixture("i32.npy") + " holds 5 values, n asks for 6");
  EXPECT_EQ(refusal(Type::u32, Operator::sum, 3, "pairs.npy"),
            fixture("pairs.npy") + " holds pairs of u32, not u32");
  EXPECT_EQ(refusal(Type::u32, Operator::affine, 3, "u32_version2.npy"),
            fixture("u32_version2.npy") + " holds u32, not pairs of u32");
  EXPECT_THAT(error(Type::i32, Operator::right, 5, "i32.npy"),
              HasSubstr("element 4 is the value that `right` sets aside"));
  EXPECT_NO_THROW(check_values(spec(Type::i32, Operator::right, 4, {{"file", fixture("i32.npy")}}),
                               4));  // the prefix is clean
}

TEST(Values, ProductsThatLeaveTheRangeOnTheWay) {
  // 1e30 x 1e30 overflows f32 though 1e30 x 1e-30 x 1e30 x 1e-30 would not.
  const TemporaryFolder folder;
  const float far[] = {1e30f, 1e-30f, 1e30f, 1e-30f}, near[] = {3, 0.25, 5, -7};
  const auto write = [&](const float(&values)[4]) {
    return folder.write("x.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 0) +
                                     std::string(reinterpret_cast<const char*>(values), sizeof values));
  };
  const InputSpec input = spec(Type::f32, Operator::product, 4, {{"file", write(far)}});
  EXPECT_THAT(usage_error([&] { check_values(input, 4); }),
              HasSubstr("may leave the range of f32 on the way"));
  write(near);
  EXPECT_NO_THROW(check_values(input, 4));
}

}  // namespace
}  // namespace redbench
