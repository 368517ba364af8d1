// What one OS thread counts of several blocks, one after the other: nothing of a block is there in the next.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "src/simt/counting.hpp"
#include "tests/simt_support.hpp"

namespace redbench::simt {
namespace {

// Basic blocks, from the lowest address to the highest.
const char places[8] = {};

/// Each basic block in order: those that followed it, how often a warp entered it, left it, and parted.
std::string text_of(const Counted& counted) {
  std::string text;
  for (int place = 0; place < 8; ++place) {
    const auto found = counted.basic_blocks.find(places + place);
    if (found == counted.basic_blocks.end()) continue;
    const Counted::BasicBlock& block = found->second;
    text += std::to_string(place) + " >";
    for (const void* const next : block.successors)
      if (next) text += " " + std::to_string(static_cast<const char*>(next) - places);
    text += ": " + std::to_string(block.entered) + " " + std::to_string(block.exits) + " " +
            std::to_string(block.divergent) + "\n";
  }
  return text;
}

// Twice all lanes of two warps go from 0 to 1, and every other lane over 2; all end in 3. Then one lane of
// each warp alone goes elsewhere. Nothing follows 3: the threads of the next block have not come from there.
TEST(CountingBlocks, BeginAnew) {
  const auto device = modelled();
  const MakeWatch no_watch;
  const KernelCall call{reinterpret_cast<const void*>(test_kernels().at("indices").kernel),
                        nullptr,
                        nullptr,
                        {.blocks = 3, .threads = 64}};
  const Launch launch(call, device->facts(), Schedule{}, no_watch);
  LaunchSum sum;
  std::optional<CountingWatch> watch;
  watch.emplace(launch, std::span<const std::byte>(), nullptr, sum);
  const auto enter = [&](unsigned number, const std::vector<int>& blocks) {
    Thread thread;
    thread.number = number;
    for (const int block : blocks) watch->basic_block(thread, places + block);
  };
  for (const Index number : {0, 1}) {
    watch->start_block({number, 64, nullptr, 0, nullptr});
    for (unsigned thread = 0; thread < 64; ++thread)
      enter(thread, thread % 2 ? std::vector{0, 1, 3} : std::vector{0, 1, 2, 3});
    watch->end_block();
  }
  watch->start_block({2, 64, nullptr, 0, nullptr});
  enter(0, {4, 6});
  enter(63, {5, 6});
  watch->end_block();
  watch.reset();
  EXPECT_EQ(text_of(sum.counted),
            "0 > 1: 4 4 0\n"
            "1 > 2 3: 4 4 4\n"
            "2 > 3: 4 4 0\n"
            "3 >: 4 0 0\n"
            "4 > 6: 1 1 0\n"
            "5 > 6: 1 1 0\n"
            "6 >: 2 0 0\n");
}

}  // namespace
}  // namespace redbench::simt
