// The cost of one request of a warp: by hand for the patterns that kernels have, and of any pattern against
// sets of the words, sectors and lines that its bytes are in.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

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

/// Requests of all kinds: neighbours, strides, few addresses, any; of all lanes, some or one.
struct Request {
  Addresses addresses{};
  unsigned active, bytes;

  explicit Request(std::mt19937& random) : bytes(1u << random() % 5) {
    const std::uintptr_t start = 4096 + random() % 256,
                         stride = random() % 3 ? bytes * (random() % 9) : random() % 300;
    const unsigned kind = unsigned(random() % 4), range = 1 + unsigned(random() % 2000);
    for (unsigned lane = 0; lane < 32; ++lane) {
      // What inactive lanes hold is not looked at.
      addresses[lane] =
          kind == 0 ? start + random() % range : start + stride * (kind == 1 ? 31 - lane : lane);
    }
    active = random() % 3 ? unsigned(random()) : random() % 2 ? ~0u : 1u << random() % 32;
    if (active == 0) active = 4;
  }
  template <class Visit>
  void for_active(unsigned first, unsigned last, const Visit& visit) const {
    for (unsigned lane = first; lane <= last; ++lane)
      if (active >> lane & 1) visit(addresses[lane]);
  }
  /// Pieces of so many bytes in which a byte of the request lies.
  unsigned touched(unsigned piece) const {
    std::set<std::uintptr_t> all;
    for_active(0, 31, [&](std::uintptr_t address) {
      for (unsigned i = 0; i < bytes; ++i) all.insert((address + i) / piece);
    });
    return unsigned(all.size());
  }
};

TEST(AccessCost, OfGlobalMemoryIsTheSectorsAndLinesOfItsBytes) {
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    const Request request(random);
    std::map<std::uintptr_t, unsigned> sharing;
    request.for_active(0, 31, [&](std::uintptr_t address) { ++sharing[address]; });
    const GlobalCost cost = global_cost(request.addresses, request.active, request.bytes);
    ASSERT_EQ(cost.sectors, request.touched(32)) << round;
    ASSERT_EQ(cost.cache_lines, request.touched(128)) << round;
    ASSERT_EQ(cost.sectors_ideal, (sharing.size() * request.bytes + 31) / 32) << round;
    const auto most = std::ranges::max_element(sharing, {}, [](const auto& one) { return one.second; });
    ASSERT_EQ(same_address_degree(request.addresses, request.active), most->second) << round;
  }
}

// 32 lanes go together, 16 where each takes 8 bytes, and 8 where it takes 16; a bank gives one word at a
// time.
TEST(AccessCost, OfSharedMemoryIsTheWordsOfItsBusiestBanks) {
  std::mt19937 random(12);
  for (int round = 0; round < 2000; ++round) {
    const Request request(random);
    const unsigned banks = round % 3 == 0 ? 32 : round % 3 == 1 ? 16 : 1 + unsigned(random() % 32);
    const unsigned together = request.bytes == 16 ? 8 : request.bytes == 8 ? 16 : 32;
    std::size_t wavefronts = 0;
    unsigned groups = 0;
    for (unsigned first = 0; first < 32; first += together) {
      std::map<std::uintptr_t, std::set<std::uintptr_t>> words;
      request.for_active(first, first + together - 1, [&](std::uintptr_t address) {
        for (unsigned i = 0; i < request.bytes; ++i)
          words[(address + i) / 4 % banks].insert((address + i) / 4);
      });
      std::size_t most = 0;
      for (const auto& [bank, of_bank] : words) most = std::max(most, of_bank.size());
      wavefronts += most;
      groups += !words.empty();
    }
    const SharedCost cost = shared_cost(request.addresses, request.active, request.bytes, banks);
    ASSERT_EQ(cost.wavefronts, wavefronts) << round;
    ASSERT_EQ(cost.ideal, groups) << round;
  }
}

}  // namespace
}  // namespace redbench::simt
