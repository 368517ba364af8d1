// What each problem makes of its axes: the sizes of its buffers, its inputs and exact answers, and what it
// refuses.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <numeric>
#include <set>

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

// Each input and each result counts once, whatever the layout. Of the m values of a gather at most n are
// read; 100 values in segments of 3 are 34 segments, which 35 offsets of 8 bytes mark; a histogram has labels
// alone.
TEST(ProblemSizes, AreThoseOfTheProblemsDefinition) {
  using enum Type;
  using enum Operator;
  const Json m7{{"m", 7}}, fixed3{{"segments", "fixed:3"}};
  const auto with = [](Json axes, const char* axis, const char* value) {
    axes[axis] = value;
    return axes;
  };
  struct {
    const char* problem;
    Type type;
    Operator op;
    Index n;
    Json axes;
    std::size_t values, labels, offsets, result;
    Index m;
    int form;
    double read, written;
    Index rounded;
  } const rows[] = {
      {"reduce", f32, sum, 1000, {}, 4000, 0, 0, 4, 0, 0, 4000, 4, 1000},
      {"reduce", i64, sum, 1000, {}, 8000, 0, 0, 8, 0, 0, 8000, 8, 0},
      {"reduce", u32, affine, 1000, {}, 8000, 0, 0, 8, 0, 0, 8000, 8, 0},
      {"triple_reduce", f32, sum, 1000, {}, 12000, 0, 0, 12, 0, 0, 12000, 12, 1000},
      {"triple_reduce", i32, sum, 500, with({}, "layout", "structs"), 6000, 0, 0, 12, 0, 1, 6000, 12, 0},
      {"gather", i64, right, 1000, m7, 56, 4000, 0, 8000, 7, 0, 4056, 8000, 0},
      {"gather", i64, right, 5, {{"m", 70}}, 560, 20, 0, 40, 70, 0, 60, 40, 0},
      {"multireduce", f32, sum, 1000, m7, 4000, 4000, 0, 28, 7, 0, 8000, 28, 1000},
      {"multireduce", i64, sum, 1000, m7, 8000, 4000, 0, 56, 7, 0, 12000, 56, 0},
      {"multiscan", f32, sum, 1000, with(m7, "scan", "inclusive"), 4000, 4000, 0, 4000, 7, 1, 8000, 4000,
       1000},
      {"multiscan", i32, sum, 900, with(m7, "scan", "exclusive"), 3600, 3600, 0, 3600, 7, 0, 7200, 3600, 0},
      {"scatter", i64, right, 1000, with(m7, "wins", "any"), 8000, 4000, 0, 56, 7, 0, 12000, 56, 0},
      {"scatter", i64, right, 1000, with(m7, "wins", "last"), 8000, 4000, 0, 56, 7, 1, 12000, 56, 0},
      {"multisplit", u32, right, 1000, with(m7, "moves", "keys"), 0, 4000, 0, 4000, 7, 0, 4000, 4000, 0},
      {"multisplit", u32, right, 900, with(m7, "moves", "pairs"), 3600, 3600, 0, 7200, 7, 1, 7200, 7200, 0},
      {"segreduce", f32, sum, 100, with(fixed3, "given", "owners"), 400, 400, 0, 136, 34, 0, 800, 136, 3},
      {"segreduce", i64, sum, 100, with(fixed3, "given", "offsets"), 800, 0, 280, 272, 34, 1, 1080, 272, 0},
      {"segreduce", f32, sum, 99, with(fixed3, "given", "owners"), 396, 396, 0, 132, 33, 0, 792, 132, 3},
      {"segreduce", i64, sum, 99, with(fixed3, "given", "offsets"), 792, 0, 272, 264, 33, 2, 1064, 264, 0},
      {"segscan", i32, sum, 100, fixed3, 400, 400, 0, 400, 34, 0, 800, 400, 0},
      {"histogram", u8, sum, 1000, m7, 0, 1000, 0, 28, 7, 0, 1000, 28, 0},
      {"histogram", u32, sum, 1000, {{"m", 300}}, 0, 4000, 0, 1200, 300, 0, 4000, 1200, 0},
  };
  for (const auto& row : rows) {
    const InputSpec input =
        spec(row.problem, row.type, row.op, row.n, row.axes.is_null() ? Json::object() : row.axes);
    const InputSizes sizes = find_problem(row.problem)->sizes(input);
    const std::string which = fmt::format("{} of {} {}", row.problem, name_of(row.type), row.axes.dump());
    EXPECT_EQ(std::tuple(sizes.values, sizes.labels, sizes.offsets, sizes.result),
              std::tuple(row.values, row.labels, row.offsets, row.result))
        << which;
    EXPECT_EQ(std::tuple(sizes.m, sizes.form, sizes.rounded_terms), std::tuple(row.m, row.form, row.rounded))
        << which;
    EXPECT_EQ(std::pair(sizes.bytes_read, sizes.bytes_written), std::pair(row.read, row.written)) << which;
  }
}

// i32.npy has five values. Each problem needs so many of n, or of m.
TEST(ProblemSizes, WhatEachRefuses) {
  const auto check = [](const char* problem, Index n, const Json& axes, Type type = Type::i32) {
    const bool moves = problem == std::string("gather") || problem == std::string("scatter");
    find_problem(problem)->sizes(spec(problem, type, moves ? Operator::right : Operator::sum, n, axes));
  };
  const Json file{{"file", fixture("i32.npy")}};
  for (const auto& [problem, n, asked] :
       std::vector<std::tuple<const char*, Index, int>>{{"reduce", 6, 6},
                                                        {"multireduce", 6, 6},
                                                        {"multiscan", 6, 6},
                                                        {"segreduce", 6, 6},
                                                        {"segscan", 6, 6},
                                                        {"scatter", 6, 6},
                                                        {"triple_reduce", 2, 6},
                                                        {"gather", 3, 8}})
    EXPECT_EQ(usage_error([&, problem = problem, n = n] {
                check(problem, n, {{"values", file}, {"wins", "last"}, {"m", 8}});
              }),
              fmt::format("{} holds 5 values, n asks for {}", fixture("i32.npy"), asked))
        << problem;
  for (const char* problem : {"gather", "scatter", "multireduce", "multiscan"})
    EXPECT_EQ(refused([&] { check(problem, 10, {{"m", 1}, {"labels", "missing"}}); }),
              "labels=missing leaves a label out: m is 1, so none would be left")
        << problem;
  EXPECT_EQ(refused([&] { check("histogram", 1000, {{"m", 257}}, Type::u8); }),
            "labels of type u8 are at most 256 different ones, m is 257");
  EXPECT_THAT(refused([&] { check("scatter", 5, {{"values", file}}); }),
              testing::StartsWith("wins=any takes generated values"));
  for (const Pair& pair : find_problem("scatter")->pairs) EXPECT_FALSE(pair.takes_planted);
}

template <class T>
std::vector<T> in(const HostBuffer& buffer) {
  return {buffer.as<T>(), buffer.as<T>() + buffer.bytes / sizeof(T)};
}

/// The inputs of a problem, and its exact answer for all of them, as numbers of type T.
template <class T>
class Made {
 public:
  Made(const char* problem, Type type, Operator op, Index n, const Json& axes = Json::object())
      : input(spec(problem, type, op, n, axes)), inputs(find_problem(problem)->make(input)) {
    EXPECT_EQ(inputs.n, n);
    values = in<T>(inputs.values);
    labels = in<u32>(inputs.labels);
    const auto reference = find_problem(problem)->reference(input, inputs);
    const Index count = reference->results(), first = count / 3;
    answer = in<T>(reference->block(0, count).exact);
    EXPECT_EQ(Index(answer.size()), count);
    reference->block(0, first);
    EXPECT_EQ(in<T>(reference->block(first, count - first).exact),
              std::vector<T>(answer.begin() + first, answer.end()))
        << "block by block";
  }

  InputSpec input;
  Inputs inputs;
  std::vector<T> values, answer;
  std::vector<u32> labels;
};

TEST(ProblemInputs, OfGatherAreMValues) {
  const Made<i64> gather("gather", Type::i64, Operator::right, 100, {{"m", 7}});
  EXPECT_EQ(gather.inputs.m, 7);
  EXPECT_EQ(gather.values, in<i64>(make_values(gather.input, 7)));
  EXPECT_EQ(gather.labels, in<u32>(make_labels(gather.input, Type::u32)));
  std::vector<i64> gathered;
  for (const u32 label : gather.labels) gathered.push_back(gather.values[label]);
  EXPECT_EQ(gather.answer, gathered);
}

// Where any value of a label may win they are all the same; where the last one does they differ.
TEST(ProblemInputs, OfScatterAreAlikeWhereAnyWins) {
  for (const bool last : {false, true}) {
    const Made<i32> scatter("scatter", Type::i32, Operator::right, 100,
                            {{"m", 7}, {"wins", last ? "last" : "any"}});
    EXPECT_EQ(scatter.inputs.form, last);
    EXPECT_EQ(scatter.labels, in<u32>(make_labels(scatter.input, Type::u32)));
    std::vector<i32> expected = in<i32>(make_values(scatter.input, last ? 100 : 7)), results(7);
    if (!last) {
      const std::vector<i32> of_label = expected;
      expected.clear();
      for (const u32 label : scatter.labels) expected.push_back(of_label[label]);
    }
    EXPECT_EQ(scatter.values, expected);
    for (std::size_t i = 0; i < 100; ++i) results[scatter.labels[i]] = expected[i];
    EXPECT_EQ(scatter.answer, results);
  }
}

TEST(ProblemInputs, OfMultisplitAreKeysWithTheirLabelsOnTop) {
  for (const bool pairs : {false, true}) {
    const Made<u32> split("multisplit", Type::u32, Operator::right, 100,
                          {{"m", 3}, {"moves", pairs ? "pairs" : "keys"}});
    const std::vector<u32> labels = in<u32>(make_labels(split.input, Type::u32));
    std::vector<u32> order(100), expected;
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](u32 i) { return labels[i]; });
    for (const u32 i : order) {
      EXPECT_EQ(split.labels[i] >> 30, labels[i]);
      expected.push_back(split.labels[i]);
    }
    EXPECT_EQ(std::set(expected.begin(), expected.end()).size(), 100u) << "each shows where it comes from";
    if (pairs) expected.insert(expected.end(), order.begin(), order.end());
    EXPECT_EQ(split.answer, expected);
  }
}

// Parts that are made alone are those of the whole, and so is what is reduced of them: the bug is an index that counts
// from the part's start, or a run of labels that begins with it.
TEST(ProblemInputs, InPartsAreTheWhole) {
  const auto expect_same = [](const char* problem, Operator op, Type type, const Json& axes) {
    constexpr Index n = 1003;
    InputSpec input = spec(problem, type, op, n, axes);
    const Problem& known = *find_problem(problem);
    const Inputs whole = known.make(input);
    const auto reference = known.reference(input, whole);
    const auto in_parts = known.in_parts(input);
    std::string values, labels;
    const auto bytes = [](const HostBuffer& buffer) { return std::string(buffer.as<char>(), buffer.bytes); };
    for (int gpu = 0; gpu < 4; ++gpu) {
      input.part = part_of(n, gpu, 4);
      const Inputs part = known.make(input);
      EXPECT_EQ(part.n, gpu < 3 ? 251 : 250);
      values += bytes(part.values);
      labels += bytes(part.labels);
      in_parts->add(part);
    }
    EXPECT_EQ(values, bytes(whole.values)) << axes;
    EXPECT_EQ(labels, bytes(whole.labels)) << axes;
    const Index results = reference->results();
    EXPECT_EQ(in_parts->results(), results);
    const Expected one = reference->block(0, results), other = in_parts->block(0, results);
    EXPECT_EQ(bytes(other.exact), bytes(one.exact)) << axes;
    EXPECT_EQ(other.terms, one.terms) << axes;
    for (std::size_t i = 0; i < one.wide.size();
         ++i)  // by other partial sums, each within 2^-96 of the magnitude
      EXPECT_DOUBLE_EQ(other.wide[i].first, one.wide[i].first) << axes;
  };
  for (const std::string& values : distributions()) {
    expect_same("reduce", Operator::sum, Type::i32, {{"values", values}});
    expect_same("reduce", Operator::sum, Type::f32, {{"values", values}});
  }
  expect_same("reduce", Operator::affine, Type::u32, Json::object());
  for (const char* labels : {"uniform", "sequential", "sorted", "reversed", "missing", "zipf:1", "runs:40"}) {
    expect_same("multireduce", Operator::sum, Type::f32, {{"labels", labels}, {"m", 7}});
    expect_same("multireduce", Operator::sum, Type::i32, {{"labels", labels}, {"m", 7}});
  }
}

// 10 values in segments of 4: two whole ones, and one of 2.
TEST(ProblemInputs, OfSegmentsAreOwnersOrOffsets) {
  const std::vector<u32> owners{0, 0, 0, 0, 1, 1, 1, 1, 2, 2};
  const std::vector<Index> offsets{0, 4, 8, 10};
  for (const auto& [problem, given] :
       {std::pair("segreduce", "owners"), {"segreduce", "offsets"}, {"segscan", "owners"}}) {
    const Made<i32> made(problem, Type::i32, Operator::sum, 10, {{"segments", "fixed:4"}, {"given", given}});
    const bool by_owners = given == std::string("owners");
    EXPECT_EQ(made.inputs.m, 3);
    EXPECT_EQ(made.inputs.form, by_owners ? 0 : 1);
    EXPECT_EQ(made.inputs.segments, offsets);
    EXPECT_EQ(made.labels, by_owners ? owners : std::vector<u32>());
    EXPECT_EQ(in<Index>(made.inputs.offsets), by_owners ? std::vector<Index>() : offsets);
    std::vector<i32> sums(3), before;
    for (std::size_t i = 0; i < 10; ++i) {
      before.push_back(sums[owners[i]]);
      sums[owners[i]] = wrapping_sum(sums[owners[i]], made.values[i]);
    }
    EXPECT_EQ(made.answer, problem == std::string("segscan") ? before : sums);
  }
}

// A case that was planned for segments of one length gets such inputs: 12 values in 4 of 3, not in 2 of 5 and one of 2.
TEST(ProblemInputs, OfSegmentsHaveThePlannedForm) {
  for (const auto& [segments, one_length] : {std::pair("one", true), {"fixed:3", true}, {"fixed:5", false}})
    for (const char* given : {"owners", "offsets"}) {
      const Json axes{{"segments", segments}, {"given", given}};
      const Made<i32> made("segreduce", Type::i32, Operator::sum, 12, axes);
      const bool by_offsets = given == std::string("offsets");
      EXPECT_EQ(made.inputs.form, !by_offsets ? 0 : one_length ? 2 : 1) << axes;
      EXPECT_EQ(find_problem("segreduce")->sizes(spec("segreduce", Type::i32, Operator::sum, 12, axes)).form,
                made.inputs.form)
          << axes;
    }
}

}  // namespace
}  // namespace redbench
