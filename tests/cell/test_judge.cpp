// How run_cell finds what is wrong: poison, red zones, its own values and others, and whom it blames.
#include "src/cell/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "src/reference/planted.hpp"
#include "tests/cell/cell_of.hpp"
#include "tests/support.hpp"
#include "tests/wrong_kernels.hpp"

namespace redbench {
namespace {

void writes_nothing(Queue&, const Operands&) {}
/// Writes 7 to its result, its values or three numbers of scratch memory, `at` from their start.
enum class To { result, values, scratch };
template <To to, int at>
void writes_at(Queue& queue, const Operands& x) {
  i32* const scratch = queue.scratch<i32>(3);
  queue.on_host([&] {
    void* const start = to == To::result   ? x.result
                        : to == To::values ? const_cast<void*>(x.values)
                                           : scratch;
    *static_cast<i32*>(x.result) = sum_of(x);
    static_cast<i32*>(start)[at] = 7;
  });
}
void reads_unwritten_scratch(Queue& queue, const Operands& x) {
  i32* const scratch = queue.scratch<i32>(1);
  queue.on_host([&] { *static_cast<i32*>(x.result) = sum_of(x) + scratch[0]; });
}
void takes_unwritten_scratch_for_a_maximum(Queue& queue, const Operands& x) {
  i32* const scratch = queue.scratch<i32>(1);
  queue.on_host([&] {
    const i32* const values = static_cast<const i32*>(x.values);
    *static_cast<i32*>(x.result) = std::max(*std::max_element(values, values + x.n), scratch[0]);
  });
}
/// Scratch memory tells the first run, on poison, from the others.
void right_on_new_scratch(Queue& queue, const Operands& x) {
  i32* const scratch = queue.scratch<i32>(1);
  queue.on_host([&] {
    *static_cast<i32*>(x.result) = *scratch == 5 ? 0 : sum_of(x);
    *scratch = 5;
  });
}
/// The same, but then nothing is written: what was there before stays.
void writes_on_new_scratch(Queue& queue, const Operands& x) {
  i32* const scratch = queue.scratch<i32>(1);
  queue.on_host([&] {
    if (*scratch != 5) *static_cast<i32*>(x.result) = sum_of(x);
    *scratch = 5;
  });
}
void right_only_at_first(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    if (++runs < 4) *static_cast<i32*>(x.result) = sum_of(x);
  });
}
/// What warms is right.
void writes_every_other_time(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    if (++runs == 1 || runs % 2 == 0) *static_cast<i32*>(x.result) = sum_of(x);
  });
}

TEST(Judge, AWrongResultIsTheOutcome) {
  EXPECT_EQ(caught_by(CellOf({zero}).only()), CaughtBy::comparison);
  EXPECT_EQ(caught_by(CellOf({writes_nothing}).only()), CaughtBy::result_poison);
  EXPECT_EQ(caught_by(CellOf({reads_unwritten_scratch}).only()), CaughtBy::memory_poison);
}

TEST(Judge, WritesPastABufferAreCaught) {
  const auto reason = [](Algorithm algorithm) { return CellOf({algorithm}).only()["reason"]; };
  EXPECT_EQ(reason(writes_at<To::values, -1>), "writes before the start of the values");
  EXPECT_EQ(reason(writes_at<To::result, 1>), "writes byte 4 of the result, which has 4");
  EXPECT_EQ(reason(writes_at<To::scratch, -1>), "writes before the start of scratch 0");
  EXPECT_EQ(reason(writes_at<To::scratch, 3>), "writes byte 12 of scratch 0, which has 12");
}

// Right on poisoned scratch memory, so in the checks before and after; wrong on that of the sample before.
TEST(Judge, WhatASampleLeavesIsChecked) {
  const auto expect = [](Algorithm wrong, Mode mode, const std::string& reason) {
    CellOf cell({wrong});
    cell.options_.measure.modes = {mode};
    const Record record = cell.only();
    EXPECT_EQ(record["outcome"], "wrong");
    EXPECT_EQ(record["reason"].get<std::string>().find(reason + ": result[0] is "), 0u) << record["reason"];
    EXPECT_TRUE(record["time_ns"].is_null() && record["samples_ns"].is_null());
  };
  for (const Mode mode : {Mode::cold, Mode::warm}) {
    expect(right_on_new_scratch, mode, "the last sample");
    expect(writes_on_new_scratch, mode, "a sample on a poisoned result");
    expect(right_only_at_first, mode, "a sample on a poisoned result");
  }
  expect(writes_every_other_time, Mode::warm, "a sample on a poisoned result");
}

// -1 does no harm to the maximum of these 20 values; the pattern of the second check does.
TEST(Judge, ScratchIsPoisonedInAnotherWayAfterTiming) {
  const Record record = CellOf({takes_unwritten_scratch_for_a_maximum}, 20, Operator::max).only();
  EXPECT_EQ(record["outcome"], "wrong");
  EXPECT_EQ(record["reason"].get<std::string>().find("after timing: result[0] is 2139062143, "), 0u)
      << record;
}

// The sum is -1: a poison of all ones would pass for it.
TEST(Judge, AnAnswerThatLooksLikeThePoisonMustBeWritten) {
  CellOf cell({writes_nothing, right}, 1, Operator::sum);
  const TemporaryFolder folder;
  cell.cell_.input.axes["values"] = Json{{"file", folder.write("ones.npy", npy_of<i32>("<i4", {-1}))}};
  EXPECT_EQ(cell.outcomes(),
            (std::vector<std::string>{"wrong: result[0] is -1515870811, the exact answer is -1", "passed"}));
}

// Inputs of up to 16 MiB, 4 Mi numbers, are compared after each case; larger ones once for all cases, which
// are run one by one where something was written.
TEST(Judge, WrittenInputsAreBlamedOnTheirWriterWhereverItIs) {
  constexpr Index small = Index(4) << 20;
  for (std::size_t writer = 0; writer < 4; ++writer)
    for (const Index n : {small, small + 1}) {
      if (writer < 2 && n == small) continue;  // takes its time
      std::vector<Algorithm> algorithms(3, right);
      std::vector<std::string> expected(3, "passed");
      if (writer < 3) {
        algorithms[writer] = writes_input;
        expected[writer] = "wrong: writes its inputs";
      }
      CellOf cell(algorithms, n);
      cell.options_.timing = false;
      EXPECT_EQ(cell.outcomes(), expected) << n << ' ' << writer;
      EXPECT_EQ(runs, n > small && writer < 3 ? 6 : 3) << n << ' ' << writer;
    }
  EXPECT_EQ(CellOf({right, writes_input, right}).outcomes(),
            (std::vector<std::string>{"passed", "wrong: writes its inputs", "passed"}));
}

/// In order, but for values 400 to 599, whose two halves change places.
template <class Op>
void swaps_tiles(Queue& queue, const Operands& x) {
  using T = typename Op::Value;
  queue.on_host([&] {
    T all = Op::identity();
    for (Index i = 0; i < x.n; ++i) {
      const Index from = i < 400 || i >= 600 ? i : i < 500 ? i + 100 : i - 100;
      all = Op()(all, static_cast<const T*>(x.values)[from]);
    }
    *static_cast<T*>(x.result) = all;
  });
}
/// A sum of halves without its last third, which rounding explains by a chain of 600.
void skips_a_third(Queue& queue, const Operands& x) {
  queue.chain(600);
  queue.on_host([&] {
    double sum = 0;
    for (Index i = 0; i < x.n / 3 * 2; ++i) sum += double(static_cast<const f16*>(x.values)[i]);
    *static_cast<f16*>(x.result) = f16(float(sum));
  });
}

// Each is right on the cell's own values, but for less than rounding explains.
TEST(Judge, WhatTheOwnValuesHideShowsOnOthers) {
  const auto expect = [](Algorithm algorithm, Index n, Operator op, Type type, const std::string& where) {
    const Record record = CellOf({algorithm}, n, op, type).only();
    EXPECT_EQ(record["outcome"], "wrong") << where;
    EXPECT_NE(record["reason"].get<std::string>().find(where + ": result[0] is "), std::string::npos)
        << record;
    EXPECT_TRUE(record["time_ns"].is_null());
  };
  expect(skips<Min<i32>, 0, 1>, 1000, Operator::min, Type::i32, "as value 0 among identities");
  expect(skips<Max<i32>, 448, 512>, 1000, Operator::max, Type::i32, "as value 500 among identities");
  expect(skips<Max<f64>, -1, 0>, 1000, Operator::max, Type::f64, "as value 999 among identities");
  expect(skips<Right<u32>, 448, 512>, 1000, Operator::right, Type::u32, "as value 500 among identities");
  expect(skips<Right<c32>, 0, 1>, 1000, Operator::right, Type::c32, "as value 0 among identities");
  // The last value of all is where it belongs.
  expect(swaps_tiles<Right<u32>>, 1000, Operator::right, Type::u32, "as value 500 among identities");
  // Two factors that are 1, or -1 twice.
  expect(skips<Product<f32>, 500, 502>, 1000, Operator::product, Type::f32, "as value 500 among identities");
  // One of 2^16 values is 2^-17 of the sum, and the chain explains 2^-8 of it.
  expect(skips<Sum<f32>, -1, 0>, 1 << 16, Operator::sum, Type::f32, "on exact values");
  expect(skips_a_third, (1 << 16) + 1, Operator::sum, Type::f16, "on exact values");
}

TEST(Judge, RightAlgorithmsAreRightOnOtherValues) {
  using Outcomes = std::vector<std::string>;
  const Outcomes passed{"passed"};
  EXPECT_EQ(CellOf({skips<Min<f32>, -1, -1>}, 1000, Operator::min, Type::f32).outcomes(), passed);
  EXPECT_EQ(CellOf({skips<Sum<c32>, -1, -1>}, 1000, Operator::sum, Type::c32).outcomes(), passed);
  EXPECT_EQ(CellOf({skips<Product<c32>, -1, -1>}, 1000, Operator::product, Type::c32).outcomes(), passed);
  EXPECT_EQ(CellOf({skips<Right<f64>, -1, -1>}, 1000, Operator::right, Type::f64).outcomes(), passed);
  // They are another process's, and hide no reason that is known.
  CellOf left_out({skips<Min<i32>, 0, 1>}, 1000, Operator::min);
  left_out.options_.other_values = false;
  EXPECT_EQ(left_out.outcomes(), passed);
  const Outcomes known = CellOf({zero, fails}, 1000, Operator::min).outcomes();
  EXPECT_EQ(known.at(0).find("wrong: result[0] is 0, the exact answer is -"), 0u) << known[0];
  EXPECT_EQ(known.at(1), "failed: the device said no");
}

using Places = std::vector<Index>;
std::vector<Places> seen;  // where a value was not the identity, in each run in which most were

/// Reduces in order, and notes what is planted where.
template <class Op>
void notes_places(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    const i32* const values = static_cast<const i32*>(x.values);
    i32 all = Op::identity();
    Places others;
    for (Index i = 0; i < x.n; ++i) {
      all = Op()(all, values[i]);
      if (values[i] != Op::identity()) others.push_back(i);
    }
    if (others.size() < 3) seen.push_back(others);
    *static_cast<i32*>(x.result) = all;
  });
}

// Before each place but the first is another value for `right`, whose result alone shows the order of two.
TEST(Judge, OneValueIsPlantedAtATimeAndTwoWhereTheirOrderCounts) {
  for (const Index n : {9, 100}) {
    std::vector<Places> ordered, alone;
    for (const Index place : planting_places(n, 1, {})) {
      ordered.push_back(place == 0 ? Places{0} : Places{place - 1, place});
      alone.push_back({place});
    }
    seen.clear();
    EXPECT_EQ(CellOf({notes_places<Right<i32>>}, n, Operator::right).only()["outcome"], "passed");
    EXPECT_EQ(seen, ordered) << n;
    seen.clear();
    EXPECT_EQ(CellOf({notes_places<Max<i32>>}, n, Operator::max).only()["outcome"], "passed");
    EXPECT_EQ(seen, alone) << n;
  }
}

// Values are planted at the borders of the fewest and the most shares that a cell's first launches make; one
// block shares nothing out, and what comes after the first launch reads no inputs.
TEST(Judge, ValuesArePlantedAtTheBordersOfFirstLaunches) {
  const auto planted = [](const std::vector<std::vector<Index>>& blocks_of_cases, bool timing = true) {
    CellOf cell(std::vector<Algorithm>(blocks_of_cases.size(), notes_places<Max<i32>>), 1000, Operator::max);
    cell.options_.timing = timing;
    for (std::size_t i = 0; i < blocks_of_cases.size(); ++i)
      for (const Index blocks : blocks_of_cases[i]) {
        LaunchFacts& launch = cell.cell_.cases[i].footprint.launches.emplace_back();
        launch.kernel = "tree";
        launch.grid.blocks = blocks;
        launch.limiter = "warps";
      }
    seen.clear();
    for (const Record& record : cell.records()) EXPECT_EQ(record["outcome"], "passed") << record;
    return seen;
  };
  const auto expected = [](const std::vector<Index>& shares, std::size_t cases) {
    std::vector<Places> all;
    for (const Index place : planting_places(1000, 1, shares)) all.insert(all.end(), cases, {place});
    return all;
  };
  EXPECT_EQ(planted({{7, 3}, {2, 300}, {1, 20}, {30}, {}}), expected({2, 30}, 5)) << "each case in turn";
  EXPECT_EQ(planted({{1, 20}}), expected({}, 1));
  EXPECT_EQ(planted({{2}}), expected({2, 2}, 1));
  EXPECT_EQ(planted({{2}}, false), std::vector<Places>()) << "without time: on its own values alone";
}

/// A sum that is off by as many units in the last place as `units` says for this run.
std::map<int, int> units;
void sum_off(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    double sum = 0;
    for (Index i = 0; i < x.n; ++i) sum += double(static_cast<const float*>(x.values)[i]);
    auto got = float(sum);
    for (int i = 0; i < units[runs]; ++i) got = std::nextafter(got, 2 * got);
    ++runs;
    *static_cast<float*>(x.result) = got;
  });
}

// Run 0 is the check before, run 1 on exact values; runs 2 to 8 are samples, the last of which is checked,
// then come a sample on poison and the check after timing.
TEST(Judge, TheLargestErrorOfAllChecksIsReported) {
  for (const std::map<int, int>& off :
       {std::map<int, int>{{0, 3}}, {{8, 3}}, {{9, 3}}, {{10, 3}}, {{0, 1}, {10, 3}}, {{0, 3}, {10, 1}}}) {
    units = off;
    CellOf cell({sum_off}, 1000, Operator::sum, Type::f32);
    cell.options_.measure.max_samples = cell.options_.measure.min_samples;
    const Record record = cell.only();
    EXPECT_EQ(record["outcome"], "passed") << record;
    EXPECT_GT(record["error"].get<double>(), 2.4 * 0x1p-15) << "three units of a sum near 500";
    EXPECT_EQ(record["samples_ns"][0].size(), 7u);
  }
}

}  // namespace
}  // namespace redbench
