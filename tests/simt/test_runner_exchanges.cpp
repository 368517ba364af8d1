// Collectives of the runner as the kernel language asks for them, in 64 bits: which lane each shuffle reads
// from, what it gets that reads from none, and what lanes of a mask alone come to.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "src/simt/block.hpp"
#include "src/simt/model.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

using simt::running;
using simt::WarpOp;

using Acts = std::function<void(unsigned thread)>;

/// The error with which a warp ends that does this; empty where it ends well.
std::string run_warp(const Acts& acts) {
  static const DeviceFacts facts = simt::load_model("gtx480");
  void* arguments[] = {const_cast<Acts*>(&acts)};
  const KernelCall call{
      reinterpret_cast<const void*>(test_kernels().at("indices").kernel),
      arguments,
      [](const void*, void** given) { (*static_cast<const Acts*>(given[0]))(running.thread->number); },
      {.threads = 32}};
  try {
    simt::execute(call, facts, {});
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

/// What each lane of the mask gets, by lane, of the values that they bring.
std::vector<std::uint64_t> results(WarpOp op, unsigned mask, const std::map<unsigned, std::uint64_t>& values,
                                   std::uint64_t argument = 0) {
  std::map<unsigned, std::uint64_t> of_lane;
  EXPECT_EQ(run_warp([&](unsigned lane) {
              if (mask >> lane & 1)
                of_lane[lane] = running.runner->collective(op, mask, values.at(lane), argument, nullptr);
            }),
            "");
  std::vector<std::uint64_t> all;
  for (const auto& [lane, result] : of_lane) all.push_back(result);
  return all;
}

/// The lane that each of the mask reads from; "-" where it gets what is no value of any.
std::string sources(WarpOp op, int argument, int width, unsigned mask = ~0u) {
  constexpr std::uint64_t undefined = 0xa5a5a5a5a5a5a5a5;
  const auto value = [](unsigned lane) { return std::uint64_t(lane + 1) << 40 | (77 - lane); };
  std::map<unsigned, std::uint64_t> values;
  for (unsigned lane = 0; lane < 32; ++lane) values[lane] = value(lane);
  std::string text;
  for (const std::uint64_t got :
       results(op, mask, values, std::uint64_t(width) << 32 | std::uint32_t(argument))) {
    const auto lane = unsigned(got >> 40) - 1;
    if (got == undefined) text += "- ";
    else text += lane < 32 && got == value(lane) ? fmt::format("{} ", lane) : fmt::format("{:#x} ", got);
  }
  return text.substr(0, text.size() - 1);
}

// PTX's shfl.sync, in segments of the width.
TEST(RunnerExchanges, AShuffleReadsFromItsLane) {
  const WarpOp any = WarpOp::shuffle, up = WarpOp::shuffle_up, down = WarpOp::shuffle_down,
               exclusive_or = WarpOp::shuffle_xor;
  EXPECT_EQ(sources(any, 13, 8),
            "5 5 5 5 5 5 5 5 13 13 13 13 13 13 13 13 21 21 21 21 21 21 21 21 29 29 29 29 29 29 29 29");
  EXPECT_EQ(sources(any, 31, 32),
            "31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 31 "
            "31 31 31 31 31 31 31 31");
  EXPECT_EQ(sources(up, 3, 16),
            "0 1 2 0 1 2 3 4 5 6 7 8 9 10 11 12 16 17 18 16 17 18 19 20 21 22 23 24 25 26 27 28");
  EXPECT_EQ(sources(down, 3, 16),
            "3 4 5 6 7 8 9 10 11 12 13 14 15 13 14 15 19 20 21 22 23 24 25 26 27 28 29 30 31 29 30 31");
  EXPECT_EQ(sources(down, 1, 1, 0xff), "0 1 2 3 4 5 6 7");
  EXPECT_EQ(sources(exclusive_or, 5, 32),
            "5 4 7 6 1 0 3 2 13 12 15 14 9 8 11 10 21 20 23 22 17 16 19 18 29 28 31 30 25 24 27 26");
  EXPECT_EQ(sources(exclusive_or, 8, 8),
            "0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 16 17 18 19 20 21 22 23");
}

// CUDA leaves undefined what comes of a lane that is not in the mask, or of none.
TEST(RunnerExchanges, AShuffleFromOutsideTheMaskGivesNoLanesValue) {
  EXPECT_EQ(sources(WarpOp::shuffle, 4, 32, 0xf0f), "- - - - - - - -");
  EXPECT_EQ(sources(WarpOp::shuffle, 8, 32, 0xf0f), "8 8 8 8 8 8 8 8");
  EXPECT_EQ(sources(WarpOp::shuffle_down, 16, 32, 0xffff), "- - - - - - - - - - - - - - - -");
  EXPECT_EQ(sources(WarpOp::shuffle_down, 2, 32, 0x3f), "2 3 4 5 - -");
  EXPECT_EQ(sources(WarpOp::shuffle_xor, 2, 4, 0x33), "- - - -");
  EXPECT_EQ(sources(WarpOp::shuffle_up, -3, 32),
            "3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 - - -");
  EXPECT_EQ(sources(WarpOp::shuffle_down, -5, 32),
            "- - - - - 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26");
  EXPECT_EQ(sources(WarpOp::shuffle_xor, -1, 32),
            "- - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -");
}

// Of lanes 1, 3, 4 and 6. Values that are alike in their lower halves are not alike.
TEST(RunnerExchanges, LanesOfAMaskVoteAndMatch) {
  constexpr unsigned mask = 0b1011010;
  constexpr std::uint64_t wide = std::uint64_t(1) << 32;
  const std::map<unsigned, std::uint64_t> some{{1, 7}, {3, 0}, {4, 7}, {6, wide + 7}},
      alike{{1, 9}, {3, 9}, {4, 9}, {6, 9}}, zeros{{1, 0}, {3, 0}, {4, 0}, {6, 0}};
  const auto each = [](std::uint64_t result) { return std::vector<std::uint64_t>(4, result); };
  struct {
    WarpOp op;
    std::uint64_t of_some, of_alike, of_zeros;
  } const votes[] = {{WarpOp::ballot, 0b1010010, mask, 0},
                     {WarpOp::all, 0, 1, 0},
                     {WarpOp::any, 1, 1, 0},
                     {WarpOp::match_all, 0, mask, mask},
                     {WarpOp::sync, 0, 0, 0}};
  for (const auto& vote : votes) {
    EXPECT_EQ(results(vote.op, mask, some), each(vote.of_some)) << int(vote.op);
    EXPECT_EQ(results(vote.op, mask, alike), each(vote.of_alike)) << int(vote.op);
    EXPECT_EQ(results(vote.op, mask, zeros), each(vote.of_zeros)) << int(vote.op);
  }
  EXPECT_EQ(results(WarpOp::match_any, mask, some),
            (std::vector<std::uint64_t>{0b0010010, 0b0001000, 0b0010010, 0b1000000}));
  EXPECT_EQ(results(WarpOp::match_any, mask, alike), each(mask));
}

// 0xfffffff6 is -10, the smallest of signed numbers and the largest of others.
TEST(RunnerExchanges, LanesOfAMaskReduceWords) {
  constexpr unsigned mask = 0b1011010;
  const std::map<unsigned, std::uint64_t> values{{1, 0x16}, {3, 0xfffffff6}, {4, 0x36}, {6, 0x1e}};
  const std::pair<WarpOp, std::uint64_t> reductions[] = {{WarpOp::reduce_add, 0x60},
                                                         {WarpOp::reduce_and, 0x16},
                                                         {WarpOp::reduce_or, 0xfffffffe},
                                                         {WarpOp::reduce_xor, 0xffffffc8},
                                                         {WarpOp::reduce_min, 0x16},
                                                         {WarpOp::reduce_max, 0xfffffff6},
                                                         {WarpOp::reduce_min_signed, 0xfffffff6},
                                                         {WarpOp::reduce_max_signed, 0x36}};
  for (const auto& [op, result] : reductions)
    EXPECT_EQ(results(op, mask, values), std::vector<std::uint64_t>(4, result)) << int(op);
}

// A compiler for a GPU refuses it; here it is refused where it is done.
TEST(RunnerExchanges, AFloatingPointNumberHasNoBitwiseAtomics) {
  float number = 1.5f;
  const std::string error = run_warp([&](unsigned lane) {
    if (lane == 2) simt::atomic(simt::AtomicOp::bit_or, &number, 1.0f);
  });
  EXPECT_THAT(error, testing::StartsWith("kernel indices, block 0, thread 2 ("));
  EXPECT_THAT(error, testing::EndsWith("): a bitwise atomic on a floating-point number"));
  EXPECT_EQ(number, 1.5f);
}

}  // namespace
}  // namespace redbench
