// The axes "labels" and "m": each distribution against its definition, files, and what is said of bad ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <omp.h>

#include <cmath>

#include "src/config/config.hpp"
#include "src/inputs/labels.hpp"
#include "src/inputs/words.hpp"
#include "src/plan/plan.hpp"
#include "src/records/columns.hpp"
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

TEST(Labels, UniformOnesAreEquallyLikely) {
  constexpr Index n = 300000, m = 300;
  for (const Index count : counts_of(labels_of("uniform", n, m), m))
    EXPECT_NEAR(double(count), double(n) / m, spread(n, 1.0 / m));
}

// 32 random bits times 3 x 2^30 would give every third label two words, and the others one.
TEST(Labels, UniformOnesAreEquallyLikelyOfManyToo) {
  constexpr Index n = 100000, m = Index(3) << 30;
  std::vector<Index> counts(3, 0);
  for (const u32 label : labels_of("uniform", n, m)) ++counts[label % 3];
  for (const Index count : counts) EXPECT_NEAR(double(count), n / 3.0, spread(n, 1 / 3.0));
}

TEST(Labels, AnotherSeedGivesOthers) {
  for (const char* random : {"uniform", "missing", "zipf:1", "runs:7.5", "sorted"})
    EXPECT_NE(labels_of(random, 1009, 1000, 1), labels_of(random, 1009, 1000, 2)) << random;
}

// From one seed both would come, and the largest values would all have the largest label.
TEST(Labels, AreNotTheValuesAgain) {
  constexpr Index n = 100000;
  const std::vector<u32> labels = labels_of("uniform", n, 256);
  const Words values(1);
  Index same = 0;
  for (Index i = 0; i < n; ++i) same += values[std::uint64_t(i)] >> 56 == labels[std::size_t(i)];
  EXPECT_NEAR(double(same), n / 256.0, spread(n, 1 / 256.0));
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
  }
}

TEST(Labels, ReversedOnesNeverIncrease) {
  for (const Index m : {Index(7), Index(50000)}) {
    const std::vector<u32> labels = labels_of("reversed", 10007, m);
    EXPECT_TRUE(std::is_sorted(labels.rbegin(), labels.rend())) << m;
    EXPECT_NE(labels.front(), labels.back());
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

// Of so many labels that two runs in a row have the same in one case of a million.
TEST(Labels, RunsHaveTheirMeanLength) {
  constexpr Index n = 1 << 20;
  for (const double mean : {1.0, 1.5, 2.5, 64.0, 5000.0}) {
    const std::vector<u32> labels = labels_of(fmt::format("runs:{}", mean), n, 1 << 20);
    Index runs = 1;
    for (std::size_t i = 1; i < labels.size(); ++i) runs += labels[i] != labels[i - 1];
    EXPECT_NEAR(double(runs), n / mean, spread(n, 1 / mean) + 10) << mean;
  }
}

// Each element starts a run of its own, also one whose random word is the largest there is: the second of
// this seed's, as SplitMix64 run backwards says.
TEST(Labels, RunsOfOneAreNeverLonger) {
  EXPECT_THAT(labels_of("runs:1", 4, 1000, 0xa069956c7f47c6ad), ElementsAre(406, 412, 313, 26));
}

// Records tell the seed alone: of another seed's labels committed results would say nothing. By SplitMix64 of
// Python's integers.
TEST(Labels, OfASeedAreForEverTheSame) {
  EXPECT_THAT(labels_of("uniform", 8, 1000, 7), ElementsAre(793, 625, 480, 411, 717, 765, 39, 848));
  EXPECT_THAT(labels_of("missing", 8, 1000, 7), ElementsAre(793, 626, 480, 410, 717, 765, 39, 848));
  EXPECT_THAT(labels_of("sorted", 8, 1000, 7), ElementsAre(99, 203, 310, 426, 589, 720, 754, 981));
  EXPECT_THAT(labels_of("reversed", 8, 1000, 7), ElementsAre(981, 754, 720, 589, 426, 310, 203, 99));
}

// Around each number that a kernel may have as many buckets for; those between 257 and 1023 by its tile.
TEST(Labels, TheBatteryHasACountOnEachSideOfEachBorder) {
  for (const auto& [tile, between] : {std::pair<Index, std::vector<Index>>(64, {}),
                                      {257, {258}},
                                      {258, {258, 259}},
                                      {259, {258, 259, 260}},
                                      {512, {511, 512, 513}},
                                      {1021, {1020, 1021, 1022}},
                                      {1022, {1021, 1022}},
                                      {1023, {1022}},
                                      {4096, {}}}) {
    std::vector<Json> expected{1, 2, 3, 31, 32, 33, 255, 257};
    expected.insert(expected.end(), between.begin(), between.end());
    expected.insert(expected.end(), {1023, 1024, 1031});
    EXPECT_EQ(m_axis().battery(tile), expected) << tile;
  }
  EXPECT_THAT(labels_axis().battery(64),
              ElementsAre("degenerate", "sequential", "sorted", "reversed", "zipf:1", "runs:40", "missing"));
}

TEST(Labels, RunsTakeAllLabels) {
  constexpr Index n = 300000, m = 10;
  for (const Index count : counts_of(labels_of("runs:3", n, m), m))
    EXPECT_NEAR(double(count), double(n) / m, 3 * spread(n / 3.0, 1.0 / m));
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

// A plan checks a case of any size; its labels would not fit into memory.
TEST(Labels, AreCheckedWithoutBeingMade) {
  for (const Json& distribution : distributions)
    EXPECT_NO_THROW(check_labels(spec(distribution, Index(1) << 40, Index(1) << 28), Type::u32));
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
  for (const Json& bad : {Json("zipf"), Json("zipf:"), Json("zipf:0"), Json("zipf:-1"), Json("zipf:nan"),
                          Json("runs:0.5"), Json("runs:1e999"), Json("sorted:2"), Json("uniform:"), Json(""),
                          Json(3), Json::array(), Json{{"file", 3}}, Json{{"owners", "x.npy"}}})
    EXPECT_THAT(refusal(bad), HasSubstr("no distribution of labels " + bad.dump())) << bad;
  const TemporaryFolder folder;
  const std::string path = folder.write("x.npy", npy_of<i32>("<i4", {1, 2}));
  const Json two_keys{{"file", path}, {"more", 1}};
  EXPECT_THAT(refusal(two_keys), HasSubstr("no distribution of labels " + two_keys.dump()));
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

// What was enough for one m is not for a smaller one.
TEST_F(LabelFiles, AreCheckedForEachM) {
  const Json labels = file<i32>("<i4", {0, 6, 3});
  EXPECT_NO_THROW(check_labels(spec(labels, 3, 7), Type::u32));
  EXPECT_NO_THROW(check_labels(spec(labels, 3, 9), Type::u32));
  EXPECT_EQ(refusal(labels, 3, 6), "x.npy: label 1 is 6, not between 0 and 5 (m is 6)");
}

// A plan asks for each of its cases, of files of a GiB. That a file changes meanwhile is told by its hash.
TEST_F(LabelFiles, AreNotReadAgainForAnMThatIsNoSmaller) {
  const Json labels = file<i32>("<i4", {0, 6, 3, 1});
  EXPECT_NO_THROW(check_labels(spec(labels, 4, 7), Type::u32));
  file<i32>("<i4", {0, 9, 3, 1});
  for (const Index m : {7, 8}) EXPECT_NO_THROW(check_labels(spec(labels, 4, m), Type::u32)) << m;
  EXPECT_EQ(refusal(labels, 4, 6), "x.npy: label 1 is 9, not between 0 and 5 (m is 6)");
}

// A file may change between the check and the run.
TEST_F(LabelFiles, AreCheckedWhenTheyAreRead) {
  const Json labels = file<i32>("<i4", {0, 6, 3, 1});
  EXPECT_NO_THROW(check_labels(spec(labels, 4, 7), Type::u32));
  file<i32>("<i4", {0, 6, 7, 9});
  for (const Type type : {Type::u8, Type::u32})
    EXPECT_EQ(usage_error([&] { make_labels(spec(labels, 4, 7), type); }),
              folder_.path() + "/x.npy: label 2 is 7, not between 0 and 6 (m is 7)");
}

class LabelConfigs : public LabelFiles {
 protected:
  /// The plan on the modelled GTX 480 of one experiment over histogram/global_atomic with these axes.
  Plan plan(const std::string& axes) {
    const std::string path = folder_.write(
        "x.json",
        R"({"experiments": [{"problem": "histogram", "variants": "global_atomic", "axes": )" + axes + "}]}");
    open_ = std::make_unique<OpenDevices>("simt:gtx480");
    return make_plan(load_config(path, Target::simt, {}, record_columns()), open_->devices());
  }
  std::unique_ptr<OpenDevices> open_;
};

TEST_F(LabelConfigs, MTakesSizesAsNDoes) {
  std::vector<Index> m;
  for (const Cell& cell : plan(R"({"n": 10, "m": ["[2^4:2^8:*4]", "1Ki", 3]})").cells)
    m.push_back(cell.cases[0].sizes.m);
  EXPECT_THAT(m, ElementsAre(16, 64, 256, 1024, 3));
  EXPECT_THAT(usage_error([&] { plan(R"({"n": 10, "m": 0})"); }),
              HasSubstr("x.json: $.experiments[0].axes.m: m is 0: labels lie below m"));
  EXPECT_THAT(usage_error([&] { plan(R"({"n": 10, "m": "many"})"); }), HasSubstr("`many` is not a size"));
}

// An input of 2^28 is planned in no time.
TEST_F(LabelConfigs, AreNotMadeByAPlan) {
  const Plan large = plan(R"({"n": "2^28", "m": "2^28", "labels": ["zipf:1", "sorted"]})");
  ASSERT_EQ(large.cases(), 2u);
  EXPECT_EQ(large.cells[0].cases[0].sizes.labels, std::size_t(1) << 30);
  EXPECT_EQ(large.cells[0].cases[0].sizes.result, std::size_t(1) << 30);
}

TEST_F(LabelConfigs, AFileSaysHowManyInputsThereAre) {
  file<i32>("<i4", {3, 0, 2, 2});
  const Plan found = plan(R"({"m": 4, "labels": {"file": "x.npy"}})");
  ASSERT_EQ(found.cells.size(), 1u);
  EXPECT_EQ(found.cells[0].input.n, 4);
  EXPECT_EQ(found.runnable(), 1u);
  EXPECT_THAT(usage_error([&] { plan(R"({"m": [4, 3], "labels": {"file": "x.npy"}})"); }),
              HasSubstr("x.npy: label 0 is 3, not between 0 and 2 (m is 3)"));
  EXPECT_THAT(usage_error([&] { plan(R"({"labels": "uniform"})"); }), HasSubstr("the axis `n` is missing"));
  EXPECT_THAT(usage_error([&] { plan(R"({"m": 4, "labels": [{"file": "x.npy"}, "uniform"]})"); }),
              HasSubstr("the axis `n` is missing"))
      << "which one of them alone does not tell";
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
