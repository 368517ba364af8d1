// The axis "segments": distributions by hand, files of offsets and owners, and what is said of bad ones.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "src/config/config.hpp"
#include "src/inputs/segments.hpp"
#include "src/records/columns.hpp"
#include "src/records/record.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

TEST(Segments, FixedSizesByHand) {
  EXPECT_THAT(segment_offsets("one", 5, 1), ElementsAre(0, 5));
  EXPECT_THAT(segment_offsets("fixed:2", 5, 1), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(segment_offsets("fixed:2+empty", 5, 1), ElementsAre(0, 2, 2, 4, 4, 5, 5));
  for (const char* any : {"one", "fixed:3", "uniform:0..5", "zipf:2", "fixed:3+empty"})
    EXPECT_THAT(segment_offsets(any, 0, 1), ElementsAre(0, 0)) << any;
}

TEST(Segments, RandomSizesStayInTheirRange) {
  const std::vector<Index> offsets = segment_offsets("uniform:2..4", 10000, 1);
  ASSERT_EQ(offsets.back(), 10000);
  std::array<int, 5> count{};
  for (std::size_t i = 1; i + 1 < offsets.size(); ++i) {
    const Index size = offsets[i] - offsets[i - 1];
    ASSERT_TRUE(size >= 2 && size <= 4) << i;
    ++count[std::size_t(size)];
  }
  // About 3333 segments, a third each; 27 is a standard deviation.
  for (const int size : {2, 3, 4}) EXPECT_NEAR(count[std::size_t(size)], 1111, 5 * 27) << size;
}

// Cut alike for every seed, or by the index alone.
TEST(Segments, SeedsDiffer) {
  for (const char* random : {"uniform:2..40", "geometric:7", "zipf:2"}) {
    EXPECT_EQ(segment_offsets(random, 10000, 1), segment_offsets(random, 10000, 1)) << random;
    EXPECT_NE(segment_offsets(random, 10000, 1), segment_offsets(random, 10000, 2)) << random;
    EXPECT_NE(segment_facts(random, 10000, 1).count, segment_facts(random, 10000, 2).count) << random;
  }
}

// By word i of the seed, SplitMix64, whose upper 53 bits and one make u in (0, 1]: 2 + word % 8,
// floor(log u / log(3 / 4)), floor(u^-2), floor(u^-10000). The last of them tells one bit of u from the next.
TEST(Segments, ASeedMeansTheSameInEveryVersion) {
  EXPECT_THAT(segment_offsets("uniform:2..9", 40, 7), ElementsAre(0, 7, 16, 23, 27, 29, 32, 40));
  EXPECT_THAT(segment_offsets("geometric:3", 40, 7),
              ElementsAre(0, 4, 9, 14, 16, 18, 19, 22, 28, 37, 38, 38, 38, 39, 40));
  EXPECT_THAT(segment_offsets("zipf:1.5", 60, 7), ElementsAre(0, 11, 33, 53, 58, 60));
  for (const auto& [seed, size] : {std::pair(131, 366740391940), {1266, 843746440100}})
    EXPECT_EQ(segment_offsets("zipf:1.0001", Index(1) << 40, std::uint64_t(seed)).at(1), size) << seed;
}

// A size of k or more has the probability k^-(s - 1).
TEST(Segments, ZipfHasItsExponent) {
  for (const double s : {1.5, 2.0, 3.0}) {
    const std::vector<Index> offsets = segment_offsets(fmt::format("zipf:{}", s), 100000, 1);
    const auto segments = double(offsets.size() - 1);
    for (const Index k : {2, 3, 5}) {
      int larger = 0;
      for (std::size_t i = 1; i < offsets.size(); ++i) larger += offsets[i] - offsets[i - 1] >= k;
      const double probability = std::pow(double(k), 1 - s);
      EXPECT_NEAR(larger / segments, probability, 5 * std::sqrt(probability / segments) + 1 / segments)
          << s << " " << k;
    }
  }
}

// What the battery must have: empty segments first, last, and side by side; longer than any tile.
TEST(Segments, TheBatteryHasEmptySegmentsInEveryPlace) {
  bool first = false, last = false, two = false, one = false;
  for (const Json& shape : segments_axis().battery(64)) {
    const std::vector<Index> offsets = segment_offsets(shape, 1009, 1);
    first = first || offsets[1] == 0;
    last = last || offsets[offsets.size() - 2] == 1009;
    for (std::size_t i = 2; i < offsets.size(); ++i) two = two || offsets[i] == offsets[i - 2];
    one = one || offsets.size() == 2;
  }
  EXPECT_TRUE(first);
  EXPECT_TRUE(last);
  EXPECT_TRUE(two);
  EXPECT_TRUE(one);
}

// A geometric distribution of this mean m has a variance of m + m².
TEST(Segments, GeometricSizesHaveTheirMean) {
  constexpr Index n = 2'000'000;
  for (const double mean : {0.5, 3.0, 20.0}) {
    const double count = double(segment_facts(fmt::format("geometric:{}", mean), n, 3).count);
    EXPECT_NEAR(double(n) / count, mean, 5 * std::sqrt((mean + mean * mean) / (double(n) / mean))) << mean;
  }
}

// Four draws of so flat a distribution are past every limit.
TEST(Segments, NoneIsLongerThanTheLongest) {
  constexpr Index longest = Index(1) << 40;
  EXPECT_THAT(segment_offsets("zipf:1.0001", 4 * longest + 5, 1),
              ElementsAre(0, longest, 2 * longest, 3 * longest, 4 * longest, 4 * longest + 5));
}

// Of a zipf the mean may be next to 1, so n counts.
TEST(Segments, AsManyAsTwoToThe31AreDrawn) {
  const Index most = Index(1) << 31;
  EXPECT_GT(segment_facts("zipf:1.2", most, 1).longest, most / 100);
  EXPECT_EQ(usage_error([&] { segment_facts("zipf:1.2", most + 1, 1); }),
            "segments=zipf:1.2 cuts 2147483649 values into some 2.1e+09 segments; the most is 2^31");
  EXPECT_EQ(usage_error([&] { segment_facts("zipf:1.2+empty", most, 1); }),
            "segments=zipf:1.2+empty cuts 2147483648 values into some 4.3e+09 segments; the most is 2^31");
}

TEST(Segments, TheBatteryOfATileIsWhole) {
  const std::vector<Json> always{"one",          "fixed:1",         "fixed:3",       "fixed:3+empty",
                                 "uniform:0..6", "uniform:1..3000", "geometric:0.5", "zipf:1.5"};
  for (const auto& [tile, sizes] : {std::pair<Index, std::vector<Json>>(1, {}),
                                    {3, {"fixed:4"}},
                                    {4, {"fixed:4", "fixed:5"}},
                                    {5, {"fixed:4", "fixed:5", "fixed:6"}},
                                    {64, {"fixed:63", "fixed:64", "fixed:65"}}}) {
    std::vector<Json> expected = always;
    expected.insert(expected.end(), sizes.begin(), sizes.end());
    EXPECT_EQ(segments_axis().battery(tile), expected) << tile;
  }
}

TEST(Segments, TheBatteryCutsAtTheBordersOfATile) {
  const std::vector<Json> shapes = segments_axis().battery(64);
  for (const char* border : {"fixed:63", "fixed:64", "fixed:65"})
    EXPECT_EQ(std::count(shapes.begin(), shapes.end(), Json(border)), 1) << border;
  for (const Json& shape : segments_axis().battery(0)) EXPECT_NO_THROW(segments_axis().check(shape)) << shape;
}

// Sizes are whole numbers, the smallest first.
TEST(Segments, ARangeHasTwoWholeEndsInOrder) {
  for (const char* text : {"uniform:5..2", "uniform:2..4.5", "uniform:1.5..4", "uniform:0..0", "uniform:2"})
    EXPECT_NE(usage_error([&] { segments_axis().check(text); }).find("`uniform:A..B`"), std::string::npos)
        << text;
  EXPECT_NO_THROW(segments_axis().check("uniform:2..2"));
  EXPECT_THAT(segment_offsets("uniform:2..2", 5, 1), ElementsAre(0, 2, 4, 5));
}

// Whole numbers have up to 2^40.
TEST(Segments, ASizeIsUpToTheLongest) {
  for (const char* text : {"fixed:1099511627776", "uniform:0..1099511627776", "uniform:0..1"})
    EXPECT_NO_THROW(segments_axis().check(text)) << text;
  for (const char* text : {"fixed:1099511627777", "uniform:1..1099511627777", "uniform:-1..5"})
    EXPECT_THAT(
        usage_error([&] { segments_axis().check(text); }),
        testing::StartsWith("no distribution of segments \"" + std::string(text) + "\": allowed are"));
}

TEST(Segments, WhatIsNoDistributionIsRefusedWithThoseThatAre) {
  for (const char* text :
       {"", "one:3", "two", "zipf", "zipf:1", "zipf:0.5", "poisson:3", "geometric:0", "geometric:-1",
        "fixed:0", "fixed:1.5", "fixed:", "fixed:2..3", "zipf:2..3", "+empty", "fixed:3+empty+empty"})
    EXPECT_EQ(
        usage_error([&] { segments_axis().check(text); }),
        "no distribution of segments \"" + std::string(text) +
            "\": allowed are `one`, `fixed:K`, `uniform:A..B`, `geometric:MEAN`, `zipf:S` (S > 1), each also "
            "with `+empty`, {\"file\": \"offsets.npy\"} or {\"owners\": \"owners.npy\"}");
  for (const char* text : {"one", "one+empty", "zipf:1.01", "geometric:0.1", "fixed:1", "fixed:3+empty"})
    EXPECT_NO_THROW(segments_axis().check(text)) << text;
}

// Of sizes of next to nothing there is no end.
TEST(Segments, MoreThanAnybodyWaitsForAreRefusedBeforeTheyAreDrawn) {
  for (const char* text : {"geometric:1e-9", "geometric:0.001+empty"}) {
    const std::string message = usage_error([&] { segment_facts(text, Index(1) << 28, 1); });
    EXPECT_NE(message.find("the most is 2^31"), std::string::npos) << message;
  }
  // n over the mean size, or over the mean of it and of an empty one.
  for (const auto& [text, segments] : {std::pair("fixed:1", "1.1e+12"),
                                       {"fixed:7", "1.6e+11"},
                                       {"fixed:7+empty", "3.1e+11"},
                                       {"uniform:0..1", "2.2e+12"},
                                       {"uniform:2..4", "3.7e+11"},
                                       {"uniform:2..4+empty", "7.3e+11"},
                                       {"geometric:7.5", "1.5e+11"},
                                       {"geometric:0.125", "8.8e+12"},
                                       {"zipf:3", "1.1e+12"}})
    EXPECT_EQ(usage_error([&] { segment_facts(text, Index(1) << 40, 1); }),
              fmt::format("segments={} cuts 1099511627776 values into some {} segments; the most is 2^31",
                          text, segments));
  EXPECT_EQ(segment_facts("one", Index(1) << 40, 1).count, 1);
  EXPECT_EQ(segment_facts("fixed:1000000", Index(1) << 40, 1).longest, 1000000);
}

TEST(Segments, FactsAreThoseOfTheOffsets) {
  for (const char* text : {"one", "fixed:3", "fixed:3+empty", "uniform:0..6", "geometric:0.5", "zipf:1.5"})
    for (const Index n : {0, 1, 1000}) {
      const std::vector<Index> offsets = segment_offsets(text, n, 7);
      const SegmentFacts facts = segment_facts(text, n, 7);
      EXPECT_EQ(facts.count, Index(offsets.size()) - 1) << text << ' ' << n;
      Index longest = 0;
      for (std::size_t i = 1; i < offsets.size(); ++i)
        longest = std::max(longest, offsets[i] - offsets[i - 1]);
      EXPECT_EQ(facts.longest, longest) << text << ' ' << n;
    }
}

class SegmentFiles : public testing::Test {
 protected:
  template <class T>
  Json file(const char* key, const std::string& descr, const std::vector<T>& numbers) {
    path_ = folder_.write("x.npy", npy_of(descr, numbers));
    return {{key, path_}};
  }
  Json owners(const std::vector<i32>& numbers) { return file("owners", "<i4", numbers); }
  Json offsets(const std::vector<i64>& numbers) { return file("file", "<i8", numbers); }
  /// What the check of the axis says, without the folder.
  std::string refusal(const Json& value) {
    return plain([&] { segments_axis().check(value); });
  }
  template <class F>
  std::string plain(const F& f) {
    const std::string message = usage_error(f);
    return message.substr(message.starts_with(folder_.path()) ? folder_.path().size() + 1 : 0);
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(SegmentFiles, OwnersAndOffsetsOfTheSameSegments) {
  const Json by_owners = owners({0, 0, 2, 2, 2}),
             same = {{"file", folder_.write("y.npy", npy_of<i64>("<i8", {0, 2, 2, 5}))}};
  for (const Json& given : {by_owners, same}) {
    EXPECT_NO_THROW(segments_axis().check(given));
    EXPECT_THAT(segment_offsets(given, 5, 1), ElementsAre(0, 2, 2, 5)) << given;
    EXPECT_EQ(segment_facts(given, 5, 1).count, 3) << given;
    EXPECT_EQ(segment_facts(given, 5, 1).longest, 3) << given;
  }
  const Json later = owners({1, 1, 3});
  EXPECT_THAT(segment_offsets(later, 3, 1), ElementsAre(0, 0, 2, 2, 3));
  EXPECT_EQ(segment_facts(later, 3, 1).count, 4);
  EXPECT_EQ(segment_facts(later, 3, 1).longest, 2) << "the first of them";
}

// Three offsets, so that none is looked at before or behind them.
TEST_F(SegmentFiles, TheLongestOfTwoIsFound) {
  for (const auto& [offset, longest] : {std::pair(1, 4), {2, 3}, {3, 3}, {4, 4}}) {
    const Json two = {
        {"file", folder_.write(std::to_string(offset) + ".npy", npy_of<i64>("<i8", {0, offset, 5}))}};
    EXPECT_EQ(segment_facts(two, 5, 1).longest, longest) << offset;
    EXPECT_EQ(segment_facts(two, 5, 1).count, 2) << offset;
  }
}

TEST_F(SegmentFiles, AFileIsNamedByOneKeyAlone) {
  const Json good = offsets({0, 2, 5});
  EXPECT_NO_THROW(segments_axis().check(good));
  for (const Json& bad : {Json{{"file", path_}, {"more", 1}}, Json{{"file", path_}, {"owners", path_}},
                          Json{{"owners", path_}, {"more", 1}}, Json{{"file", 3}}, Json{{"owners", nullptr}},
                          Json{{"offsets", path_}}, Json::object(), Json::array({path_}), Json(5)})
    EXPECT_EQ(refusal(bad).find("no distribution of segments " + bad.dump() + ": allowed are `one`, "), 0u)
        << bad;
}

TEST_F(SegmentFiles, OwnersThatAreNone) {
  EXPECT_EQ(refusal(owners({0, 1, 0, 2})), "x.npy: owner 2 is 0, less than the one before it (1)");
  EXPECT_EQ(refusal(owners({-1, 0, 1})), "x.npy: owners lie between 0 and 4294967294, found -1");
  EXPECT_EQ(refusal(file<i64>("owners", "<i8", {0, 4294967295})),
            "x.npy: owners lie between 0 and 4294967294, found 4294967295");
  EXPECT_EQ(refusal(file<f32>("owners", "<f4", {0, 1})),
            "x.npy holds f32, owners are i32, u32 or i64 in one dimension");
  EXPECT_EQ(refusal({{"owners", fixture("pairs.npy")}}),
            fixture("pairs.npy") + " holds pairs of u32, owners are i32, u32 or i64 in one dimension");
  EXPECT_EQ(refusal(owners({})), "x.npy: no owner, so no segment");
  EXPECT_EQ(refusal({{"owners", folder_.path() + "/none.npy"}}), "none.npy: there is no such file");
  const Json five = owners({0, 0, 1, 1, 1});
  for (const Index n : {Index(4), Index(6)}) {
    const std::string sentence = "x.npy cuts 5 values into segments, but n is " + std::to_string(n);
    EXPECT_EQ(plain([&] { segment_facts(five, n, 1); }), sentence);
    EXPECT_EQ(plain([&] { segment_offsets(five, n, 1); }), sentence);
  }
}

TEST_F(SegmentFiles, OffsetsThatAreNone) {
  EXPECT_EQ(refusal(offsets({0, 3, 2, 5})), "x.npy: offset 2 is 2, less than the one before it (3)");
  EXPECT_EQ(refusal(offsets({1, 3})), "x.npy: the first offset is 1, not 0");
  EXPECT_EQ(refusal(offsets({-1, 3})), "x.npy: the first offset is -1, not 0");
  EXPECT_EQ(refusal(offsets({0})), "x.npy: offsets of m segments are m + 1 numbers, m >= 1");
  EXPECT_EQ(refusal(file<f32>("file", "<f4", {0, 1})),
            "x.npy holds f32, offsets are i32, u32 or i64 in one dimension");
  const Json five = offsets({0, 2, 5});
  EXPECT_EQ(plain([&] { segment_facts(five, 6, 1); }), "x.npy cuts 5 values into segments, but n is 6");
}

// A list of these segments would have 32 GiB.
TEST_F(SegmentFiles, OwnersFarApartAreCountedNotListed) {
  const Json two = file<u32>("owners", "<u4", {0, 4294967294u});
  EXPECT_NO_THROW(segments_axis().check(two));
  EXPECT_EQ(segment_facts(two, 2, 1).count, 4294967295);
}

/// A config of one experiment over segreduce with these axes.
std::string config_of(const std::string& axes) {
  return R"({"title": "segments", "experiments": [{"problem": "segreduce", "variants": ["tb2"], "axes": )" +
         axes + "}]}";
}

TEST_F(SegmentFiles, BothKindsAreFoundBesideTheConfig) {
  folder_.write("configs/data/owners.npy", npy_of<i32>("<i4", {0, 0, 2, 2, 2}));
  folder_.write("configs/data/offsets.npy", npy_of<i64>("<i8", {0, 2, 2, 5}));
  const std::string path = folder_.write(
      "configs/x.json",
      config_of(R"({"n": 5, "segments": [{"owners": "data/owners.npy"}, {"file": "data/offsets.npy"}]})"));
  const Config config = load_config(path, Target::simt, {}, record_columns());
  const std::string beside = folder_.path() + "/configs/data/";
  for (const auto& [name, values] : config.experiments[0].axes) {
    if (name != "segments") continue;
    EXPECT_THAT(values,
                ElementsAre(Json{{"owners", beside + "owners.npy"}}, Json{{"file", beside + "offsets.npy"}}));
    return;
  }
  FAIL() << "no axis `segments`";
}

TEST_F(SegmentFiles, BothKindsRunFromAnyFolder) {
  folder_.write("configs/owners.npy", npy_of<i32>("<i4", {0, 0, 2, 2, 2}));
  folder_.write("configs/offsets.npy", npy_of<i64>("<i8", {0, 2, 2, 5}));
  folder_.write("configs/x.json",
                config_of(R"({"n": 5, "segments": [{"owners": "owners.npy"}, {"file": "offsets.npy"}]})"));
  const Answer answer = redbench("run configs/x.json -d simt -q -o out", folder_.path());
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  std::map<std::string, int> outcomes;
  for (const Record& record : read_records(folder_.path() + "/out/records.jsonl"))
    ++outcomes[record["outcome"].get<std::string>() + " n=" + record["n"].dump()];
  EXPECT_THAT(outcomes, ElementsAre(std::pair("passed n=5", 2)));
}

TEST_F(SegmentFiles, BadOwnersEndTheRunBeforeItStarts) {
  folder_.write("owners.npy", npy_of<i32>("<i4", {0, 1, 0, 2, 2}));
  folder_.write("x.json", config_of(R"({"n": 5, "segments": {"owners": "owners.npy"}})"));
  const Answer answer = redbench("run x.json -d simt -q -o out", folder_.path());
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_EQ(answer.text,
            "redbench: x.json: $.experiments[0].axes.segments: owners.npy: owner 2 is 0, less than the one "
            "before it "
            "(1)\n");
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/out"));
}

}  // namespace
}  // namespace redbench
