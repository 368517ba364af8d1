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

// A store; 4 bytes are loaded alike.
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
    const SharedCost cost = shared_cost(addresses([stride](unsigned lane) { return 64 + stride * lane; }),
                                        lanes, bytes, 32, false);
    EXPECT_EQ(cost.wavefronts, wavefronts) << stride << ' ' << bytes << ' ' << lanes;
    EXPECT_EQ(cost.ideal, ideal) << stride << ' ' << bytes << ' ' << lanes;
  }
}

// As Nsight Compute counts them on an H100 for a ld.shared of one warp that nothing else disturbs:
// l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld and l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.
TEST(SharedCost, OfALoadOfWideWords) {
  const auto in_place = [](unsigned lane) { return lane; };
  const auto pairs = [](unsigned lane) { return lane / 2; };
  const auto two_of_four = [](unsigned lane) { return lane / 4 * 2 + lane % 2; };
  const auto four_of_eight = [](unsigned lane) { return lane / 8 * 4 + lane % 4; };
  const auto padded_tree = [](unsigned lane) { return 2 * lane + 1 + (2 * lane + 1) / 32; };
  const auto same = [](unsigned) { return 0u; };
  constexpr unsigned all = ~0u, every_other = 0x55555555, every_third = 0x92492492;
  struct {
    const char* what;
    unsigned bytes, lanes;
    std::function<unsigned(unsigned)> element;  // of `bytes` bytes
    unsigned wavefronts, conflicts;
  } const cases[] = {
      {"128 bytes for each half warp", 8, all, in_place, 2, 0},
      {"every other lane: both halves together, 128 bytes", 8, every_other, pairs, 1, 0},
      {"which need two words of half the banks", 8, every_other, in_place, 2, 1},
      {"lanes 0 and 1 of four: no two are two apart", 8, 0x33333333, two_of_four, 1, 0},
      {"lanes 0 to 3 of eight", 8, 0x0f0f0f0f, four_of_eight, 2, 0},
      {"a half by one rule and one by the other", 8, 0x33335555,
       [&](unsigned lane) { return lane < 16 ? pairs(lane) : two_of_four(lane); }, 2, 0},
      {"neighbours share", 8, all, pairs, 1, 0},
      {"but for lanes 0 and 1", 8, all, [](unsigned lane) { return lane == 1 ? 31 : lane / 2; }, 2, 0},
      {"lanes two apart share", 8, all, two_of_four, 1, 0},
      {"lanes four apart share", 8, all, four_of_eight, 2, 0},
      {"lanes of the two halves share", 8, all, [](unsigned lane) { return lane % 16; }, 2, 0},
      {"all share", 8, all, same, 1, 0},
      {"the tree of segreduce/matrix: words 30 and 62", 8, 1u << 15 | 1u << 31, in_place, 2, 1},
      {"lanes 0, 1 and 16", 8, 0x00010003, [](unsigned lane) { return lane % 14; }, 1, 0},
      {"lanes 0, 1, 2 and 16", 8, 0x00010007, [](unsigned lane) { return lane % 13; }, 2, 0},
      {"segreduce/tb2 with segments of 3: 22 banks", 8, every_third, padded_tree, 1, 0},
      {"128 bytes for each quarter warp", 16, all, in_place, 4, 0},
      {"every other lane: both quarters of a half together", 16, every_other, pairs, 2, 0},
      {"which need two words of half the banks", 16, every_other, in_place, 4, 2},
      {"no rule for the whole warp", 16, 0x33335555,
       [&](unsigned lane) { return lane < 16 ? pairs(lane) : two_of_four(lane); }, 4, 0},
      {"every other lane of one half alone", 16, 0xffff5555,
       [](unsigned lane) { return lane < 16 ? lane / 2 : lane - 8; }, 4, 0},
      {"all share", 16, all, same, 2, 0},
      {"lanes 0 and 8", 16, 0x00000101, [](unsigned lane) { return lane / 8; }, 1, 0},
      {"lanes 0 and 16", 16, 0x00010001, [](unsigned lane) { return lane / 16; }, 2, 0},
      {"five or six lanes of a half, two words of 16 banks", 16, every_third, padded_tree, 4, 2}};
  for (const auto& [what, bytes, lanes, element, wavefronts, conflicts] : cases) {
    const SharedCost cost = shared_cost(
        addresses([&](unsigned lane) { return 4096 + bytes * element(lane); }), lanes, bytes, 32, true);
    EXPECT_EQ(cost.wavefronts, wavefronts) << what;
    EXPECT_EQ(cost.wavefronts - cost.ideal, conflicts) << what;
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
    return shared_cost(addresses(of_lane), lanes, bytes, banks, true).wavefronts;
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
