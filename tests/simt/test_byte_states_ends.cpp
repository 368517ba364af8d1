// Ranges whose states lie side by side in memory: what is open in one is nothing of the next.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "src/simt/byte_states.hpp"

namespace redbench::simt {
namespace {

constexpr std::size_t page = 4096;

// Of the last byte the nearest open one is the range's own, 4086 bytes before it, and not the first of what
// lies behind.
TEST(ByteStates, TheNearestPieceIsOfTheSameRange) {
  const std::vector<std::byte> memory(page);
  std::vector<std::unique_ptr<ByteStates>> ranges;
  for (int i = 0; i < 6; ++i) {
    ranges.push_back(std::make_unique<ByteStates>(std::span(memory)));
    ranges.back()->set(memory.data(), 10, ByteState::unwritten);
  }
  for (const auto& range : ranges) {
    const std::span<const std::byte> piece = range->piece_near(memory.data() + page - 1);
    EXPECT_EQ(piece.data(), memory.data());
    EXPECT_EQ(piece.size(), 10u);
  }
}

}  // namespace
}  // namespace redbench::simt
