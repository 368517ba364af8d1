// What the counters make of accesses and basic blocks that a test tells them: no kernel, so each number
// follows by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>

#include "src/simt/counting.hpp"
#include "tests/simt_support.hpp"

namespace redbench::simt {
namespace {

using enum Counter;

/// A line for each basic block, by its place: those that were seen to follow, how often warps entered it,
/// left it and parted behind it, and how often they did something in it.
std::string text_of(const Counted& counted, const char* places) {
  std::map<std::ptrdiff_t, std::string> lines;
  for (const auto& [where, block] : counted.basic_blocks) {
    std::string& line = lines[static_cast<const char*>(where) - places];
    for (const void* const next : block.successors)
      if (next) line += fmt::format(" {}", static_cast<const char*>(next) - places);
    line += fmt::format("{}: {} {} {} {}", block.more_successors ? " and more" : "", block.entered,
                        block.exits, block.divergent, block.work);
  }
  std::string text;
  for (const auto& [place, line] : lines) text += fmt::format("{} >{}\n", place, line);
  return text;
}

/// 64 bytes of global memory, which end where 32 of dynamic shared memory begin; from byte 128 on the static
/// variables of the kernel shared_in_function, 16 bytes for one of 10 and then one of 8.
class Counting : public testing::Test {
 protected:
  struct Threads {
    std::array<Thread, max_block_threads> of{};
    Threads() {
      for (unsigned i = 0; i < max_block_threads; ++i) of[i].number = i;
    }
  };

  Counting() {
    const auto [kernel, invoke] = test_kernels().at("shared_in_function");
    call_ = {reinterpret_cast<const void*>(kernel), nullptr, invoke, {.threads = 1024}};
    launch_.emplace(call_, device_->facts(), Schedule{}, no_watch_);
    begin_ = launch_->source.shared.front().offset;
    watch_.emplace(*launch_, std::span<const std::byte>(memory_.data(), 64), nullptr, sum_);
  }
  void start(int threads) {
    watch_->start_block({0, threads, memory_.data() + 64, 32, memory_.data() + 128 - begin_});
  }
  void access(unsigned thread, AccessKind kind, std::size_t at, std::uint32_t bytes, int place) {
    watch_->access(threads_.of[thread], {kind, bytes, memory_.data() + at, &places_[place]});
  }
  void block(unsigned thread, int place) { watch_->basic_block(threads_.of[thread], &places_[place]); }
  const Counted& finish() {
    watch_->end_block();
    watch_.reset();
    return sum_.counted;
  }
  /// The counters of one place; all others are 0.
  void expect(const Counted& counted, int place, const std::map<Counter, std::uint64_t>& values) {
    const auto found = counted.at.find(&places_[place]);
    const Counters counters = found == counted.at.end() ? Counters{} : found->second;
    for (std::size_t i = 0; i < counter_count; ++i) {
      const auto value = values.find(Counter(i));
      EXPECT_EQ(counters.values[i], value == values.end() ? 0 : value->second)
          << "place " << place << ": " << counter_names[i];
    }
  }

  static inline const char places_[200] = {};
  static inline const Threads threads_;
  alignas(128) std::array<std::byte, 512> memory_{};
  std::unique_ptr<Device> device_ = modelled();
  const MakeWatch no_watch_;
  KernelCall call_;
  std::optional<Launch> launch_;
  std::size_t begin_ = 0;
  LaunchSum sum_;
  std::optional<CountingWatch> watch_;
};

// A byte more or less is of another memory. Only lane 3 does anything.
TEST_F(Counting, EachByteIsOfItsMemory) {
  const std::vector<SharedVariable>& shared = launch_->source.shared;
  ASSERT_EQ(shared.size(), 2u);
  const std::size_t end = 128 + shared[1].offset + shared[1].bytes - begin_;
  start(32);
  const std::vector<std::size_t> global{0, 63}, of_block{64, 95, 128, 128 + shared[0].bytes - 1, end - 1},
      none{96, 127, end};
  for (const auto& all : {global, of_block, none})
    for (const std::size_t at : all) access(3, AccessKind::write, at, 1, int(at));
  const Counted& counted = finish();
  for (const std::size_t at : global)
    expect(counted, int(at),
           {{global_store_requests, 1},
            {global_store_lanes, 1},
            {global_store_sectors, 1},
            {global_store_sectors_ideal, 1},
            {global_store_cache_lines, 1}});
  for (const std::size_t at : of_block)
    expect(counted, int(at),
           {{shared_store_requests, 1}, {shared_store_lanes, 1}, {shared_store_wavefronts, 1}});
  for (const std::size_t at : none) expect(counted, int(at), {});
  EXPECT_EQ(counted.at.size(), global.size() + of_block.size());
}

// 5 lanes copy 12 bytes each, byte 0 to 59: in words, of which those at 0, 4 and 8 behind a lane's start are
// one request each. The first touches bytes 0 to 51, the others 4 to 55 and 8 to 59.
TEST_F(Counting, ACopyIsMadeOfPieces) {
  start(32);
  for (unsigned lane = 0; lane < 5; ++lane) access(lane, AccessKind::read, 12 * lane, 12, 1);
  access(0, AccessKind::read, 32, 32, 2);
  access(0, AccessKind::read, 0, 6, 3);
  access(0, AccessKind::read, 1, 3, 4);
  access(0, AccessKind::atomic, 8, 8, 5);
  access(7, AccessKind::read, 0, 48, 6);
  const Counted& counted = finish();
  expect(counted, 1,
         {{global_load_requests, 3},
          {global_load_lanes, 15},
          {global_load_sectors, 6},
          {global_load_sectors_ideal, 3},
          {global_load_cache_lines, 3}});
  const auto one_lane = [](std::uint64_t requests) {
    return std::map<Counter, std::uint64_t>{{global_load_requests, requests},
                                            {global_load_lanes, requests},
                                            {global_load_sectors, requests},
                                            {global_load_sectors_ideal, requests},
                                            {global_load_cache_lines, requests}};
  };
  expect(counted, 2, one_lane(2));
  expect(counted, 3, one_lane(3));
  expect(counted, 4, one_lane(3));
  expect(counted, 6, one_lane(3));
  expect(counted, 5,
         {{global_atomic_requests, 1},
          {global_atomic_lanes, 1},
          {global_atomic_sectors, 1},
          {global_atomic_sectors_ideal, 1},
          {global_atomic_cache_lines, 1},
          {global_atomic_degree, 1}});
}

// 5 lanes: three on one word, one on another of its bank, and one beside it.
TEST_F(Counting, LanesOfOneBankWaitForEachOther) {
  watch_->start_block({0, 32, memory_.data() + 64, 256, memory_.data() + 400 - begin_});
  const std::size_t words[] = {64, 64, 64, 192, 68};
  for (unsigned lane = 0; lane < 5; ++lane)
    for (const AccessKind kind : {AccessKind::read, AccessKind::write, AccessKind::atomic})
      access(lane, kind, words[lane], 4, int(kind));
  const Counted& counted = finish();
  expect(counted, 0,
         {{shared_load_requests, 1},
          {shared_load_lanes, 5},
          {shared_load_wavefronts, 2},
          {shared_load_conflicts, 1}});
  expect(counted, 1,
         {{shared_store_requests, 1},
          {shared_store_lanes, 5},
          {shared_store_wavefronts, 2},
          {shared_store_conflicts, 1}});
  expect(counted, 2,
         {{shared_atomic_requests, 1},
          {shared_atomic_lanes, 5},
          {shared_atomic_wavefronts, 2},
          {shared_atomic_conflicts, 1},
          {shared_atomic_degree, 3}});
}

TEST_F(Counting, OneWarpOfOneBlockIsTraced) {
  const WarpPlace traced{.launch = 0, .block = 5, .warp = 1};
  watch_.emplace(*launch_, std::span<const std::byte>(memory_.data(), 384), &traced, sum_);
  for (const Index number : {4, 5, 6}) {
    watch_->start_block({number, 64, memory_.data() + 384, 32, memory_.data() + 480 - begin_});
    access(0, AccessKind::read, 0, 4, 1);
    for (const unsigned lane : {32u, 33u, 34u}) access(lane, AccessKind::read, 100 * (lane - 32), 4, 1);
    watch_->block_met();
    access(40, AccessKind::atomic, 384, 4, 2);  // in shared memory
    watch_->block_met();
    access(41, AccessKind::atomic, 0, 4, 3);
    watch_->block_met();
    for (const unsigned lane : {50u, 51u}) access(lane, AccessKind::write, 4 * (lane - 50), 4, 4);
    watch_->end_block();
  }
  const Counted& counted = finish();
  struct {
    const char* kind;
    unsigned lanes, cache_lines;
    int place;
  } const expected[] = {{"load", 3, 2, 1}, {"atomic", 1, 1, 3}, {"store", 2, 1, 4}};
  ASSERT_EQ(counted.trace.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(counted.trace[i].kind, expected[i].kind) << i;
    EXPECT_EQ(counted.trace[i].lanes, expected[i].lanes) << i;
    EXPECT_EQ(counted.trace[i].cache_lines, expected[i].cache_lines) << i;
    EXPECT_EQ(counted.trace[i].where, &places_[expected[i].place]) << i;
  }
}

// Lanes 0 and 1 meet by themselves before 2 and 3 have come as far: all four make one request.
TEST_F(Counting, AMeetingOfSomeLanesDoesNotPartTheirWarp) {
  start(4);
  for (const unsigned first : {0u, 2u}) {
    for (const unsigned lane : {first, first + 1}) {
      access(lane, AccessKind::write, 4 * lane, 4, 1);
      watch_->meets(threads_.of[lane], Meeting::warp_barrier, &places_[2]);
    }
    watch_->warp_met(0, 0b11u << first, 0b1111, WarpOp::sync);
  }
  const Counted& counted = finish();
  expect(counted, 1,
         {{global_store_requests, 1},
          {global_store_lanes, 4},
          {global_store_sectors, 1},
          {global_store_sectors_ideal, 1},
          {global_store_cache_lines, 1}});
  expect(counted, 2, {{warp_barriers, 1}});
}

TEST_F(Counting, EachMeetingIsOfItsKind) {
  start(64);
  for (const unsigned lane : {0u, 1u, 40u}) {
    watch_->meets(threads_.of[lane], Meeting::block_barrier, &places_[1]);
    watch_->meets(threads_.of[lane], Meeting::named_barrier, &places_[2]);
    watch_->meets(threads_.of[lane], Meeting::warp_barrier, &places_[3]);
    watch_->meets(threads_.of[lane], Meeting::warp_exchange, &places_[4]);
  }
  const Counted& counted = finish();
  expect(counted, 1, {{block_barriers, 2}});
  expect(counted, 2, {{named_barriers, 2}});
  expect(counted, 3, {{warp_barriers, 2}});
  expect(counted, 4, {{warp_exchanges, 2}});
}

// Lanes 1 and 2 go twice through basic block 20, where they store, before they meet lane 0 at 30, where all
// store: they part from it at 10, and not again from each other.
TEST_F(Counting, LanesPartOnceWhereTheyPart) {
  start(32);
  block(0, 10);
  block(0, 30);
  for (const unsigned lane : {1u, 2u}) {
    block(lane, 10);
    block(lane, 20);
    block(lane, 20);
    access(lane, AccessKind::write, 4 * lane, 4, 21);
    block(lane, 30);
  }
  for (const unsigned lane : {0u, 1u, 2u}) access(lane, AccessKind::write, 32 + 4 * lane, 4, 31);
  const Counted& counted = finish();
  EXPECT_EQ(text_of(counted, places_), "10 > 20 30: 1 1 1 0\n20 > 20 30: 2 2 0 1\n30 >: 1 0 0 1\n");
  expect(counted, 10, {{warp_basic_blocks, 1}, {warp_basic_block_lanes, 3}});
  expect(counted, 20, {{warp_basic_blocks, 2}, {warp_basic_block_lanes, 4}});
  expect(counted, 30, {{warp_basic_blocks, 1}, {warp_basic_block_lanes, 3}});
}

// What the lanes of one warp were in says nothing of those of the next.
TEST_F(Counting, WarpsHaveBasicBlocksOfTheirOwn) {
  start(96);
  block(0, 10);
  block(32, 20);
  block(33, 20);
  block(33, 30);
  block(70, 40);
  EXPECT_EQ(text_of(finish(), places_), "10 >: 1 0 0 0\n20 > 30: 1 1 1 0\n30 >: 1 0 0 0\n40 >: 1 0 0 0\n");
}

// One OS thread runs three blocks. In two of them all lanes of two warps go from 0 to 1, every other lane
// over 2, and all end in 3. In the last one lane of each warp goes elsewhere: no thread of a block has come
// from where one of the block before it was.
TEST_F(Counting, BlocksBeginAnew) {
  const auto enter = [&](unsigned thread, const std::vector<int>& blocks) {
    for (const int place : blocks) block(thread, place);
  };
  for (int number = 0; number < 2; ++number) {
    start(64);
    for (unsigned thread = 0; thread < 64; ++thread)
      enter(thread, thread % 2 ? std::vector{0, 1, 3} : std::vector{0, 1, 2, 3});
    watch_->end_block();
  }
  start(64);
  enter(0, {4, 6});
  enter(63, {5, 6});
  EXPECT_EQ(text_of(finish(), places_),
            "0 > 1: 4 4 0 0\n"
            "1 > 2 3: 4 4 4 0\n"
            "2 > 3: 4 4 0 0\n"
            "3 >: 4 0 0 0\n"
            "4 > 6: 1 1 0 0\n"
            "5 > 6: 1 1 0 0\n"
            "6 >: 2 0 0 0\n");
}

// 65 times 32 logs of 2^15 entries are more than 2^26, but no two of the times lie between the same meetings.
TEST_F(Counting, LogsThatWereMergedDoNotCountForTheirLimit) {
  start(32);
  for (int round = 0; round < 65; ++round) {
    for (unsigned lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 1 << 15; ++i) watch_->meets(threads_.of[lane], Meeting::warp_exchange, &places_[1]);
    watch_->block_met();
  }
  expect(finish(), 1, {{warp_exchanges, 65 << 15}});
}

LaunchCounters counted(const std::string& kernel, const std::vector<int>& in, int threads = 32,
                       int outputs = 160) {
  const auto device = modelled();
  const std::vector<LaunchCounters> launches =
      device->profiler()->count({}, [&] { run_kernel(*device, kernel, {.threads = threads}, in, outputs); });
  EXPECT_EQ(launches.size(), 1u);
  return launches.at(0);
}

// 32 warps of 1024 threads, whose words fill 4 sectors and one cache line each. What is read from shared
// memory lies backwards, which conflicts with nothing.
TEST(CountingKernels, ABlockOfAllThreads) {
  const LaunchCounters launch = counted("reverse", iota(1024), 1024, 1024);
  EXPECT_EQ(launch.kernel, "reverse");
  const std::map<Counter, std::uint64_t> expected{
      {global_load_requests, 32},       {global_load_lanes, 1024},     {global_load_sectors, 128},
      {global_load_sectors_ideal, 128}, {global_load_cache_lines, 32}, {global_store_requests, 32},
      {global_store_lanes, 1024},       {global_store_sectors, 128},   {global_store_sectors_ideal, 128},
      {global_store_cache_lines, 32},   {shared_store_requests, 32},   {shared_store_lanes, 1024},
      {shared_store_wavefronts, 32},    {shared_load_requests, 32},    {shared_load_lanes, 1024},
      {shared_load_wavefronts, 32},     {block_barriers, 32}};
  for (std::size_t i = 0; i < counter_count; ++i) {
    if (Counter(i) == warp_basic_blocks || Counter(i) == warp_basic_block_lanes) continue;
    const auto value = expected.find(Counter(i));
    EXPECT_EQ(launch.total.values[i], value == expected.end() ? 0 : value->second) << counter_names[i];
  }
}

// Of two static variables both are shared memory: 64 threads store a byte each of the first, thread 0 the
// last word of the second.
TEST(CountingKernels, AllStaticVariablesAreShared) {
  const LaunchCounters launch = counted("shared_in_function", {0}, 64, 64);
  EXPECT_EQ(launch.total[shared_store_requests], 3u);
  EXPECT_EQ(launch.total[shared_store_lanes], 65u);
  EXPECT_EQ(launch.total[shared_load_requests], 4u);
  EXPECT_EQ(launch.total[shared_load_lanes], 128u);
}

/// Basic blocks 0, 1, ...
const char places[8] = {};

/// A basic block from which 7 exits were seen, 5 of them divergent.
Counted::BasicBlock to(const std::vector<int>& successors, double work_per_entry = 0) {
  Counted::BasicBlock block;
  for (const int successor : successors) block.add_successor(places + successor);
  block.exits = 7;
  block.divergent = 5;
  block.entered = 10;
  block.work = std::uint64_t(std::llround(10 * work_per_entry));
  return block;
}

TEST(Branches, AreNoChoicesBetweenValuesAndShortOnesMayBePredicated) {
  struct {
    std::map<int, Counted::BasicBlock> blocks;
    std::uint64_t branches, divergent, predicable;
  } const cases[] = {
      // A choice between values: around a basic block that only computes, whichever way was seen first, and
      // between two.
      {{{0, to({1, 3})}, {1, to({3})}, {3, to({})}}, 0, 0, 0},
      {{{0, to({3, 1})}, {1, to({3})}, {3, to({})}}, 0, 0, 0},
      {{{0, to({1, 2})}, {1, to({3})}, {2, to({3})}, {3, to({})}}, 0, 0, 0},
      // Two ways that lead to different places, or of which one goes on in two ways.
      {{{0, to({1, 2})}, {1, to({3})}, {2, to({4})}, {3, to({})}, {4, to({})}}, 7, 5, 0},
      {{{0, to({1, 3})}, {1, to({3, 4})}, {3, to({})}, {4, to({})}}, 14, 10, 0},
      // Three ways are no choice, though all come to the same place.
      {{{0, to({1, 2, 3})}, {1, to({4})}, {2, to({4})}, {3, to({4})}, {4, to({})}}, 7, 5, 0},
      // A way with work for 4 accesses is short, in one part or in two; with more it is not.
      {{{0, to({1, 3})}, {1, to({3}, 4)}, {3, to({})}}, 7, 5, 5},
      {{{0, to({3, 1})}, {1, to({3}, 4)}, {3, to({})}}, 7, 5, 5},
      {{{0, to({1, 3})}, {1, to({2}, 1)}, {2, to({3}, 3)}, {3, to({})}}, 7, 5, 5},
      {{{0, to({1, 3})}, {1, to({3}, 4.1)}, {3, to({})}}, 7, 5, 0},
      {{{0, to({3, 1})}, {1, to({3}, 4.1)}, {3, to({})}}, 7, 5, 0},
      {{{0, to({1, 3})}, {1, to({2}, 1)}, {2, to({3}, 3.1)}, {3, to({})}}, 7, 5, 0},
      // Of three ways none is short, and none of which nothing is known.
      {{{0, to({1, 3, 2})}, {1, to({3}, 1)}, {2, to({3}, 1)}, {3, to({})}}, 7, 5, 0},
      {{{0, to({1, 3})}, {3, to({5}, 1)}}, 7, 5, 0}};
  for (const auto& one : cases) {
    Counted counted;
    for (const auto& [place, block] : one.blocks) counted.basic_blocks[places + place] = block;
    const Counters total = counted.by_line({}).total;
    const std::string shown = text_of(counted, places);
    EXPECT_EQ(total[branches], one.branches) << shown;
    EXPECT_EQ(total[divergent_branches], one.divergent) << shown;
    EXPECT_EQ(total[predicable_divergent_branches], one.predicable) << shown;
  }
}

TEST(Branches, WhatTwoOsThreadsCountedIsAddedUp) {
  const char* const p = places;
  Counted one, other;
  one.basic_blocks[p] = to({1});
  one.at[p][Counter::global_load_requests] = 3;
  one.trace.push_back({"load", 4, 2, p});
  other.basic_blocks[p] = to({1, 2}, 2);
  other.basic_blocks[p + 1] = to({1, 2, 3}, 1);
  other.at[p][Counter::global_load_requests] = 8;
  other.at[p + 5][Counter::global_store_requests] = 1;
  other.trace.push_back({"store", 5, 1, p + 5});
  one.add(other);
  EXPECT_EQ(text_of(one, p), "0 > 1 2: 20 14 10 20\n1 > 1 2 and more: 10 7 5 10\n");
  EXPECT_EQ(one.at[p][Counter::global_load_requests], 11u);
  EXPECT_EQ(one.at[p + 5][Counter::global_store_requests], 1u);
  ASSERT_EQ(one.trace.size(), 2u);
  EXPECT_EQ(one.trace[0].kind, "load");
  EXPECT_EQ(one.trace[1].kind, "store");
  // A third way that only the two together have.
  Counted third;
  third.basic_blocks[p] = to({4});
  one.add(third);
  EXPECT_TRUE(text_of(one, p).starts_with("0 > 1 2 and more: 30 21 15 20\n"));
}

/// Branches, those of them at which a warp parts, and those of these that a compiler may predicate.
void expect_branches(const Counters& counters, unsigned branches, unsigned divergent, unsigned predicable) {
  EXPECT_EQ(counters[Counter::branches], branches);
  EXPECT_EQ(counters[Counter::divergent_branches], divergent);
  EXPECT_EQ(counters[Counter::predicable_divergent_branches], predicable);
}

// Lane 8 of the second warp stores by itself: both warps branch, and what is skipped is no choice between
// values, though the first warp made no access there.
TEST(CountingKernels, WhatALaterWarpDoesIsOfItsOwnBranch) {
  expect_branches(counted("one_lane_guard", {40}, 64).total, 2, 1, 1);
}

TEST(CountingKernels, FourAccessesMayBePredicatedAndFiveMayNot) {
  expect_branches(counted("guard_of_four_stores", {7}).total, 1, 1, 1);
  expect_branches(counted("guard_of_five_stores", {7}).total, 1, 1, 0);
}

// 7 choices and the store behind them are 8 basic blocks, the most that are looked at; the choices themselves
// are no branches.
TEST(CountingKernels, AShortWayHasEightBasicBlocks) {
  std::vector<int> bits(32, 0);
  for (int t = 0; t < 32; t += 2) bits[t] = 0xff;
  expect_branches(counted("guard_of_seven_choices", bits).total, 1, 1, 1);
  expect_branches(counted("guard_of_eight_choices", bits).total, 1, 1, 0);
}

// Where no lane is in[0] each basic block is of all lanes; otherwise there is one more, of one lane.
TEST(CountingKernels, BasicBlocksHaveTheLanesThatAreInThem) {
  const Counters all = counted("one_lane_guard", {99}).total, one = counted("one_lane_guard", {7}).total;
  EXPECT_GT(all[Counter::warp_basic_blocks], 0u);
  EXPECT_EQ(all[Counter::warp_basic_block_lanes], 32 * all[Counter::warp_basic_blocks]);
  EXPECT_EQ(one[Counter::warp_basic_blocks], all[Counter::warp_basic_blocks] + 1);
  EXPECT_EQ(one[Counter::warp_basic_block_lanes], all[Counter::warp_basic_block_lanes] + 1);
}

}  // namespace
}  // namespace redbench::simt
