// The cost of one request of a warp, by hand for the patterns that kernels have.
#include <gtest/gtest.h>

#include <functional>

#include "src/simt/access_cost.hpp"

namespace redbench::simt {
namespace {

Addresses addresses(const std::function<std::uintptr_t(unsigned)>& of_lane) {
  Addresses made{};
  for (unsigned lane = 0; lane < 32; ++lane) made[lane] = of_lane(lane);
  return made;
}

TEST(SharedCost, OfAStride) {
  struct {
    unsigned stride, bytes, lanes, wavefronts, ideal;
  } const cases[] = {{4, 4, ~0u, 1, 1},
                     {8, 4, ~0u, 2, 1},
                     {128, 4, ~0u, 32, 1},
                     {132, 4, ~0u, 1, 1},  // padded by a word
                     {12, 4, ~0u, 1, 1},   // odd strides visit all banks
                     {0, 4, ~0u, 1, 1},    // one word is served to all
                     {1, 1, ~0u, 1, 1},    // bytes of one word are one word
                     {128, 4, 0b1, 1, 1},
                     {128, 4, 0b10101, 3, 1},
                     {8, 4, 0xffff, 1, 1},  // 16 lanes, 16 even banks
                     {8, 4, 0, 0, 0},
                     // 8 bytes go by half warps: neighbours fill all banks once, a stride of 16 comes
                     // back after 8 lanes.
                     {8, 8, ~0u, 2, 2},
                     {16, 8, ~0u, 4, 2},
                     {8, 8, 0xffff, 1, 1},
                     {0, 8, 0x00018000, 2, 2},  // lanes 15 and 16
                     // 16 bytes go by quarter warps.
                     {16, 16, ~0u, 4, 4},
                     {0, 16, 0x00000180, 2, 2}};  // lanes 7 and 8
  for (const auto& [stride, bytes, lanes, wavefronts, ideal] : cases) {
    const SharedCost cost =
        shared_cost(addresses([stride](unsigned lane) { return 64 + stride * lane; }), lanes, bytes, 32);
    EXPECT_EQ(cost.wavefronts, wavefronts) << stride << ' ' << bytes << ' ' << lanes;
    EXPECT_EQ(cost.ideal, ideal) << stride << ' ' << bytes << ' ' << lanes;
  }
}

TEST(GlobalCost, OfAStride) {
  struct {
    unsigned start, stride, bytes, lanes, sectors, ideal, cache_lines;
  } const cases[] = {{0, 4, 4, ~0u, 4, 4, 1},
                     {0, 8, 8, ~0u, 8, 8, 2},
                     {0, 16, 16, ~0u, 16, 16, 4},
                     {0, 1, 1, ~0u, 1, 1, 1},
                     {4, 4, 4, ~0u, 5, 4, 2},  // shifted by an element
                     {0, 8, 4, ~0u, 8, 4, 2},
                     {0, 128, 4, ~0u, 32, 4, 32},
                     {0, 0, 4, ~0u, 1, 1, 1},
                     // From byte 31 of a sector on a word takes up the next one, from 127 on the next
                     // cache line, too.
                     {28, 0, 4, 0b1, 1, 1, 1},
                     {31, 0, 4, 0b1, 2, 1, 1},
                     {127, 0, 4, 0b1, 2, 1, 2},
                     // Words that overlap: bytes 0 to 34 are touched, 128 are asked for.
                     {0, 1, 4, ~0u, 2, 4, 1}};
  for (const auto& [start, stride, bytes, lanes, sectors, ideal, cache_lines] : cases) {
    const auto of_lane = [=](unsigned lane) { return 4096 + start + stride * lane; };
    const GlobalCost cost = global_cost(addresses(of_lane), lanes, bytes);
    EXPECT_EQ(cost.sectors, sectors) << start << ' ' << stride << ' ' << bytes;
    EXPECT_EQ(cost.sectors_ideal, ideal) << start << ' ' << stride << ' ' << bytes;
    EXPECT_EQ(cost.cache_lines, cache_lines) << start << ' ' << stride << ' ' << bytes;
  }
}

// In any order of the lanes, with any number of banks, and of words that none lies in alone.
TEST(AccessCost, OfAddressesByHand) {
  const auto shared = [](std::uintptr_t (*of_lane)(unsigned), unsigned lanes, unsigned bytes,
                         unsigned banks) {
    return shared_cost(addresses(of_lane), lanes, bytes, banks).wavefronts;
  };
  EXPECT_EQ(shared([](unsigned lane) { return 4ul * (31 - lane); }, ~0u, 4, 32), 1u);
  EXPECT_EQ(shared([](unsigned lane) { return 4ul * lane; }, ~0u, 4, 16), 2u);
  EXPECT_EQ(shared([](unsigned lane) { return 128ul * (lane % 3); }, ~0u, 4, 32), 3u)
      << "three words of a bank";
  EXPECT_EQ(shared([](unsigned lane) { return 4ul * lane + 2; }, ~0u, 4, 32), 2u)
      << "words 0 and 32 are of one bank";
  const Addresses mixed = addresses([](unsigned lane) { return 4096ul + 64 * (lane * 7 % 5); });
  const GlobalCost cost = global_cost(mixed, ~0u, 4);
  EXPECT_EQ(cost.sectors, 5u);
  EXPECT_EQ(cost.sectors_ideal, 1u);
  EXPECT_EQ(cost.cache_lines, 3u);
  EXPECT_EQ(same_address_degree(mixed, ~0u), 7u) << "of 32 lanes 7 are at two of the five addresses";
  EXPECT_EQ(same_address_degree(mixed, 0b100001), 2u) << "lanes 0 and 5";
  EXPECT_EQ(same_address_degree(mixed, 0b11), 1u);
}

}  // namespace
}  // namespace redbench::simt
