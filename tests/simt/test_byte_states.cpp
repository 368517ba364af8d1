// What a kernel may do with each byte of global memory, byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "src/simt/byte_states.hpp"

namespace redbench::simt {
namespace {

constexpr std::size_t page = 4096;

/// A range of addresses, of which only the states are looked at.
class Range {
 public:
  explicit Range(std::size_t bytes) : memory_(bytes), states({memory_.data(), bytes}) {}
  const std::byte* at(std::size_t offset) const { return memory_.data() + offset; }
  void open(std::size_t begin, std::size_t end) { states.set(at(begin), end - begin, ByteState::unwritten); }

 private:
  std::vector<std::byte> memory_;

 public:
  ByteStates states;
};

TEST(ByteStates, StartForbiddenAndAreThoseThatAreSet) {
  Range range(page);
  range.states.set(range.at(10), 5, ByteState::unwritten);
  range.states.set(range.at(12), 2, ByteState::written);
  range.states.set(range.at(30), 0, ByteState::written);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(range.states.all_at_least(range.at(i), 1, ByteState::unwritten), i >= 10 && i < 15) << i;
    EXPECT_EQ(range.states.all_at_least(range.at(i), 1, ByteState::written), i == 12 || i == 13) << i;
    EXPECT_TRUE(range.states.all_at_least(range.at(i), 1, ByteState::forbidden) || i < 10 || i >= 15) << i;
  }
}

// Of any length and at any offset, though eight bytes are looked at together where they can be.
TEST(ByteStates, AWriteIsOfItsBytesAlone) {
  for (std::size_t first = 16; first < 25; ++first)
    for (std::size_t count = 1; count <= 19; ++count) {
      Range range(page);
      range.open(0, page);
      range.states.write(range.at(first), count);
      for (std::size_t i = 8; i < 56; ++i)
        ASSERT_EQ(range.states.all_at_least(range.at(i), 1, ByteState::written),
                  i >= first && i < first + count)
            << first << ' ' << count << ' ' << i;
    }
}

TEST(ByteStates, EachByteOfAnAccessIsAsked) {
  Range range(page);
  for (const ByteState asked : {ByteState::unwritten, ByteState::written}) {
    const auto one_less = ByteState(int(asked) - 1);
    range.states.set(range.at(0), page, asked);
    for (std::size_t first = 16; first < 25; ++first)
      for (std::size_t count = 1; count <= 19; ++count)
        for (std::size_t i = 8; i < 56; ++i) {
          range.states.set(range.at(i), 1, one_less);
          ASSERT_EQ(range.states.all_at_least(range.at(first), count, asked), i < first || i >= first + count)
              << int(asked) << ' ' << first << ' ' << count << ' ' << i;
          range.states.set(range.at(i), 1, asked);
        }
  }
}

TEST(ByteStates, ARangeHasItsFirstByteAndNotTheOneBehindItsLast) {
  const Range range(page);
  EXPECT_FALSE(range.states.contains(range.at(0) - 1));
  EXPECT_TRUE(range.states.contains(range.at(0)));
  EXPECT_TRUE(range.states.contains(range.at(page - 1)));
  EXPECT_FALSE(range.states.contains(range.at(page)));
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
