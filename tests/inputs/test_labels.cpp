// The axes "labels" and "m": each distribution against its definition, and files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <omp.h>

#include <cmath>

#include "src/inputs/labels.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

InputSpec spec(const Json& labels, Index n, Index m, std::uint64_t seed = 1) {
  InputSpec input;
  input.n = n;
  input.seed = seed;
  input.axes = {{"labels", labels}, {"m", m}};
  return input;
}

std::vector<u32> labels_of(const Json& labels, Index n, Index m, std::uint64_t seed = 1) {
  const InputSpec input = spec(labels, n, m, seed);
  check_labels(input, Type::u32);
  const HostBuffer buffer = make_labels(input, Type::u32);
  EXPECT_EQ(buffer.bytes, std::size_t(n) * 4);
  return {buffer.as<u32>(), buffer.as<u32>() + n};
}

std::vector<Index> counts_of(const std::vector<u32>& labels, Index m) {
  std::vector<Index> counts(std::size_t(m), 0);
  for (const u32 label : labels) ++counts.at(label);
  return counts;
}

/// Five standard deviations of a count of n draws of this probability.
double spread(double n, double probability) { return 5 * std::sqrt(n * probability * (1 - probability)); }

const std::vector<Json> distributions{"uniform",  "degenerate", "sequential", "sorted",
                                      "reversed", "missing",    "zipf:1",     "zipf:0.5",
                                      "zipf:2.5", "runs:1",     "runs:7.5",   "runs:100000"};

// A thread that starts anew within a run, or draws its own numbers.
TEST(Labels, AreTheSameForAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  for (const Json& distribution : distributions) {
    omp_set_num_threads(1);
    const std::vector<u32> alone = labels_of(distribution, 10007, 300);
    for (const int several : {2, 7}) {
      omp_set_num_threads(several);
      EXPECT_EQ(labels_of(distribution, 10007, 300), alone) << distribution << several;
    }
  }
  omp_set_num_threads(threads);
}

// m itself, by rounding; a label that no bucket is there for.
TEST(Labels, AllLieBelowM) {
  for (const Json& distribution : distributions)
    for (const Index m : {Index(1), Index(2), Index(3), Index(1000), Index(1) << 32})
      for (const Index n : {Index(0), Index(1), Index(1009)}) {
        if (distribution == "missing" && m == 1) continue;
        for (const u32 label : labels_of(distribution, n, m))
          ASSERT_LT(Index(label), m) << distribution << " m " << m << " n " << n;
      }
}

TEST(Labels, BytesAreTheSameLabels) {
  for (const Json& distribution : distributions) {
    const InputSpec input = spec(distribution, 1009, 256);
    const HostBuffer bytes = make_labels(input, Type::u8);
    ASSERT_EQ(bytes.bytes, 1009u);
    const std::vector<u32> words = labels_of(distribution, 1009, 256);
    for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(bytes.as<u8>()[i], words[i]) << distribution;
  }
}

// Records name the seed alone: of another seed's labels committed results would say nothing. By SplitMix64 of
// Python's integers, and by the algorithm of Hormann and Derflinger in Python. In runs the first element
// starts a run whatever its random word is, the second only where its own says so: with the seed in the last
// row that is the largest word there is.
TEST(Labels, OfASeedAreForEverTheSame) {
  struct {
    const char* labels;
    Index m;
    std::uint64_t seed;
    std::vector<u32> first;
  } const rows[] = {
      {"uniform", 1000, 7, {793, 625, 480, 411, 717, 765, 39, 848}},
      {"missing", 1000, 7, {793, 626, 480, 410, 717, 765, 39, 848}},
      {"sorted", 1000, 7, {99, 203, 310, 426, 589, 720, 754, 981}},
      {"reversed", 1000, 7, {981, 754, 720, 589, 426, 310, 203, 99}},
      {"runs:3", 1000, 7, {277, 277, 277, 277, 277, 277, 359, 359, 409, 363, 363, 169}},
      {"runs:1000", Index(1) << 32, 7, std::vector<u32>(5, 1193070783)},
      {"runs:1000", Index(1) << 32, 8, std::vector<u32>(5, 1467285237)},
      {"runs:1", 1000, 0xa069956c7f47c6ad, {406, 412, 313, 26}},
  };
  for (const auto& row : rows)
    EXPECT_EQ(labels_of(row.labels, Index(row.first.size()), row.m, row.seed), row.first) << row.labels;
  // Draws that are taken at once, those that are taken after their test, and those that are drawn anew.
  struct {
    const char* labels;
    std::vector<u32> first;
    std::vector<std::pair<std::size_t, u32>> others;
  } const zipf[] = {{"zipf:1",
                     {2, 8, 26, 45, 4, 2, 741, 1, 379, 174, 22, 279},
                     {{63, 547}, {247, 119}, {266, 35}, {75, 7}, {295, 0}, {397, 452}, {1333, 54}}},
                    {"zipf:0.5",
                     {49, 150, 280, 357, 89, 63, 923, 28, 763, 597, 261, 695},
                     {{133, 39}, {188, 520}, {513, 268}, {2192, 606}, {4229, 684}}},
                    {"zipf:2.5",
                     {0, 0, 0, 0, 0, 0, 4, 0, 1, 1, 0, 1},
                     {{377, 7}, {602, 2}, {1015, 11}, {67, 0}, {181, 1}, {199, 0}, {250, 0}}}};
  for (const auto& row : zipf) {
    const std::vector<u32> all = labels_of(row.labels, 6000, 1000, 7);
    EXPECT_EQ(std::vector<u32>(all.begin(), all.begin() + 12), row.first) << row.labels;
    for (const auto& [at, label] : row.others) EXPECT_EQ(all[at], label) << row.labels << ' ' << at;
  }
}

TEST(Labels, WithoutChanceByHand) {
  EXPECT_THAT(labels_of("sequential", 7, 3), ElementsAre(0, 1, 2, 0, 1, 2, 0));
  EXPECT_THAT(labels_of("sequential", 3, 7), ElementsAre(0, 1, 2));
  EXPECT_THAT(labels_of("degenerate", 3, 7), ElementsAre(0, 0, 0));
  EXPECT_THAT(labels_of("sorted", 4, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(labels_of("reversed", 4, 4), ElementsAre(3, 2, 1, 0));
}

TEST(Labels, SortedOnesNeverDecreaseAndShareEqually) {
  for (const Index m : {Index(1), Index(7), Index(1009), Index(50000)}) {
    const std::vector<u32> labels = labels_of("sorted", 10007, m);
    EXPECT_TRUE(std::is_sorted(labels.begin(), labels.end())) << m;
    for (const Index count : counts_of(labels, m)) ASSERT_NEAR(double(count), 10007.0 / double(m), 2) << m;
    const std::vector<u32> reversed = labels_of("reversed", 10007, m);
    EXPECT_TRUE(std::equal(labels.begin(), labels.end(), reversed.rbegin())) << m;
  }
}

// Ranks from 0 instead of 1, an exponent of s - 1, a tail that is cut off or collected in the last label.
TEST(Labels, ZipfHasItsExponent) {
  constexpr Index n = 400000, m = 1000;
  for (const double exponent : {0.5, 1.0, 1.5, 3.0}) {
    const std::vector<Index> counts = counts_of(labels_of(fmt::format("zipf:{}", exponent), n, m), m);
    double all = 0;
    for (Index k = 1; k <= m; ++k) all += std::pow(double(k), -exponent);
    double tail = 0;
    for (const Index k : {1, 2, 3, 4, 5, 10, 100, 999, 1000}) {
      const double probability = std::pow(double(k), -exponent) / all;
      EXPECT_NEAR(double(counts[std::size_t(k - 1)]), n * probability, spread(n, probability) + 1)
          << exponent << " " << k;
    }
    Index counted = 0;
    for (Index k = 501; k <= m; ++k) {
      tail += std::pow(double(k), -exponent) / all;
      counted += counts[std::size_t(k - 1)];
    }
    EXPECT_NEAR(double(counted), n * tail, spread(n, tail) + 1) << exponent;
  }
}

TEST(Labels, TheMissingOneIsMissingAndNoOther) {
  for (const Index m : {Index(2), Index(3), Index(256)}) {
    const std::vector<Index> counts = counts_of(labels_of("missing", 100000, m), m);
    for (Index label = 0; label < m; ++label) {
      if (label == m / 2) EXPECT_EQ(counts[std::size_t(label)], 0) << m;
      else
        EXPECT_NEAR(double(counts[std::size_t(label)]), 1e5 / double(m - 1), spread(1e5, 1.0 / double(m - 1)))
            << m;
    }
  }
}

TEST(Labels, WhatCannotBe) {
  EXPECT_EQ(refused([] { check_labels(spec("uniform", 10, 257), Type::u8); }),
            "labels of type u8 are at most 256 different ones, m is 257");
  EXPECT_NO_THROW(check_labels(spec("uniform", 10, 256), Type::u8));
  EXPECT_EQ(refused([] { check_labels(spec("missing", 10, 1), Type::u32); }),
            "labels=missing leaves a label out: m is 1, so none would be left");
  EXPECT_NO_THROW(check_labels(spec("missing", 0, 1), Type::u32));
  const auto refusal = [](const Json& value) { return usage_error([&] { labels_axis().check(value); }); };
  EXPECT_THAT(refusal("unifrom"), HasSubstr("did you mean `uniform`?"));
  for (const Json& bad :
       {Json("zipf"), Json("zipf:"), Json("zipf:0"), Json("zipf:-1"), Json("zipf:nan"), Json("runs:0.5"),
        Json("runs:1e999"), Json("sorted:2"), Json("uniform:"), Json(""), Json(3), Json::array(),
        Json{{"file", 3}}, Json{{"owners", "x.npy"}}, Json{{"file", fixture("i32.npy")}, {"more", 1}}})
    EXPECT_THAT(refusal(bad), HasSubstr("no distribution of labels " + bad.dump())) << bad;
  for (const Json& m : {Json(1), Json(Index(1) << 32)}) EXPECT_NO_THROW(m_axis().check(m)) << m;
  for (const Json& m : {Json(0), Json((Index(1) << 32) + 1)})
    EXPECT_THAT(usage_error([&] { m_axis().check(m); }), HasSubstr("which is 1 to 2^32"));
}

class LabelFiles : public testing::Test {
 protected:
  template <class T>
  Json file(const std::string& descr, const std::vector<T>& numbers) {
    return {{"file", folder_.write("x.npy", npy_of(descr, numbers))}};
  }
  /// What the check of an input says, without the folder.
  std::string refusal(const Json& labels, Index n, Index m) {
    const std::string message = usage_error([&] { check_labels(spec(labels, n, m), Type::u32); });
    return message.substr(folder_.path().size() + 1);
  }

  TemporaryFolder folder_;
};

TEST_F(LabelFiles, OfEveryTypeThatHoldsWholeNumbers) {
  for (const Json& labels : {file<u8>("|u1", {3, 0, 2}), file<i32>("<i4", {3, 0, 2})})
    EXPECT_NO_THROW(labels_axis().check(labels));
  EXPECT_THAT(labels_of(file<u8>("|u1", {3, 0, 255}), 3, 256), ElementsAre(3, 0, 255));
  EXPECT_THAT(labels_of(file<u32>("<u4", {3, 0, 4294967295u}), 3, Index(1) << 32),
              ElementsAre(3, 0, 4294967295u));
  EXPECT_THAT(labels_of(file<i32>("<i4", {3, 0, 2}), 3, 4), ElementsAre(3, 0, 2));
  EXPECT_THAT(labels_of(file<i64>("<i8", {3, 0, 2}), 2, 4), ElementsAre(3, 0));
}

// Such a label would be written past the end of every bucket array.
TEST_F(LabelFiles, ALabelThatIsNotBelowM) {
  EXPECT_EQ(refusal(file<i32>("<i4", {0, 1, 2, 5, 1, 7}), 6, 5),
            "x.npy: label 3 is 5, not between 0 and 4 (m is 5)");
  EXPECT_EQ(refusal(file<i64>("<i8", {0, i64(1) << 32}), 2, 5),
            "x.npy: label 1 is 4294967296, not between 0 and 4 (m is 5)");
  EXPECT_EQ(refusal(file<i32>("<i4", {0, -1}), 2, 5), "x.npy: label 1 is -1, not between 0 and 4 (m is 5)");
  EXPECT_NO_THROW(check_labels(spec(file<i32>("<i4", {0, 1, 7}), 2, 2), Type::u32)) << "past n";
}

// What was enough for one m is enough for a larger one, not for a smaller one. A plan asks for each of its
// cases, of files of a GiB, which are not read again; that a file changes meanwhile shows in its hash.
TEST_F(LabelFiles, AreCheckedAgainForASmallerMAndWhenTheyAreRead) {
  const Json labels = file<i32>("<i4", {0, 6, 3, 1});
  EXPECT_NO_THROW(check_labels(spec(labels, 4, 7), Type::u32));
  file<i32>("<i4", {0, 9, 3, 1});
  for (const Index m : {7, 8}) EXPECT_NO_THROW(check_labels(spec(labels, 4, m), Type::u32)) << m;
  EXPECT_EQ(refusal(labels, 4, 6), "x.npy: label 1 is 9, not between 0 and 5 (m is 6)");
  for (const Type type : {Type::u8, Type::u32})
    EXPECT_EQ(usage_error([&] { make_labels(spec(labels, 4, 7), type); }),
              folder_.path() + "/x.npy: label 1 is 9, not between 0 and 6 (m is 7)")
        << "a file may change between the check and the run";
}

TEST_F(LabelFiles, ThatAreNone) {
  EXPECT_EQ(refusal(file<i32>("<i4", {0, 1}), 3, 5), "x.npy holds 2 labels, n asks for 3");
  EXPECT_EQ(refusal(file<f32>("<f4", {0, 1}), 2, 5),
            "x.npy holds f32, labels are u8, u32, i32 or i64 in one dimension");
  EXPECT_EQ(usage_error([] { labels_axis().check({{"file", fixture("pairs.npy")}}); }),
            fixture("pairs.npy") + " holds pairs of u32, labels are u8, u32, i32 or i64 in one dimension");
  EXPECT_EQ(refusal({{"file", folder_.path() + "/none.npy"}}, 1, 1), "none.npy: there is no such file");
}

}  // namespace
}  // namespace redbench
