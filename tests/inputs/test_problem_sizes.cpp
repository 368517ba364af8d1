// What each problem makes of its axes: the sizes of its buffers, its inputs, and which it refuses.
#include <gmock/gmock.h>

#include <cstring>

#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

InputSpec spec(const char* problem, Type type, Operator op, Index n, const Json& axes = Json::object()) {
  InputSpec input{.type = type, .op = op, .n = n, .seed = 3, .pair = find_problem(problem)->pair(type, op)};
  EXPECT_NE(input.pair, nullptr) << problem;
  for (const ProblemAxis& axis : find_problem(problem)->axes)
    input.axes[axis.name] = axes.contains(axis.name) ? axes[axis.name] : axis.fallback;
  return input;
}

/// Every field of the sizes of a case.
std::string sizes_of(const char* problem, Type type, Operator op, Index n,
                     const Json& axes = Json::object()) {
  const InputSizes sizes = find_problem(problem)->sizes(spec(problem, type, op, n, axes));
  return fmt::format(
      "{} of values, {} of labels, {} of offsets, {} of results; m {}, form {}; {} read, {} written; "
      "{} rounded",
      sizes.values, sizes.labels, sizes.offsets, sizes.result, sizes.m, sizes.form, sizes.bytes_read,
      sizes.bytes_written, sizes.rounded_terms);
}

TEST(ProblemSizes, OfReduceAndTripleReduce) {
  EXPECT_EQ(sizes_of("reduce", Type::f32, Operator::sum, 1000),
            "4000 of values, 0 of labels, 0 of offsets, 4 of results; m 0, form 0; 4000 read, 4 written; "
            "1000 rounded");
  EXPECT_EQ(sizes_of("reduce", Type::i64, Operator::sum, 1000),
            "8000 of values, 0 of labels, 0 of offsets, 8 of results; m 0, form 0; 8000 read, 8 written; 0 "
            "rounded");
  EXPECT_EQ(sizes_of("triple_reduce", Type::f32, Operator::sum, 1000),
            "12000 of values, 0 of labels, 0 of offsets, 12 of results; m 0, form 0; 12000 read, 12 written; "
            "1000 rounded");
  EXPECT_EQ(sizes_of("triple_reduce", Type::i32, Operator::sum, 500, {{"layout", "structs"}}),
            "6000 of values, 0 of labels, 0 of offsets, 12 of results; m 0, form 1; 6000 read, 12 written; 0 "
            "rounded");
}

// Of m values at most n are read.
TEST(ProblemSizes, OfGather) {
  EXPECT_EQ(sizes_of("gather", Type::i64, Operator::right, 1000, {{"m", 7}}),
            "56 of values, 4000 of labels, 0 of offsets, 8000 of results; m 7, form 0; 4056 read, 8000 "
            "written; 0 rounded");
  EXPECT_EQ(sizes_of("gather", Type::i64, Operator::right, 5, {{"m", 70}}),
            "560 of values, 20 of labels, 0 of offsets, 40 of results; m 70, form 0; 60 read, 40 written; 0 "
            "rounded");
}

TEST(ProblemSizes, OfThoseWithALabelForEachValue) {
  EXPECT_EQ(
      sizes_of("multireduce", Type::f32, Operator::sum, 1000, {{"m", 7}}),
      "4000 of values, 4000 of labels, 0 of offsets, 28 of results; m 7, form 0; 8000 read, 28 written; "
      "1000 rounded");
  EXPECT_EQ(
      sizes_of("multireduce", Type::i64, Operator::sum, 1000, {{"m", 7}}),
      "8000 of values, 4000 of labels, 0 of offsets, 56 of results; m 7, form 0; 12000 read, 56 written; "
      "0 rounded");
  EXPECT_EQ(
      sizes_of("multiscan", Type::f32, Operator::sum, 1000, {{"m", 7}, {"scan", "inclusive"}}),
      "4000 of values, 4000 of labels, 0 of offsets, 4000 of results; m 7, form 1; 8000 read, 4000 written; "
      "1000 rounded");
  EXPECT_EQ(
      sizes_of("multiscan", Type::i32, Operator::sum, 900, {{"m", 7}, {"scan", "exclusive"}}),
      "3600 of values, 3600 of labels, 0 of offsets, 3600 of results; m 7, form 0; 7200 read, 3600 written; "
      "0 rounded");
  for (const auto& [wins, form] : {std::pair("any", 0), {"last", 1}})
    EXPECT_EQ(
        sizes_of("scatter", Type::i64, Operator::right, 1000, {{"m", 7}, {"wins", wins}}),
        fmt::format("8000 of values, 4000 of labels, 0 of offsets, 56 of results; m 7, form {}; 12000 read, "
                    "56 written; 0 rounded",
                    form));
}

// 100 values in segments of 3 are 34 segments, which 35 offsets of 8 bytes tell.
TEST(ProblemSizes, OfThoseWithSegments) {
  EXPECT_EQ(
      sizes_of("segreduce", Type::f32, Operator::sum, 100, {{"segments", "fixed:3"}, {"given", "owners"}}),
      "400 of values, 400 of labels, 0 of offsets, 136 of results; m 34, form 0; 800 read, 136 written; "
      "3 rounded");
  EXPECT_EQ(
      sizes_of("segreduce", Type::i64, Operator::sum, 100, {{"segments", "fixed:3"}, {"given", "offsets"}}),
      "800 of values, 0 of labels, 280 of offsets, 272 of results; m 34, form 1; 1080 read, 272 written; "
      "0 rounded");
  EXPECT_EQ(
      sizes_of("segscan", Type::i32, Operator::sum, 100, {{"segments", "fixed:3"}}),
      "400 of values, 400 of labels, 0 of offsets, 400 of results; m 34, form 0; 800 read, 400 written; "
      "0 rounded");
}

// Labels are what is counted: there are no values.
TEST(ProblemSizes, OfHistogram) {
  EXPECT_EQ(sizes_of("histogram", Type::u8, Operator::sum, 1000, {{"m", 7}}),
            "0 of values, 1000 of labels, 0 of offsets, 28 of results; m 7, form 0; 1000 read, 28 written; 0 "
            "rounded");
  EXPECT_EQ(
      sizes_of("histogram", Type::u32, Operator::sum, 1000, {{"m", 300}}),
      "0 of values, 4000 of labels, 0 of offsets, 1200 of results; m 300, form 0; 4000 read, 1200 written; "
      "0 rounded");
  EXPECT_EQ(refused([] { sizes_of("histogram", Type::u8, Operator::sum, 1000, {{"m", 257}}); }),
            "labels of type u8 are at most 256 different ones, m is 257");
}

// i32.npy has five values. Each problem needs so many of n, or of m.
TEST(ProblemSizes, AFileThatIsTooShortIsRefusedByEach) {
  const Json file{{"file", fixture("i32.npy")}};
  const std::string holds = fixture("i32.npy") + " holds 5 values, n asks for ";
  const auto said = [&](const char* problem, Index n, Json axes = Json::object()) {
    axes["values"] = file;
    const Operator op = problem == std::string("gather") || problem == std::string("scatter")
                            ? Operator::right
                            : Operator::sum;
    return usage_error([&] { sizes_of(problem, Type::i32, op, n, axes); });
  };
  for (const char* problem : {"reduce", "multireduce", "multiscan", "segreduce", "segscan"})
    EXPECT_EQ(said(problem, 6), holds + "6") << problem;
  EXPECT_EQ(said("scatter", 6, {{"wins", "last"}}), holds + "6");
  EXPECT_EQ(said("triple_reduce", 2), holds + "6");
  EXPECT_EQ(said("gather", 3, {{"m", 8}}), holds + "8");
}

TEST(ProblemSizes, LabelsThatCannotBeAreRefusedByEach) {
  const Json axes{{"m", 1}, {"labels", "missing"}};
  for (const auto& [problem, op] : {std::pair("gather", Operator::right),
                                    {"scatter", Operator::right},
                                    {"multireduce", Operator::sum},
                                    {"multiscan", Operator::sum}})
    EXPECT_EQ(refused([&] { sizes_of(problem, Type::i32, op, 10, axes); }),
              "labels=missing leaves a label out: m is 1, so none would be left")
        << problem;
}

template <class T>
std::vector<T> in(const HostBuffer& buffer) {
  return {buffer.as<T>(), buffer.as<T>() + buffer.bytes / sizeof(T)};
}

TEST(ProblemInputs, OfGatherAreAValueForEachLabel) {
  const InputSpec input = spec("gather", Type::i64, Operator::right, 100, {{"m", 7}});
  const Inputs inputs = find_problem("gather")->make(input);
  EXPECT_EQ(inputs.n, 100);
  EXPECT_EQ(inputs.m, 7);
  EXPECT_EQ(inputs.form, 0);
  EXPECT_EQ(inputs.offsets.bytes, 0u);
  EXPECT_EQ(in<i64>(inputs.values), in<i64>(make_values(input, 7)));
  EXPECT_EQ(in<u32>(inputs.labels), in<u32>(make_labels(input, Type::u32)));
  std::vector<i64> expected;
  for (const u32 label : in<u32>(inputs.labels)) expected.push_back(in<i64>(inputs.values)[label]);
  const auto reference = find_problem("gather")->reference(input, inputs);
  EXPECT_EQ(reference->results(), 100);
  EXPECT_EQ(in<i64>(reference->block(0, 100).exact), expected);
  expected.erase(expected.begin(), expected.begin() + 30);
  expected.resize(50);
  EXPECT_EQ(in<i64>(reference->block(30, 50).exact), expected);
}

// Where any value of a label may win they are all the same; where the last one does they differ.
TEST(ProblemInputs, OfScatterAreAlikeWhereAnyWins) {
  for (const bool last : {false, true}) {
    const InputSpec input =
        spec("scatter", Type::i32, Operator::right, 100, {{"m", 7}, {"wins", last ? "last" : "any"}});
    const Inputs inputs = find_problem("scatter")->make(input);
    EXPECT_EQ(inputs.n, 100);
    EXPECT_EQ(inputs.m, 7);
    EXPECT_EQ(inputs.form, last);
    const std::vector<u32> labels = in<u32>(inputs.labels);
    EXPECT_EQ(labels, in<u32>(make_labels(input, Type::u32)));
    std::vector<i32> expected = in<i32>(make_values(input, last ? 100 : 7)), results(7);
    if (!last) {
      const std::vector<i32> of_label = expected;
      expected.clear();
      for (const u32 label : labels) expected.push_back(of_label[label]);
    }
    EXPECT_EQ(in<i32>(inputs.values), expected);
    for (std::size_t i = 0; i < 100; ++i) results[labels[i]] = expected[i];
    const auto reference = find_problem("scatter")->reference(input, inputs);
    EXPECT_EQ(reference->results(), 7);
    EXPECT_EQ(in<i32>(reference->block(0, 7).exact), results);
  }
  for (const Type type : {Type::i32, Type::i64}) {
    const Pair* const pair = find_problem("scatter")->pair(type, Operator::right);
    ASSERT_NE(pair, nullptr);
    EXPECT_FALSE(pair->takes_planted);
  }
  EXPECT_EQ(find_problem("scatter")->pairs.size(), 2u);
  EXPECT_THAT(refused([&] {
                sizes_of("scatter", Type::i32, Operator::right, 5,
                         {{"values", {{"file", fixture("i32.npy")}}}});
              }),
              testing::StartsWith("wins=any takes generated values"));
}

TEST(ProblemInputs, OfTripleReduceAreThreeForEach) {
  for (const bool structs : {false, true}) {
    const InputSpec input =
        spec("triple_reduce", Type::i32, Operator::sum, 50, {{"layout", structs ? "structs" : "arrays"}});
    const Inputs inputs = find_problem("triple_reduce")->make(input);
    EXPECT_EQ(inputs.n, 50);
    EXPECT_EQ(inputs.form, structs);
    const std::vector<i32> values = in<i32>(inputs.values);
    EXPECT_EQ(values, in<i32>(make_values(input, 150)));
    std::vector<i32> sums(3);
    for (std::size_t i = 0; i < 150; ++i) {
      i32& sum = sums[structs ? i % 3 : i / 50];
      sum = wrapping_sum(sum, values[i]);
    }
    const auto reference = find_problem("triple_reduce")->reference(input, inputs);
    EXPECT_EQ(reference->results(), 3);
    EXPECT_EQ(in<i32>(reference->block(0, 3).exact), sums);
  }
}

TEST(ProblemInputs, OfReduceAreValuesAlone) {
  const InputSpec input = spec("reduce", Type::i32, Operator::sum, 90);
  const Inputs inputs = find_problem("reduce")->make(input);
  EXPECT_EQ(inputs.n, 90);
  EXPECT_EQ(inputs.labels.bytes + inputs.offsets.bytes, 0u);
  const std::vector<i32> values = in<i32>(inputs.values);
  EXPECT_EQ(values, in<i32>(make_values(input, 90)));
  i32 sum = 0;
  for (const i32 value : values) sum = wrapping_sum(sum, value);
  const auto reference = find_problem("reduce")->reference(input, inputs);
  EXPECT_EQ(reference->results(), 1);
  EXPECT_EQ(in<i32>(reference->block(0, 1).exact), std::vector<i32>{sum});
}

template <class Label>
void expect_histogram(Type type, Index m) {
  const InputSpec input = spec("histogram", type, Operator::sum, 500, {{"m", m}});
  const Inputs inputs = find_problem("histogram")->make(input);
  EXPECT_EQ(inputs.n, 500);
  EXPECT_EQ(inputs.m, m);
  EXPECT_EQ(inputs.values.bytes, 0u);
  const std::vector<Label> labels = in<Label>(inputs.labels);
  EXPECT_EQ(labels, in<Label>(make_labels(input, type)));
  std::vector<u32> counts(static_cast<std::size_t>(m));
  for (const Label label : labels) ++counts.at(label);
  const auto reference = find_problem("histogram")->reference(input, inputs);
  EXPECT_EQ(reference->results(), m);
  EXPECT_EQ(in<u32>(reference->block(0, m).exact), counts);
}
TEST(ProblemInputs, OfHistogramAreLabelsAlone) {
  expect_histogram<u8>(Type::u8, 7);
  expect_histogram<u32>(Type::u32, 300);
}

TEST(ProblemInputs, OfMultireduceAreALabelForEachValue) {
  const InputSpec input = spec("multireduce", Type::i64, Operator::sum, 100, {{"m", 7}});
  const Inputs inputs = find_problem("multireduce")->make(input);
  const std::vector<i64> values = in<i64>(inputs.values);
  const std::vector<u32> labels = in<u32>(inputs.labels);
  EXPECT_EQ(values, in<i64>(make_values(input, 100)));
  EXPECT_EQ(labels, in<u32>(make_labels(input, Type::u32)));
  std::vector<i64> sums(7);
  for (std::size_t i = 0; i < 100; ++i) sums[labels[i]] = wrapping_sum(sums[labels[i]], values[i]);
  const auto reference = find_problem("multireduce")->reference(input, inputs);
  EXPECT_EQ(reference->results(), 7);
  EXPECT_EQ(in<i64>(reference->block(0, 7).exact), sums);
}

// 10 values in segments of 4: two whole ones, and one of 2.
TEST(ProblemInputs, OfSegmentsAreOwnersOrOffsets) {
  const std::vector<u32> owners{0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  const std::vector<Index> offsets{0, 4, 8, 10};
  for (const auto& [problem, given] :
       {std::pair("segreduce", "owners"), {"segreduce", "offsets"}, {"segscan", "owners"}}) {
    const InputSpec input =
        spec(problem, Type::i32, Operator::sum, 10, {{"segments", "fixed:4"}, {"given", given}});
    const Inputs inputs = find_problem(problem)->make(input);
    const bool by_owners = given == std::string("owners"), scans = problem == std::string("segscan");
    EXPECT_EQ(inputs.n, 10);
    EXPECT_EQ(inputs.m, 3);
    EXPECT_EQ(inputs.form, by_owners ? 0 : 1);
    EXPECT_EQ(inputs.segments, offsets);
    EXPECT_EQ(in<u32>(inputs.labels), by_owners ? owners : std::vector<u32>());
    EXPECT_EQ(in<Index>(inputs.offsets), by_owners ? std::vector<Index>() : offsets);
    const std::vector<i32> values = in<i32>(inputs.values);
    EXPECT_EQ(values, in<i32>(make_values(input, 10)));
    std::vector<i32> sums(3), before;
    for (std::size_t i = 0; i < 10; ++i) {
      before.push_back(sums[owners[i]]);
      sums[owners[i]] = wrapping_sum(sums[owners[i]], values[i]);
    }
    const std::vector<i32>& expected = scans ? before : sums;
    const auto reference = find_problem(problem)->reference(input, inputs);
    EXPECT_EQ(reference->results(), Index(expected.size()));
    EXPECT_EQ(in<i32>(reference->block(0, Index(expected.size())).exact), expected);
  }
}

TEST(ProblemInputs, OfMultiscanSayWhetherAValueIsInItsOwnResult) {
  for (const bool inclusive : {false, true}) {
    const InputSpec input = spec("multiscan", Type::i32, Operator::sum, 40,
                                 {{"m", 3}, {"scan", inclusive ? "inclusive" : "exclusive"}});
    const Inputs inputs = find_problem("multiscan")->make(input);
    EXPECT_EQ(inputs.n, 40);
    EXPECT_EQ(inputs.m, 3);
    EXPECT_EQ(inputs.form, inclusive);
    const std::vector<i32> values = in<i32>(inputs.values);
    const std::vector<u32> labels = in<u32>(inputs.labels);
    std::vector<i32> sums(3), expected;
    for (std::size_t i = 0; i < 40; ++i) {
      i32& sum = sums[labels[i]];
      if (!inclusive) expected.push_back(sum);
      sum = wrapping_sum(sum, values[i]);
      if (inclusive) expected.push_back(sum);
    }
    EXPECT_EQ(in<i32>(find_problem("multiscan")->reference(input, inputs)->block(0, 40).exact), expected);
  }
}

}  // namespace
}  // namespace redbench
