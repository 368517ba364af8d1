// What the counters make of accesses and basic blocks that a test tells them: no kernel, so each number
// follows by hand.
#include <gmock/gmock.h>

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

// What the lanes of one warp were in says nothing of those of the next.
TEST_F(Counting, WarpsHaveBasicBlocksOfTheirOwn) {
  start(96);
  block(0, 10);
  block(32, 20);
  block(33, 20);
  block(33, 30);
  block(70, 40);
  const Counted& counted = finish();
  ASSERT_EQ(counted.basic_blocks.size(), 4u);
  for (const int alone : {10, 30, 40})
    expect_block(counted.basic_blocks.at(&places_[alone]), {}, false, 1, 0, 0, 0);
  expect_block(counted.basic_blocks.at(&places_[20]), {&places_[30]}, false, 1, 1, 1, 0);
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

}  // namespace
}  // namespace redbench::simt
