// What the counters make of accesses and basic blocks that a test tells them: no kernel, so each number
// follows by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <optional>

#include "src/simt/counting.hpp"
#include "tests/simt_support.hpp"

namespace redbench::simt {
namespace {

using enum Counter;

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
  expect(counted, 5,
         {{global_atomic_requests, 1},
          {global_atomic_lanes, 1},
          {global_atomic_sectors, 1},
          {global_atomic_sectors_ideal, 1},
          {global_atomic_cache_lines, 1},
          {global_atomic_degree, 1}});
}

// The last piece of a copy is still global memory, whatever lies before its start.
TEST_F(Counting, ACopyFromTheStartOfMemoryIsCountedWhole) {
  start(32);
  access(7, AccessKind::write, 0, 48, 1);
  const Counted& counted = finish();
  expect(counted, 1,
         {{global_store_requests, 3},
          {global_store_lanes, 3},
          {global_store_sectors, 3},
          {global_store_sectors_ideal, 3},
          {global_store_cache_lines, 3}});
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

void expect_block(const Counted::BasicBlock& block, std::vector<const void*> successors, bool more,
                  std::uint64_t entered, std::uint64_t exits, std::uint64_t divergent, std::uint64_t work) {
  successors.resize(2);
  EXPECT_EQ(block.successors[0], successors[0]);
  EXPECT_EQ(block.successors[1], successors[1]);
  EXPECT_EQ(block.more_successors, more);
  EXPECT_EQ(block.entered, entered);
  EXPECT_EQ(block.exits, exits);
  EXPECT_EQ(block.divergent, divergent);
  EXPECT_EQ(block.work, work);
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
  const void *const a = &places_[10], *const b = &places_[20], *const c = &places_[30];
  ASSERT_EQ(counted.basic_blocks.size(), 3u);
  expect_block(counted.basic_blocks.at(a), {b, c}, false, 1, 1, 1, 0);
  expect_block(counted.basic_blocks.at(b), {b, c}, false, 2, 2, 0, 1);
  expect_block(counted.basic_blocks.at(c), {}, false, 1, 0, 0, 1);
  expect(counted, 10, {{warp_basic_blocks, 1}, {warp_basic_block_lanes, 3}});
  expect(counted, 20, {{warp_basic_blocks, 2}, {warp_basic_block_lanes, 4}});
  expect(counted, 30, {{warp_basic_blocks, 1}, {warp_basic_block_lanes, 3}});
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

// 32 warps of 1024 threads, whose words fill 4 sectors and one cache line each. What is read from shared
// memory lies backwards, which conflicts with nothing.
TEST(CountingKernels, ABlockOfAllThreads) {
  const auto device = modelled();
  const std::vector<LaunchCounters> launches = device->profiler()->count(
      {}, [&] { run_kernel(*device, "reverse", {.threads = 1024}, iota(1024), 1024); });
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, "reverse");
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
    EXPECT_EQ(launches[0].total.values[i], value == expected.end() ? 0 : value->second) << counter_names[i];
  }
}

// Each of the two warps is counted at each of the barriers of its 4 rounds: 4 that are full, and before the
// third and the fourth round one that is empty.
TEST(CountingKernels, NamedBarriersByWarp) {
  const auto device = modelled();
  const std::vector<LaunchCounters> launches = device->profiler()->count(
      {}, [&] { run_kernel(*device, "producer_consumer", {.threads = 64}, iota(128), 32); });
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].total[named_barriers], 2u * (4 + 2));
  EXPECT_EQ(launches[0].total[block_barriers], 0u);
}

// Of two static variables both are shared memory: 64 threads store a byte each of the first, thread 0 the
// last word of the second.
TEST(CountingKernels, AllStaticVariablesAreShared) {
  const auto device = modelled();
  const std::vector<LaunchCounters> launches = device->profiler()->count(
      {}, [&] { run_kernel(*device, "shared_in_function", {.threads = 64}, {0}, 64); });
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].total[shared_store_requests], 3u);
  EXPECT_EQ(launches[0].total[shared_store_lanes], 65u);
  EXPECT_EQ(launches[0].total[shared_load_requests], 4u);
  EXPECT_EQ(launches[0].total[shared_load_lanes], 128u);
}

/// A basic block from which 7 exits were seen, 5 of them divergent.
Counted::BasicBlock from(std::vector<const void*> successors, double work_per_entry = 0) {
  Counted::BasicBlock block;
  for (const void* successor : successors) block.add_successor(successor);
  block.exits = 7;
  block.divergent = 5;
  block.entered = 10;
  block.work = std::uint64_t(std::llround(10 * work_per_entry));
  return block;
}

/// Branches, divergent ones and those of them that may be predicated, of basic blocks 0, 1, ...
std::array<std::uint64_t, 3> branches_of(const std::map<int, Counted::BasicBlock>& blocks,
                                         const char* places) {
  Counted counted;
  for (const auto& [place, block] : blocks) counted.basic_blocks[places + place] = block;
  const LaunchCounters all = counted.by_line({.name = "kernel", .file = "", .shared = {}, .shared_bytes = 0});
  EXPECT_EQ(all.kernel, "kernel");
  return {all.total[branches], all.total[divergent_branches], all.total[predicable_divergent_branches]};
}

TEST(Branches, AChoiceBetweenValuesIsNone) {
  const char p[8] = {};
  using Three = std::array<std::uint64_t, 3>;
  const auto of = [&](const std::map<int, Counted::BasicBlock>& blocks) { return branches_of(blocks, p); };
  // Around a basic block that only computes, whichever way was seen first, and between two of them.
  EXPECT_EQ(of({{0, from({p + 1, p + 3})}, {1, from({p + 3})}, {3, from({})}}), (Three{0, 0, 0}));
  EXPECT_EQ(of({{0, from({p + 3, p + 1})}, {1, from({p + 3})}, {3, from({})}}), (Three{0, 0, 0}));
  EXPECT_EQ(of({{0, from({p + 1, p + 2})}, {1, from({p + 3})}, {2, from({p + 3})}, {3, from({})}}),
            (Three{0, 0, 0}));
  // Two ways that lead to different places, or of which one goes on in two ways.
  EXPECT_EQ(
      of({{0, from({p + 1, p + 2})}, {1, from({p + 3})}, {2, from({p + 4})}, {3, from({})}, {4, from({})}}),
      (Three{7, 5, 0}));
  EXPECT_EQ(of({{0, from({p + 1, p + 3})}, {1, from({p + 3, p + 4})}, {3, from({})}, {4, from({})}}),
            (Three{14, 10, 0}));
  // Three ways are none, though all come to the same place.
  EXPECT_EQ(of({{0, from({p + 1, p + 2, p + 3})},
                {1, from({p + 4})},
                {2, from({p + 4})},
                {3, from({p + 4})},
                {4, from({})}}),
            (Three{7, 5, 0}));
}

TEST(Branches, AShortWayMayBePredicated) {
  const char p[8] = {};
  using Three = std::array<std::uint64_t, 3>;
  const auto of = [&](const std::map<int, Counted::BasicBlock>& blocks) { return branches_of(blocks, p); };
  for (const auto& [work, predicable] : {std::pair(4.0, 5u), {4.1, 0u}}) {
    EXPECT_EQ(of({{0, from({p + 1, p + 3})}, {1, from({p + 3}, work)}, {3, from({})}}),
              (Three{7, 5, predicable}));
    EXPECT_EQ(of({{0, from({p + 3, p + 1})}, {1, from({p + 3}, work)}, {3, from({})}}),
              (Three{7, 5, predicable}));
    // In two parts, one behind the other.
    EXPECT_EQ(
        of({{0, from({p + 1, p + 3})}, {1, from({p + 2}, 1)}, {2, from({p + 3}, work - 1)}, {3, from({})}}),
        (Three{7, 5, predicable}));
  }
  // Of three ways none, and none of which nothing is known.
  EXPECT_EQ(
      of({{0, from({p + 1, p + 3, p + 2})}, {1, from({p + 3}, 1)}, {2, from({p + 3}, 1)}, {3, from({})}}),
      (Three{7, 5, 0}));
  EXPECT_EQ(of({{0, from({p + 1, p + 3})}, {3, from({p + 5}, 1)}}), (Three{7, 5, 0}));
}

TEST(Branches, WhatTwoOsThreadsCountedIsAddedUp) {
  const char p[8] = {};
  Counted one, other;
  one.basic_blocks[p] = from({p + 1});
  one.at[p][global_load_requests] = 3;
  one.trace.push_back({"load", 4, 2, p});
  other.basic_blocks[p] = from({p + 1, p + 2}, 2);
  other.basic_blocks[p + 1] = from({p + 1, p + 2, p + 3}, 1);
  other.at[p][global_load_requests] = 8;
  other.at[p + 5][global_store_requests] = 1;
  other.trace.push_back({"store", 5, 1, p + 5});
  one.add(other);
  ASSERT_EQ(one.basic_blocks.size(), 2u);
  expect_block(one.basic_blocks[p], {p + 1, p + 2}, false, 20, 14, 10, 20);
  expect_block(one.basic_blocks[p + 1], {p + 1, p + 2}, true, 10, 7, 5, 10);
  EXPECT_EQ(one.at[p][global_load_requests], 11u);
  EXPECT_EQ(one.at[p + 5][global_store_requests], 1u);
  ASSERT_EQ(one.trace.size(), 2u);
  EXPECT_EQ(one.trace[0].kind, "load");
  EXPECT_EQ(one.trace[1].kind, "store");
  // A third way that only the two together have.
  Counted third;
  third.basic_blocks[p] = from({p + 4});
  one.add(third);
  EXPECT_TRUE(one.basic_blocks[p].more_successors);
}

}  // namespace
}  // namespace redbench::simt
