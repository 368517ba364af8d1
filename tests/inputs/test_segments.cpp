// The axis "segments": distributions by hand, and files of offsets and owners.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <sstream>

#include "src/inputs/segments.hpp"
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

// By word i of the seed, SplitMix64, whose upper 53 bits and one make u in (0, 1]: 2 + word % 8,
// floor(log u / log(3 / 4)), floor(u^-2), floor(u^-10000). The last of them tells one bit of u from the next.
TEST(Segments, OfASeedAreForEverTheSame) {
  EXPECT_THAT(segment_offsets("uniform:2..9", 40, 7), ElementsAre(0, 7, 16, 23, 27, 29, 32, 40));
  EXPECT_THAT(segment_offsets("uniform:0..1", 4, 7), ElementsAre(0, 1, 2, 3, 3, 3, 4));
  EXPECT_THAT(segment_offsets("geometric:3", 40, 7),
              ElementsAre(0, 4, 9, 14, 16, 18, 19, 22, 28, 37, 38, 38, 38, 39, 40));
  EXPECT_THAT(segment_offsets("geometric:2.5", 20, 7), ElementsAre(0, 3, 7, 11, 13, 14, 15, 18, 20));
  EXPECT_THAT(segment_offsets("zipf:1.5", 60, 7), ElementsAre(0, 11, 33, 53, 58, 60));
  EXPECT_THAT(segment_offsets("zipf:3+empty", 6, 7), ElementsAre(0, 1, 1, 3, 3, 5, 5, 6, 6));
  for (const auto& [seed, size] : {std::pair(131, 366740391940), {1266, 843746440100}})
    EXPECT_EQ(segment_offsets("zipf:1.0001", Index(1) << 40, std::uint64_t(seed)).at(1), size) << seed;
}

// Seeds whose first random word is 0, 2048 and the largest there is, as SplitMix64 run backwards says: u is
// 2^-53, 2^-52 and 1.
TEST(Segments, AUnitLiesBetweenZeroAndOne) {
  struct {
    std::uint64_t seed;
    Index zipf, geometric;
  } const rows[] = {{0xc5deefb0344c4390, 94906265, 109},  // 2^26.5
                    {0x2f4e97a1394fc5d8, 67108864, 107},  // 2^26
                    {0x1fdb84807c8b9d42, 1, 0}};
  for (const auto& row : rows) {
    EXPECT_EQ(segment_offsets("zipf:3", 95'000'000, row.seed)[1], row.zipf);
    EXPECT_EQ(segment_offsets("geometric:2.5", 200, row.seed)[1], row.geometric);
  }
}

// Empty segments first, last, and side by side; one longer than any tile; sizes around a tile.
TEST(Segments, TheBatteryHasEmptySegmentsInEveryPlaceAndCutsAtTheBordersOfATile) {
  const std::vector<Json> shapes = segments_axis().battery(64);
  bool first = false, last = false, two = false, one = false;
  for (const Json& shape : shapes) {
    const std::vector<Index> offsets = segment_offsets(shape, 1009, 1);
    first = first || offsets[1] == 0;
    last = last || offsets[offsets.size() - 2] == 1009;
    for (std::size_t i = 2; i < offsets.size(); ++i) two = two || offsets[i] == offsets[i - 2];
    one = one || offsets.size() == 2;
  }
  EXPECT_TRUE(first && last && two && one);
  for (const char* border : {"fixed:63", "fixed:64", "fixed:65"})
    EXPECT_EQ(std::count(shapes.begin(), shapes.end(), Json(border)), 1) << border;
  for (const Json& shape : segments_axis().battery(0)) EXPECT_NO_THROW(segments_axis().check(shape)) << shape;
}

// Four draws of so flat a distribution are past every limit.
TEST(Segments, NoneIsLongerThanTheLongest) {
  constexpr Index longest = Index(1) << 40;
  EXPECT_THAT(segment_offsets("zipf:1.0001", 4 * longest + 5, 1),
              ElementsAre(0, longest, 2 * longest, 3 * longest, 4 * longest, 4 * longest + 5));
}

TEST(Segments, WhatIsNoDistributionIsRefusedWithThoseThatAre) {
  std::istringstream refused(
      "one:3 two zipf zipf:1 poisson:3 geometric:0 geometric:-1 fixed:0 fixed:1.5 fixed: fixed:2..3 zipf:2..3 "
      "+empty fixed:3+empty+empty fixed:1099511627777 uniform:2 uniform:5..2 uniform:2..4.5 uniform:1.5..4 "
      "uniform:0..0 uniform:-1..5 uniform:1..1099511627777 uniform:1..1..1");
  for (std::string text; refused >> text;)
    EXPECT_EQ(
        usage_error([&] { segments_axis().check(text); }),
        "no distribution of segments \"" + text +
            "\": allowed are `one`, `fixed:K`, `uniform:A..B`, `geometric:MEAN`, `zipf:S` (S > 1), each also "
            "with `+empty`, {\"file\": \"offsets.npy\"} or {\"owners\": \"owners.npy\"}");
  for (const char* text : {"one", "one+empty", "zipf:1.01", "geometric:0.1", "fixed:1", "fixed:3+empty",
                           "fixed:1099511627776", "uniform:0..1", "uniform:2..2", "uniform:0..1099511627776"})
    EXPECT_NO_THROW(segments_axis().check(text)) << text;
}

// n over the mean size, or over the mean of it and of an empty one; of a zipf the mean may be next to 1. 2^31
// are the most.
TEST(Segments, MoreThanAnybodyWaitsForAreRefusedBeforeTheyAreDrawn) {
  constexpr Index most = Index(1) << 31;
  for (const auto& [text, n, segments] : std::vector<std::tuple<const char*, Index, const char*>>{
           {"geometric:1e-9", 1000, "1e+12"},
           {"fixed:1", Index(1) << 40, "1.1e+12"},
           {"fixed:7+empty", Index(1) << 40, "3.1e+11"},
           {"uniform:0..1", Index(1) << 40, "2.2e+12"},
           {"uniform:2..4+empty", Index(1) << 40, "7.3e+11"},
           {"geometric:0.125", Index(1) << 40, "8.8e+12"},
           {"fixed:3", 3 * most + 1, "2.1e+09"},
           {"fixed:4+empty", 2 * most + 1, "2.1e+09"},
           {"geometric:0.5", most / 2 + 1, "2.1e+09"},
           {"uniform:1..4", 5 * (most / 2) + 1, "2.1e+09"},
           {"zipf:1.2", most + 1, "2.1e+09"},
           {"zipf:1.2+empty", most, "4.3e+09"}})
    EXPECT_EQ(
        usage_error([&, text = text, n = n] { segment_facts(text, n, 1); }),
        fmt::format("segments={} cuts {} values into some {} segments; the most is 2^31", text, n, segments));
  EXPECT_GT(segment_facts("zipf:1.2", most, 1).longest, most / 100);
  EXPECT_EQ(segment_facts("one", Index(1) << 40, 1).count, 1);
  EXPECT_EQ(segment_facts("one+empty", Index(1) << 40, 1).count, 2);
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
  /// Why the axis refuses a value, without the folder.
  std::string refusal(const Json& value) {
    const std::string message = usage_error([&] { segments_axis().check(value); });
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

TEST_F(SegmentFiles, AFileIsNamedByOneKeyAlone) {
  const Json good = offsets({0, 2, 5});
  EXPECT_NO_THROW(segments_axis().check(good));
  for (const Json& bad : {Json{{"file", path_}, {"more", 1}}, Json{{"file", path_}, {"owners", path_}},
                          Json{{"owners", path_}, {"more", 1}}, Json{{"file", 3}}, Json{{"owners", nullptr}},
                          Json{{"offsets", path_}}, Json::object(), Json::array({path_}), Json(5)})
    EXPECT_EQ(refusal(bad).find("no distribution of segments " + bad.dump() + ": allowed are `one`, "), 0u)
        << bad;
}

TEST_F(SegmentFiles, OwnersAndOffsetsThatAreNone) {
  const std::string range = "x.npy: owners lie between 0 and 4294967294, found ";
  EXPECT_EQ(refusal(owners({0, 1, 0, 2})), "x.npy: owner 2 is 0, less than the one before it (1)");
  EXPECT_EQ(refusal(owners({-1, 0, 1})), range + "-1");
  EXPECT_EQ(refusal(file<i64>("owners", "<i8", {0, 4294967295})), range + "4294967295");
  EXPECT_EQ(refusal(owners({})), "x.npy: no owner, so no segment");
  EXPECT_EQ(refusal({{"owners", fixture("pairs.npy")}}),
            fixture("pairs.npy") + " holds pairs of u32, owners are i32, u32 or i64 in one dimension");
  EXPECT_EQ(refusal(offsets({0, 3, 2, 5})), "x.npy: offset 2 is 2, less than the one before it (3)");
  EXPECT_EQ(refusal(offsets({-1, 3})), "x.npy: the first offset is -1, not 0");
  EXPECT_EQ(refusal(offsets({1, 3})), "x.npy: the first offset is 1, not 0");
  EXPECT_EQ(refusal(offsets({0})), "x.npy: offsets of m segments are m + 1 numbers, m >= 1");
  for (const Json& five :
       {owners({0, 0, 1, 1, 1}), Json{{"file", folder_.write("y.npy", npy_of<i64>("<i8", {0, 2, 5}))}}})
    for (const Index n : {Index(4), Index(6)}) {
      const std::string expected = fmt::format(" cuts 5 values into segments, but n is {}", n);
      EXPECT_THAT(usage_error([&] { segment_facts(five, n, 1); }), testing::EndsWith(expected));
      EXPECT_THAT(usage_error([&] { segment_offsets(five, n, 1); }), testing::EndsWith(expected));
    }
}

// A list of these segments would have 32 GiB.
TEST_F(SegmentFiles, OwnersFarApartAreCountedNotListed) {
  const Json two = file<u32>("owners", "<u4", {0, 4294967294u});
  EXPECT_NO_THROW(segments_axis().check(two));
  EXPECT_EQ(segment_facts(two, 2, 1).count, 4294967295);
}

TEST_F(SegmentFiles, BothKindsAreFoundNextToTheConfigFromAnyFolder) {
  folder_.write("configs/owners.npy", npy_of<i32>("<i4", {0, 0, 2, 2, 2}));
  folder_.write("configs/offsets.npy", npy_of<i64>("<i8", {0, 2, 2, 5}));
  folder_.write("configs/x.json",
                R"({"experiments": [{"problem": "segreduce", "variants": "tb2", "axes":
                    {"n": 5, "segments": [{"owners": "owners.npy"}, {"file": "offsets.npy"}]}}]})");
  const Answer answer = redbench("run configs/x.json -d simt -q -o out", folder_.path());
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const std::vector<Record> records = read_records(folder_.path() + "/out/records.jsonl");
  ASSERT_EQ(records.size(), 2u);
  for (const Record& record : records) EXPECT_EQ(record["outcome"], "passed") << record["reason"];
}

}  // namespace
}  // namespace redbench
