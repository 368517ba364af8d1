// What a file or an axis of the inputs may just be, and just not: whole messages on both sides of each
// border.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "src/inputs/labels.hpp"
#include "src/inputs/npy.hpp"
#include "src/inputs/segments.hpp"
#include "src/inputs/values.hpp"
#include "tests/inputs/npy_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

/// A file of any version, with the length of its header as that has it.
std::string npy_of_version(char major, char minor, const std::string& dictionary, std::size_t data) {
  std::string text = std::string("\x93NUMPY") + major + minor;
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) text += char(dictionary.size() >> (8 * i) & 255);
  return text + dictionary + std::string(data, '\0');
}

class NpyBorders : public testing::Test {
 protected:
  /// What is said of a file; empty where it is read.
  std::string said(const std::string& text) {
    const std::string path = folder_.write("x.npy", text);
    try {
      read_npy_header(path);
      return {};
    } catch (const UsageError& error) {
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path + ": ")) << message;
      return message.substr(path.size() + 2);
    }
  }
  TemporaryFolder folder_;
};

constexpr const char* three_floats = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
constexpr const char* damaged = "the header is not one that NumPy writes";

TEST_F(NpyBorders, AFileBeginsWithNameVersionAndLength) {
  const std::string start("\x93NUMPY\x01\x00\x00\x00", 10);
  EXPECT_EQ(said(start.substr(0, 9)), "is not a NumPy file: too short for a header");
  EXPECT_EQ(said(start), damaged) << "a header of no bytes is there";
  EXPECT_EQ(said("\x93NUMPX" + start.substr(6)), "is not a NumPy file: numpy.save writes \\x93NUMPY first");
  for (const char version : {1, 2, 3}) EXPECT_EQ(said(npy_of_version(version, 0, three_floats, 12)), "");
  EXPECT_EQ(said(npy_of_version(0, 7, three_floats, 12)),
            "has the NumPy format version 0.7; 1.0 to 3.0 are read");
  EXPECT_EQ(said(npy_of_version(4, 2, three_floats, 12)),
            "has the NumPy format version 4.2; 1.0 to 3.0 are read");
}

TEST_F(NpyBorders, AHeaderIsWithinTheFileAndNotEndless) {
  const std::string padded = three_floats + std::string((1 << 16) - std::string(three_floats).size(), ' ');
  EXPECT_EQ(said(npy_of_version(2, 0, padded, 12)), "");
  EXPECT_EQ(said(npy_of_version(2, 0, padded + ' ', 12)), "has a header of 65537 bytes: no plain array has");
  const std::string whole = npy(three_floats, 0);
  EXPECT_EQ(said(whole.substr(0, whole.size() - 1)), "is cut off within its header");
  EXPECT_EQ(said(whole), "is cut off: its header promises 12 bytes of data, it holds 0");
  EXPECT_EQ(said(npy(three_floats, 11)), "is cut off: its header promises 12 bytes of data, it holds 11");
  EXPECT_EQ(said(npy(three_floats, 12)), "");
  EXPECT_EQ(said(npy(three_floats, 13)),
            "has more data than its header says: its header promises 12 bytes of data, it holds 13");
}

TEST_F(NpyBorders, EachKeyIsOneOfThreeAndTheShapeIsGivenOnce) {
  for (const char* bad :
       {"{'descr': '<f4', 'more': (3,), }", "{'descr': '<f4', 'more': (3,), 'shape': (3,), }",
        "{'descr': '<f4', 'shape': (3,), 'shape': (3,), }", "{'descr': '<f4', }", "{'shape': (3,), }"})
    EXPECT_EQ(said(npy(bad, 12)), damaged) << bad;
  const std::string flatten = " dimensions: a list of values has one (flatten it with .ravel())";
  EXPECT_EQ(said(npy("{'descr': '<f4', 'shape': (3, 1), }", 12)), "has 2" + flatten);
  EXPECT_EQ(said(npy("{'descr': '<f4', 'shape': (3, 2), }", 24)), "has 2" + flatten) << "pairs are of u4";
  EXPECT_EQ(said(npy("{'descr': '<u4', 'shape': (3, 2), }", 24)), "");
  EXPECT_EQ(said(npy("{'descr': '<u4', 'shape': (3, 3), }", 36)), "has 2" + flatten);
  EXPECT_EQ(said(npy("{'descr': '<u4', 'shape': (3, 2, 2), }", 48)), "has 3" + flatten);
  EXPECT_EQ(said(npy("{'descr': '<u4', 'fortran_order': True, 'shape': (3, 2), }", 24)),
            "is in Fortran order; save it with numpy.ascontiguousarray");
  EXPECT_EQ(said(npy("{'descr': '|u1', 'shape': (1099511627777,), }", 0)), "has more than 2^40 elements");
  EXPECT_EQ(said(npy("{'descr': '|u1', 'shape': (1099511627776,), }", 0)),
            "is cut off: its header promises 1099511627776 bytes of data, it holds 0");
  EXPECT_EQ(said(npy("{'descr': [('a', '<f4')], 'shape': (3,), }", 12)),
            "holds records of several fields; save one field as its own array");
  EXPECT_EQ(
      said(npy("{'descr': '?f4', 'shape': (3,), }", 12)),
      "holds elements of NumPy type '?f4'; allowed are i4, i8, u4, f4, f8, c8, c16, u1 and f2 in either "
      "byte order");
}

TEST_F(NpyBorders, AnElementThatIsNotFiniteIsNamed) {
  const auto finite = [&](const std::vector<float>& values) {
    check_finite(read_npy_header(folder_.write("x.npy", npy_of<float>("<f4", values))));
  };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_NO_THROW(finite({1, -2, 3e38f}));
  for (const auto& [values, first] : {std::pair<std::vector<float>, int>({1, 2, infinity}, 2),
                                      {{-infinity, 2, infinity}, 0},
                                      {{1, std::nanf(""), infinity}, 1}})
    EXPECT_EQ(usage_error([&, &values = values] { finite(values); }),
              folder_.path() + "/x.npy: element " + std::to_string(first) +
                  " is a NaN or an infinity: no answer could be checked");
}

const std::string four_names = "`uniform`, `exact`, `equal` or `extreme`";

TEST(ValuesAxis, IsANameOrOneFile) {
  const ProblemAxis axis = values_axis();
  EXPECT_EQ(axis.name, "values");
  EXPECT_EQ(axis.what, "what the values are: uniform, exact, equal, extreme or {\"file\": \"x.npy\"}");
  EXPECT_EQ(axis.fallback, "uniform");
  EXPECT_TRUE(axis.allowed.empty());
  EXPECT_TRUE(axis.differs_by_pair);
  EXPECT_THAT(axis.battery(64), ElementsAre("exact", "equal", "extreme"));
  EXPECT_THAT(distributions(), ElementsAre("uniform", "exact", "equal", "extreme"));
  for (const std::string& name : distributions()) EXPECT_NO_THROW(axis.check(name)) << name;
  EXPECT_NO_THROW(axis.check({{"file", fixture("f32.npy")}}));
  EXPECT_EQ(usage_error([&] { axis.check("extrem"); }),
            "no distribution `extrem`: allowed are " + four_names +
                ", and {\"file\": \"x.npy\"}; did you mean `extreme`?");
  const std::string file = fixture("f32.npy");
  for (const Json& bad : {Json(3), Json(), Json::array({"uniform"}), Json::object(), Json{{"file", 3}},
                          Json{{"files", file}}, Json{{"file", file}, {"more", 1}}})
    EXPECT_EQ(usage_error([&] { axis.check(bad); }), "expected " + four_names + ", or {\"file\": \"x.npy\"}")
        << bad;
  EXPECT_EQ(
      usage_error([&] { axis.check({{"file", fixture("nan.npy")}}); }).substr(0, fixture("nan.npy").size()),
      fixture("nan.npy"));
  EXPECT_EQ(values_file({{"file", "a.npy"}}), "a.npy");
  EXPECT_EQ(values_file("uniform"), "");
}

// Where rounding may differ by the order, results are compared within a bound.
TEST(ValuesAxis, TheOrderOfSomeInputsDoesNotCount) {
  const auto exact = [](Type type, Operator op, const Json& values, Index count) {
    const InputSpec input{.type = type,
                          .op = op,
                          .n = count,
                          .axes = {{"values", values}},
                          .seed = 1,
                          .pair = &reduction(type, op)};
    return exact_in_any_order(input, count);
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

std::vector<u32> labels_of(const Json& labels, Index n, Index m, std::uint64_t seed) {
  InputSpec input;
  input.n = n;
  input.seed = seed;
  input.axes = {{"labels", labels}, {"m", m}};
  const HostBuffer buffer = make_labels(input, Type::u32);
  return {buffer.as<u32>(), buffer.as<u32>() + n};
}

// By SplitMix64 of Python's integers: the first element starts a run, whatever its random word is, and the
// second only where its own says so.
TEST(RunsOfLabels, OfASeedAreForEverTheSame) {
  EXPECT_THAT(labels_of("runs:3", 12, 1000, 7),
              ElementsAre(277, 277, 277, 277, 277, 277, 359, 359, 409, 363, 363, 169));
  EXPECT_EQ(labels_of("runs:1000", 5, Index(1) << 32, 7), std::vector<u32>(5, 1193070783));
  EXPECT_EQ(labels_of("runs:1000", 5, Index(1) << 32, 8), std::vector<u32>(5, 1467285237));
}

// By the algorithm of Hormann and Derflinger in Python: draws that are taken at once, those that are taken
// after their test, and those that are drawn anew.
TEST(ZipfLabels, OfASeedAreForEverTheSame) {
  struct {
    const char* labels;
    std::vector<u32> first;
    std::vector<std::pair<std::size_t, u32>> tested, again;
  } const cases[] = {{"zipf:1",
                      {2, 8, 26, 45, 4, 2, 741, 1, 379, 174, 22, 279},
                      {{63, 547}, {247, 119}, {266, 35}},
                      {{75, 7}, {295, 0}, {397, 452}, {1333, 54}}},
                     {"zipf:0.5",
                      {49, 150, 280, 357, 89, 63, 923, 28, 763, 597, 261, 695},
                      {{133, 39}, {188, 520}, {513, 268}},
                      {{2192, 606}, {4229, 684}}},
                     {"zipf:2.5",
                      {0, 0, 0, 0, 0, 0, 4, 0, 1, 1, 0, 1},
                      {{377, 7}, {602, 2}, {1015, 11}},
                      {{67, 0}, {181, 1}, {199, 0}, {250, 0}}}};
  for (const auto& [labels, first, tested, again] : cases) {
    const std::vector<u32> all = labels_of(labels, 6000, 1000, 7);
    EXPECT_EQ(std::vector<u32>(all.begin(), all.begin() + 12), first) << labels;
    for (const auto& list : {tested, again})
      for (const auto& [at, label] : list) EXPECT_EQ(all[at], label) << labels << ' ' << at;
  }
}

// By SplitMix64 of Python's integers, and the logarithms and powers of its math.
TEST(DrawnSegments, OfASeedAreForEverTheSame) {
  EXPECT_THAT(segment_offsets("uniform:2..9", 40, 7), ElementsAre(0, 7, 16, 23, 27, 29, 32, 40));
  EXPECT_THAT(segment_offsets("uniform:0..1", 4, 7), ElementsAre(0, 1, 2, 3, 3, 3, 4));
  EXPECT_THAT(segment_offsets("uniform:1..1", 3, 7), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(segment_offsets("geometric:2.5", 20, 7), ElementsAre(0, 3, 7, 11, 13, 14, 15, 18, 20));
  EXPECT_THAT(segment_offsets("zipf:1.5", 60, 7), ElementsAre(0, 11, 33, 53, 58, 60));
  EXPECT_THAT(segment_offsets("zipf:3+empty", 6, 7), ElementsAre(0, 1, 1, 3, 3, 5, 5, 6, 6));
  EXPECT_THAT(segment_offsets("fixed:3+empty", 7, 7), ElementsAre(0, 3, 3, 6, 6, 7, 7));
  EXPECT_THAT(segment_offsets("one+empty", 5, 7), ElementsAre(0, 5, 5));
}

// Seeds whose first random word is 0, 2047, 2048 and the largest there is, as SplitMix64 run backwards says:
// the unit that a size is drawn by is 2^-53, the same, 2^-52 and 1.
TEST(DrawnSegments, AUnitLiesBetweenZeroAndOne) {
  const auto first = [](const char* sizes, std::uint64_t seed) {
    return segment_offsets(sizes, 95'000'000, seed)[1];
  };
  constexpr std::uint64_t of_0 = 0xc5deefb0344c4390, of_2047 = 0x6a102cf7226dd125,
                          of_2048 = 0x2f4e97a1394fc5d8, of_most = 0x1fdb84807c8b9d42;
  EXPECT_EQ(first("zipf:3", of_0), 94906265) << "2^26.5";
  EXPECT_EQ(first("zipf:3", of_2047), 94906265);
  EXPECT_EQ(segment_offsets("zipf:3", 67'200'000, of_2048)[1], 67108864) << "2^26";
  EXPECT_EQ(segment_offsets("zipf:3", 10, of_most)[1], 1);
  EXPECT_EQ(segment_offsets("geometric:2.5", 200, of_0)[1], 109);
  EXPECT_EQ(segment_offsets("geometric:2.5", 200, of_2047)[1], 109);
  EXPECT_EQ(segment_offsets("geometric:2.5", 200, of_2048)[1], 107);
  EXPECT_EQ(segment_offsets("geometric:2.5", 200, of_most)[1], 0);
}

TEST(DrawnSegments, ARangeMayEndWithOne) {
  const ProblemAxis axis = segments_axis();
  for (const char* text : {"uniform:0..1", "uniform:1..1", "uniform:0..1+empty", "fixed:1099511627776",
                           "uniform:0..1099511627776"})
    EXPECT_NO_THROW(axis.check(text)) << text;
  for (const char* text : {"uniform:0..0", "uniform:2..1", "uniform:-1..1", "fixed:1099511627777",
                           "uniform:0..1099511627777", "uniform:1..1..1"})
    EXPECT_EQ(
        usage_error([&] { axis.check(text); }),
        "no distribution of segments \"" + std::string(text) +
            "\": allowed are `one`, `fixed:K`, `uniform:A..B`, `geometric:MEAN`, `zipf:S` (S > 1), each "
            "also with `+empty`, {\"file\": \"offsets.npy\"} or {\"owners\": \"owners.npy\"}");
}

// Of the mean size there are 2^31 segments at most: each kind has its own.
TEST(DrawnSegments, TooManyAreRefusedByTheirMeanSize) {
  const auto said = [](const std::string& text, Index n) {
    return usage_error([&] { segment_facts(text, n, 1); });
  };
  constexpr Index most = Index(1) << 31;
  for (const auto& [text, n] : {std::pair<std::string, Index>("fixed:3", 3 * most + 1),
                                {"fixed:4+empty", 2 * most + 1},
                                {"geometric:0.5", most / 2 + 1},
                                {"uniform:1..4", 5 * (most / 2) + 1}})
    EXPECT_EQ(said(text, n), "segments=" + text + " cuts " + std::to_string(n) +
                                 " values into some 2.1e+09 segments; the most is 2^31");
  EXPECT_EQ(segment_facts("one+empty", Index(1) << 40, 1).count, 2);
  EXPECT_EQ(segment_facts("one+empty", Index(1) << 40, 1).longest, Index(1) << 40);
}

}  // namespace
}  // namespace redbench
