// Values of an input: the generators, files that do not fit, and the axis.
#include "src/inputs/values.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/inputs/distributions.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

InputSpec spec(Type type, Operator op, Index n, const Json& values = "uniform", std::uint64_t seed = 1) {
  return {.type = type,
          .op = op,
          .n = n,
          .axes = {{"values", values}},
          .seed = seed,
          .pair = &reduction(type, op)};
}

constexpr const char* kinds[] = {"uniform", "exact", "equal", "extreme"};

// Records name the seed alone: of another seed's values committed results would say nothing.
TEST(Generators, OfASeedAreForEverTheSame) {
  std::string all;
  for (const Pair& pair : find_problem("reduce")->pairs) {
    all += fmt::format("{} {}:", name_of(pair.op), name_of(pair.type));
    for (const char* kind : kinds) {
      std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
      for (const Index n : {1, 1000, 70'000}) {
        const HostBuffer buffer = make_values(spec(pair.type, pair.op, n, kind, 7), n);
        for (std::size_t i = 0; i < buffer.bytes; ++i)
          hash = (hash ^ std::uint64_t(buffer.data[i])) * 0x100000001b3;
      }
      all += fmt::format(" {} {:016x}", kind, hash);
    }
    all += '\n';
  }
  expect_golden("inputs/values.txt", all);
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

// No partial sum rounds; no value is 0, which could be dropped in silence; no sum is 0, which a kernel that
// writes nothing has. f32 has values of one sign up to 2^18 of them, f16 up to 32.
TEST(Generators, ExactSumsFitTheSignificand) {
  struct {
    Type type;
    double most;
    std::vector<Index> n;
  } const rows[] = {{Type::f32, 0x1p24, {1, 1000, 1 << 18, (1 << 18) + 1, 1 << 20, (1 << 24) + 1}},
                    {Type::f16, 0x1p11, {1, 32, 33, 1000, 2048, 2049, 1 << 16}}};
  for (const auto& row : rows)
    for (const Index n : row.n)
      for (const std::uint64_t seed : {1, 2, 3}) {
        const std::vector<double> values = exact_values(row.type, n, seed);
        EXPECT_EQ(std::ranges::count(values, 0), 0) << n;
        EXPECT_NE(std::accumulate(values.begin(), values.end(), 0.0), 0) << n;
        for (const std::size_t stride : {1, 32, 4096})
          EXPECT_LE(furthest_partial_sum(values, stride), row.most) << n;
        if (n > row.most / 64) continue;
        for (const double x : values) ASSERT_TRUE(x >= 1 && x <= 64 && x == std::floor(x)) << n;
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

// 1e30 x 1e30 overflows f32 though 1e30 x 1e-30 x 1e30 x 1e-30 would not.
TEST(Values, ProductsThatLeaveTheRangeOnTheWay) {
  const TemporaryFolder folder;
  const auto check = [&](const std::vector<f32>& values) {
    const Json file{{"file", folder.write("x.npy", npy_of<f32>("<f4", values))}};
    check_values(spec(Type::f32, Operator::product, 4, file), 4);
  };
  EXPECT_THAT(usage_error([&] { check({1e30f, 1e-30f, 1e30f, 1e-30f}); }),
              HasSubstr("may leave the range of f32 on the way"));
  EXPECT_NO_THROW(check({3, 0.25f, 5, -7}));
}

TEST(ValuesAxis, IsANameOrOneFile) {
  const ProblemAxis axis = values_axis();
  for (const std::string& name : distributions()) EXPECT_NO_THROW(axis.check(name)) << name;
  const std::string file = fixture("f32.npy"), names = "`uniform`, `exact`, `equal` or `extreme`";
  EXPECT_NO_THROW(axis.check({{"file", file}}));
  EXPECT_EQ(usage_error([&] { axis.check("extrem"); }),
            "no distribution `extrem`: allowed are " + names +
                ", and {\"file\": \"x.npy\"}; did you mean `extreme`?");
  for (const Json& bad : {Json(3), Json(), Json::array({"uniform"}), Json::object(), Json{{"file", 3}},
                          Json{{"files", file}}, Json{{"file", file}, {"more", 1}}})
    EXPECT_EQ(usage_error([&] { axis.check(bad); }), "expected " + names + ", or {\"file\": \"x.npy\"}")
        << bad;
  EXPECT_THAT(usage_error([&] { axis.check({{"file", fixture("nan.npy")}}); }),
              testing::StartsWith(fixture("nan.npy")));
}

// Where rounding may differ by the order, results are compared within a bound.
TEST(ValuesAxis, TheOrderOfSomeInputsDoesNotCount) {
  const auto exact = [](Type type, Operator op, const Json& values, Index count) {
    return exact_in_any_order(spec(type, op, count, values), count);
  };
  const Json file{{"file", "x.npy"}};
  EXPECT_TRUE(exact(Type::i32, Operator::sum, "uniform", 1000));
  EXPECT_TRUE(exact(Type::i32, Operator::sum, file, 1000));
  EXPECT_TRUE(exact(Type::f32, Operator::max, "uniform", 1000));
  for (const Json& any : {Json("uniform"), Json("extreme"), file}) {
    EXPECT_TRUE(exact(Type::f32, Operator::sum, any, 0)) << any;
    EXPECT_TRUE(exact(Type::f32, Operator::sum, any, 1)) << any;
    EXPECT_FALSE(exact(Type::f32, Operator::sum, any, 2)) << any;
  }
  EXPECT_TRUE(exact(Type::f32, Operator::sum, "exact", 1000));
  EXPECT_TRUE(exact(Type::f32, Operator::product, "uniform", 1000));
  EXPECT_FALSE(exact(Type::f32, Operator::product, file, 2));
  EXPECT_TRUE(exact(Type::f32, Operator::sum, "equal", Index(1) << 24)) << "as many ones as a float counts";
  EXPECT_FALSE(exact(Type::f32, Operator::sum, "equal", (Index(1) << 24) + 1));
  EXPECT_TRUE(exact(Type::f16, Operator::sum, "equal", 2048));
  EXPECT_FALSE(exact(Type::f16, Operator::sum, "equal", 2049));
}

}  // namespace
}  // namespace redbench
