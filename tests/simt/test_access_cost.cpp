// The cost of one request, for patterns whose wavefronts, sectors and cache lines follow by hand.
#include <gtest/gtest.h>

#include <functional>

#include "src/simt/access_cost.hpp"

namespace redbench::simt {
namespace {

constexpr unsigned all_lanes = ~0u, banks = 32;

Addresses addresses(const std::function<std::uintptr_t(unsigned)>& of_lane) {
  Addresses made{};
  for (unsigned lane = 0; lane < 32; ++lane) made[lane] = of_lane(lane);
  return made;
}

/// Lane i accesses word `stride` i.
SharedCost words(unsigned stride, unsigned active = all_lanes) {
  return shared_cost(addresses([=](unsigned lane) { return 4 * stride * lane; }), active, 4, banks);
}

TEST(SharedCost, AStrideMeetsItselfInEveryBankThatItComesBackTo) {
  EXPECT_EQ(words(1).wavefronts, 1u);
  EXPECT_EQ(words(2).wavefronts, 2u);
  EXPECT_EQ(words(4).wavefronts, 4u);
  EXPECT_EQ(words(32).wavefronts, 32u);
  EXPECT_EQ(words(33).wavefronts, 1u);  // padded by a word
  EXPECT_EQ(words(3).wavefronts, 1u);   // odd strides visit all banks
  EXPECT_EQ(words(32).ideal, 1u);
}

TEST(SharedCost, LanesThatDoNotTakePartDoNotConflict) {
  EXPECT_EQ(words(32, 0b1).wavefronts, 1u);
  EXPECT_EQ(words(32, 0b10101).wavefronts, 3u);
  EXPECT_EQ(words(2, 0x0000ffff).wavefronts, 1u);  // 16 lanes, 16 even banks
}

TEST(SharedCost, OneWordIsServedToAll) {
  EXPECT_EQ(words(0).wavefronts, 1u);
  // Two words of one bank, each wanted by 16 lanes.
  EXPECT_EQ(
      shared_cost(addresses([](unsigned lane) { return 128 * (lane % 2); }), all_lanes, 4, banks).wavefronts,
      2u);
}

TEST(SharedCost, BytesOfOneWordAreOneWord) {
  EXPECT_EQ(shared_cost(addresses([](unsigned lane) { return lane; }), all_lanes, 1, banks).wavefronts, 1u);
}

// Neighbours of 8 bytes: each half warp fills all banks once. A stride of 16 bytes meets itself after 8
// lanes.
TEST(SharedCost, EightBytesGoByHalfWarps) {
  const SharedCost packed =
      shared_cost(addresses([](unsigned lane) { return 8 * lane; }), all_lanes, 8, banks);
  EXPECT_EQ(packed.wavefronts, 2u);
  EXPECT_EQ(packed.ideal, 2u);
  const SharedCost strided =
      shared_cost(addresses([](unsigned lane) { return 16 * lane; }), all_lanes, 8, banks);
  EXPECT_EQ(strided.wavefronts, 4u);
  EXPECT_EQ(strided.ideal, 2u);
  EXPECT_EQ(shared_cost(addresses([](unsigned lane) { return 8 * lane; }), 0xffff, 8, banks).ideal, 1u);
}

TEST(SharedCost, SixteenBytesGoByQuarterWarps) {
  const SharedCost packed =
      shared_cost(addresses([](unsigned lane) { return 16 * lane; }), all_lanes, 16, banks);
  EXPECT_EQ(packed.wavefronts, 4u);
  EXPECT_EQ(packed.ideal, 4u);
}

// Whichever lane it is; 16 bytes fill four banks.
TEST(SharedCost, OfOneLaneIsOneWavefront) {
  for (const unsigned bytes : {1u, 2u, 4u, 8u, 16u}) {
    const Addresses packed = addresses([=](unsigned lane) { return bytes * lane; });
    for (unsigned lane = 0; lane < 32; ++lane) {
      const SharedCost cost = shared_cost(packed, 1u << lane, bytes, banks);
      EXPECT_EQ(cost.wavefronts, 1u) << bytes << ' ' << lane;
      EXPECT_EQ(cost.ideal, 1u) << bytes << ' ' << lane;
    }
    EXPECT_EQ(shared_cost(packed, 0, bytes, banks).wavefronts, 0u) << bytes;
    EXPECT_EQ(shared_cost(packed, 0, bytes, banks).ideal, 0u) << bytes;
  }
  // Lanes 15 and 16 are of two half warps, lanes 7 and 8 of two quarters.
  const Addresses one = addresses([](unsigned) { return 64; });
  EXPECT_EQ(shared_cost(one, 0x00018000, 8, banks).wavefronts, 2u);
  EXPECT_EQ(shared_cost(one, 0x00018000, 4, banks).wavefronts, 1u);
  EXPECT_EQ(shared_cost(one, 0x00000180, 8, banks).wavefronts, 1u);
  EXPECT_EQ(shared_cost(one, 0x00000180, 16, banks).wavefronts, 2u);
  EXPECT_EQ(shared_cost(one, 0x81818181, 16, banks).wavefronts, 4u);
}

GlobalCost global(unsigned start, unsigned stride, unsigned bytes, unsigned active = all_lanes) {
  return global_cost(addresses([=](unsigned lane) { return 4096 + start + stride * lane; }), active, bytes);
}

void expect(const GlobalCost& cost, unsigned sectors, unsigned ideal, unsigned cache_lines) {
  EXPECT_EQ(cost.sectors, sectors);
  EXPECT_EQ(cost.sectors_ideal, ideal);
  EXPECT_EQ(cost.cache_lines, cache_lines);
}

TEST(GlobalCost, NeighboursFillTheirSectors) {
  expect(global(0, 4, 4), 4, 4, 1);
  expect(global(0, 8, 8), 8, 8, 2);
  expect(global(0, 16, 16), 16, 16, 4);
  expect(global(0, 1, 1), 1, 1, 1);
}

TEST(GlobalCost, AShiftByOneElementTouchesOneSectorMore) { expect(global(4, 4, 4), 5, 4, 2); }

TEST(GlobalCost, AStrideWastesWhatItSkips) {
  expect(global(0, 8, 4), 8, 4, 2);
  expect(global(0, 32, 4), 32, 4, 8);
  expect(global(0, 128, 4), 32, 4, 32);
}

// 31 bytes on from a sector's start a word takes up the next sector, and 127 on the next cache line, too.
TEST(GlobalCost, AnAccessAcrossABorderTouchesBothSides) {
  expect(global(28, 0, 4, 0b1), 1, 1, 1);
  expect(global(31, 0, 4, 0b1), 2, 1, 1);
  expect(global(127, 0, 4, 0b1), 2, 1, 2);
  // 32 words that overlap, each a byte behind the one before: bytes 0 to 34 are touched, 128 are asked for.
  expect(global(0, 1, 4), 2, 4, 1);
  expect(global(0, 1, 2), 2, 2, 1);
}

TEST(GlobalCost, AByteNeedsASector) { expect(global(5, 7, 1, 0b1), 1, 1, 1); }

TEST(GlobalCost, OneAddressIsOneSector) { expect(global(0, 0, 4), 1, 1, 1); }

TEST(GlobalCost, OrderDoesNotMatter) {
  const auto backwards = addresses([](unsigned lane) { return 4096 + 4 * (31 - lane); });
  expect(global_cost(backwards, all_lanes, 4), 4, 4, 1);
  const auto mixed = addresses([](unsigned lane) { return 4096 + 128 * (lane % 3); });
  expect(global_cost(mixed, all_lanes, 4), 3, 1, 3);
}

TEST(SameAddress, TheMostPopularAddressCounts) {
  EXPECT_EQ(same_address_degree(addresses([](unsigned) { return 64; }), all_lanes), 32u);
  EXPECT_EQ(same_address_degree(addresses([](unsigned lane) { return lane; }), all_lanes), 1u);
  EXPECT_EQ(same_address_degree(addresses([](unsigned lane) { return lane < 5 ? 0 : lane; }), all_lanes), 5u);
  // What another access left in memory is none of this one's lanes.
  for (const unsigned lanes : {32u, 3u, 32u, 1u, 32u, 31u})
    EXPECT_EQ(same_address_degree(addresses([](unsigned) { return 64; }), all_lanes >> (32 - lanes)), lanes);
  EXPECT_EQ(same_address_degree(addresses([](unsigned) { return 64; }), 0), 0u);
  EXPECT_EQ(same_address_degree(addresses([](unsigned) { return 64; }), 0x80000100), 2u);
  // Lanes that share an address need not be neighbours: 11 have 0, 11 have 1, and 10 have 2.
  EXPECT_EQ(same_address_degree(addresses([](unsigned lane) { return lane % 3; }), all_lanes), 11u);
}

}  // namespace
}  // namespace redbench::simt
