// Ranges whose states lie side by side in memory: what is open in one is nothing of the next.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
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

// Pieces anywhere, looked for from anywhere, against a search of all bytes: the nearest open one less than
// 4096 bytes away, of two as near the lower, and all that is open around it.
TEST(ByteStates, TheNearestPieceIsThatOfASearch) {
  constexpr std::size_t bytes = 5 * page / 2;
  const std::vector<std::byte> memory(bytes);
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    ByteStates states(memory);
    std::vector<bool> open(bytes, false);
    for (int piece = 0; piece < 1 + round % 4; ++piece) {
      const std::size_t begin = random() % bytes, end = std::min(bytes, begin + 1 + random() % 200);
      states.set(memory.data() + begin, end - begin, piece % 2 ? ByteState::written : ByteState::unwritten);
      std::fill(open.begin() + std::ptrdiff_t(begin), open.begin() + std::ptrdiff_t(end), true);
    }
    for (std::size_t at = round % 7; at < bytes; at += 331) {
      std::size_t nearest = bytes;
      for (std::size_t place = 0; place < bytes; ++place) {
        const auto away = [at](std::size_t from) { return from < at ? at - from : from - at; };
        if (open[place] && away(place) < 4096 && (nearest == bytes || away(place) < away(nearest)))
          nearest = place;
      }
      const std::span<const std::byte> piece = states.piece_near(memory.data() + at);
      if (nearest == bytes) {
        ASSERT_TRUE(piece.empty()) << at;
        continue;
      }
      std::size_t begin = nearest, end = nearest;
      while (begin > 0 && open[begin - 1]) --begin;
      while (end < bytes && open[end]) ++end;
      ASSERT_EQ(piece.data(), memory.data() + begin) << at;
      ASSERT_EQ(piece.size(), end - begin) << at;
    }
  }
}

}  // namespace
}  // namespace redbench::simt
