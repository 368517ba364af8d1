// run_cell on the host, with variants made here: each does one thing wrong, some only after a while.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>

#include "src/cell/buffers.hpp"
#include "src/cell/cell.hpp"
#include "src/cell/forks.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/records/check.hpp"
#include "tests/cell/cell_of.hpp"
#include "tests/support.hpp"
#include "tests/wrong_kernels.hpp"

namespace redbench {
namespace {

void writes_nothing(Queue&, const Operands&) {}
void right_only_at_first(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    if (++runs < 4) *static_cast<i32*>(x.result) = sum_of(x);
  });
}
void writes_past(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    *static_cast<i32*>(x.result) = sum_of(x);
    static_cast<i32*>(x.result)[1] = 7;
  });
}
void writes_past_scratch(Queue& queue, const Operands& x) {
  i32* const scratch = queue.scratch<i32>(3);
  queue.on_host([&] {
    scratch[3] = 7;
    *static_cast<i32*>(x.result) = sum_of(x);
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
void writes_before_scratch(Queue& queue, const Operands& x) {
  i32* const scratch = queue.scratch<i32>(3);
  queue.on_host([&] {
    scratch[-1] = 7;
    *static_cast<i32*>(x.result) = sum_of(x);
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
/// The same, run by run: what warms is right.
void writes_every_other_time(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    if (++runs == 1 || runs % 2 == 0) *static_cast<i32*>(x.result) = sum_of(x);
  });
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

/// A sum that is off by as many units in the last place as `units` says for this run; right from then on.
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

void writes_before(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    static_cast<i32*>(const_cast<void*>(x.values))[-1] = 7;
    *static_cast<i32*>(x.result) = sum_of(x);
  });
}
void fails_later(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    if (++runs == 4) throw DeviceError("the device said no, later");
    *static_cast<i32*>(x.result) = sum_of(x);
  });
}

void expect_no_time(const Record& record) {
  for (const char* field :
       {"time_ns", "samples_ns", "bandwidth_gb_per_s", "percent_of_ceiling", "ns_per_input"})
    EXPECT_TRUE(record[field].is_null()) << field;
}

TEST(Cell, ARightCaseHasItsTimesAndTheirMeaning) {
  const Record record = CellOf({right}).only();
  EXPECT_EQ(record["outcome"], "passed");
  ASSERT_EQ(record["samples_ns"].size(), 1u);
  EXPECT_EQ(record["forks"], 1);
  const std::vector<double> samples = record["samples_ns"][0];
  EXPECT_GE(samples.size(), 7u) << "six, and the one whose result is checked";
  EXPECT_LE(samples.size(), 9u);
  EXPECT_EQ(samples, in_tenths(samples));
  const double time = record["time_ns"];
  EXPECT_DOUBLE_EQ(record["bandwidth_gb_per_s"].get<double>(), (4.0 * 1000 + 4) / time);
  EXPECT_DOUBLE_EQ(record["ns_per_input"].get<double>(), time / 1000);
  EXPECT_LE(record["time_low_ns"].get<double>(), time);
  EXPECT_GE(record["time_high_ns"].get<double>(), time);
  EXPECT_EQ(record["error"], 0);
}

TEST(Cell, EveryModeIsARecord) {
  CellOf cell({right});
  cell.options_.measure.modes = {Mode::cold, Mode::warm};
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_NE(records[0]["mode"], records[1]["mode"]);
}

TEST(Cell, EachCaseTwiceInEveryRound) {
  CellOf cell({right, right});
  for (const Record& record : cell.records()) EXPECT_TRUE(record["again_ns"].is_null());
  cell.options_.measure.twice = true;
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 2u);
  for (const Record& record : records) {
    ASSERT_EQ(record["again_ns"].size(), 1u);
    EXPECT_EQ(record["again_ns"][0].size(), record["samples_ns"][0].size()) << "the last round, too";
  }
}

TEST(Cell, WhatIsNotWantedIsNotMeasured) {
  CellOf cell({right, right});
  cell.options_.wanted = [&](const Case& one, Mode) { return &one == &cell.cell_.cases[1]; };
  EXPECT_EQ(cell.only()["variant"], "reduce/case1");
}

TEST(Cell, AWrongResultHasNoTime) {
  const std::vector<std::pair<Algorithm, CaughtBy>> both{{zero, CaughtBy::comparison},
                                                         {writes_nothing, CaughtBy::result_poison}};
  for (const auto& [run, check] : both) {
    const Record record = CellOf({run}).only();
    EXPECT_EQ(caught_by(record), check) << record;
    expect_no_time(record);
  }
}

// Right on poisoned scratch memory, so in the checks before and after; wrong on that of the sample before.
TEST(Cell, WhatASampleLeavesIsChecked) {
  const auto expect = [](Algorithm wrong, Mode mode, const std::string& reason) {
    CellOf cell({wrong});
    cell.options_.measure.modes = {mode};
    const Record record = cell.only();
    EXPECT_EQ(record["outcome"], "wrong");
    EXPECT_EQ(record["reason"].get<std::string>().find(reason + ": result[0] is "), 0u) << record["reason"];
    expect_no_time(record);
  };
  for (const Mode mode : {Mode::cold, Mode::warm}) {
    expect(right_on_new_scratch, mode, "the last sample");
    expect(writes_on_new_scratch, mode, "a sample on a poisoned result");
    expect(right_only_at_first, mode, "a sample on a poisoned result");
  }
  // The run that warms is right each time.
  expect(writes_every_other_time, Mode::warm, "a sample on a poisoned result");
}

// Each is right on the cell's own values, but for less than rounding explains.
TEST(Cell, WhatTheOwnValuesHideShowsOnOthers) {
  const auto expect = [](Algorithm run, Index n, Operator op, Type type, const std::string& where) {
    const Record record = CellOf({run}, n, op, type).only();
    EXPECT_EQ(record["outcome"], "wrong") << where;
    EXPECT_NE(record["reason"].get<std::string>().find(where + ": result[0] is "), std::string::npos)
        << record;
    expect_no_time(record);
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

// Where another process of the run judges them.
TEST(Cell, OtherValuesCanBeLeftToAnother) {
  for (const bool judged : {true, false}) {
    CellOf cell({skips<Min<i32>, 0, 1>}, 1000, Operator::min, Type::i32);
    cell.options_.other_values = judged;
    EXPECT_EQ(cell.only()["outcome"], judged ? "wrong" : "passed");
  }
}

TEST(Cell, RightAlgorithmsAreRightOnOtherValues) {
  for (const Record& record : CellOf({skips<Min<f32>, -1, -1>}, 1000, Operator::min, Type::f32).records())
    EXPECT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(CellOf({skips<Sum<c32>, -1, -1>}, 1000, Operator::sum, Type::c32).only()["outcome"], "passed");
  EXPECT_EQ(CellOf({skips<Product<c32>, -1, -1>}, 1000, Operator::product, Type::c32).only()["outcome"],
            "passed");
  EXPECT_EQ(CellOf({skips<Right<f64>, -1, -1>}, 1000, Operator::right, Type::f64).only()["outcome"],
            "passed");
}

// Run 0 is the check before, run 1 on exact values; runs 2 to 8 are samples, the last of which is checked,
// then come a sample on poison and the check after timing.
TEST(Cell, TheLargestErrorIsReported) {
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

TEST(Cell, AWriterOfInputsIsCaughtAndTheOthersGetTheirsBack) {
  const std::vector<Record> records = CellOf({right, writes_input, right}).records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0]["outcome"], "passed");
  EXPECT_EQ(records[1]["outcome"], "wrong");
  EXPECT_EQ(records[1]["reason"], "writes its inputs");
  EXPECT_EQ(records[2]["outcome"], "passed");
}

// Inputs above 16 MiB are compared once for all cases, which then are run one by one.
TEST(Cell, AWriterOfLargeInputsIsFoundAmongTheOthers) {
  CellOf cell({right, writes_input, right}, (Index(4) << 20) + 1);
  cell.options_.timing = false;
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(caught_by(records[0]), CaughtBy::nothing) << records[0];
  EXPECT_EQ(caught_by(records[1]), CaughtBy::inputs) << records[1];
  EXPECT_EQ(caught_by(records[2]), CaughtBy::nothing) << records[2];
}

TEST(Cell, WritesPastABufferAreCaught) {
  EXPECT_EQ(CellOf({writes_before}).only()["reason"], "writes before the start of the values");
  EXPECT_EQ(CellOf({writes_past}).only()["reason"], "writes byte 4 of the result, which has 4");
  EXPECT_EQ(CellOf({writes_before_scratch}).only()["reason"], "writes before the start of scratch 0");
  EXPECT_EQ(CellOf({writes_past_scratch}).only()["reason"], "writes byte 12 of scratch 0, which has 12");
}

TEST(Cell, ScratchIsPoisoned) {
  EXPECT_EQ(caught_by(CellOf({reads_unwritten_scratch}).only()), CaughtBy::memory_poison);
}

// -1 does no harm to the maximum of these 20 values; the pattern of the second check does.
TEST(Cell, ScratchIsPoisonedInAnotherWayAfterTiming) {
  const Record record = CellOf({takes_unwritten_scratch_for_a_maximum}, 20, Operator::max).only();
  EXPECT_EQ(record["outcome"], "wrong");
  EXPECT_EQ(record["reason"].get<std::string>().find("after timing: result[0] is 2139062143, "), 0u)
      << record;
}

// The sum is -1: a poison of all ones would pass for it.
TEST(Cell, AnAnswerThatLooksLikeThePoisonMustBeWritten) {
  CellOf cell({writes_nothing, right}, 1, Operator::sum);
  const TemporaryFolder folder;
  cell.cell_.input.axes["values"] = Json{{"file", folder.write("ones.npy", npy_of<i32>("<i4", {-1}))}};
  const std::vector<Record> records = cell.records();
  EXPECT_EQ(records[0]["reason"], "result[0] is -1515870811, the exact answer is -1");
  EXPECT_EQ(records[1]["outcome"], "passed") << records[1];
}

/// An answer of two results.
class Two : public Reference {
 public:
  explicit Two(const std::array<i32, 2>& answer) : answer_(answer) {}
  Index results() const override { return 2; }
  Expected block(Index first, Index count) override {
    Expected block;
    block.exact = HostBuffer(std::size_t(count) * sizeof(i32));
    std::memcpy(block.exact.data.get(), answer_.data() + first, block.exact.bytes);
    return block;
  }

 private:
  std::array<i32, 2> answer_;
};

// An answer of all ones is what a result that nobody wrote would hold, were its poison all ones.
TEST(Cell, TheResultsPoisonIsNotTheAnswer) {
  const Pair& pair = *find_problem("reduce")->pair(Type::i32, Operator::sum);
  const auto poison = [&](i32 first, i32 second) {
    ExactAnswer answer(pair, std::make_unique<Two>(std::array{first, second}));
    return result_poison(answer);
  };
  EXPECT_EQ(poison(5, -1), 0xA5);
  EXPECT_EQ(poison(5, i32(0xA5A5A5A5)), 0xFF);
}

TEST(Cell, AFailureCostsItsCaseAlone) {
  const std::vector<Record> records = CellOf({fails, right, fails_later}).records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0]["outcome"], "failed");
  EXPECT_EQ(records[0]["reason"], "the device said no");
  EXPECT_EQ(records[1]["outcome"], "passed");
  EXPECT_EQ(records[2]["outcome"], "failed");
  EXPECT_EQ(records[2]["reason"], "the device said no, later");
  expect_no_time(records[2]);
}

TEST(Cell, WithoutTimingACaseIsCheckedOnly) {
  CellOf cell({right, zero});
  cell.options_.timing = false;
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["outcome"], "passed");
  expect_no_time(records[0]);
  EXPECT_EQ(records[1]["outcome"], "wrong");
}

TEST(Cell, ARefusedCaseIsARow) {
  CellOf cell({right});
  cell.cell_.cases[0].refusal = "needs more than there is";
  const Record record = cell.only();
  EXPECT_EQ(record["outcome"], "unsupported");
  EXPECT_EQ(record["reason"], "needs more than there is");
}

}  // namespace
}  // namespace redbench
