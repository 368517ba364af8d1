// What a kernel may do with each byte of global memory, byte by byte.
#include <gtest/gtest.h>

#include <memory>
#include <utility>
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
  /// Where the piece near an offset begins and ends.
  std::pair<std::size_t, std::size_t> near(std::size_t offset) const {
    const auto piece = states.piece_near(at(offset));
    if (piece.empty()) return {0, 0};
    return {std::size_t(piece.data() - at(0)), std::size_t(piece.data() + piece.size() - at(0))};
  }

 private:
  std::vector<std::byte> memory_;

 public:
  ByteStates states;
};

using Piece = std::pair<std::size_t, std::size_t>;

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

TEST(ByteStates, ThePieceAroundAnAddressOrTheNearestOne) {
  Range range(4 * page);
  range.open(100, 200);
  range.open(299, 340);
  range.open(4 * page - 50, 4 * page);
  for (const std::size_t inside : {100, 150, 199}) EXPECT_EQ(range.near(inside), Piece(100, 200)) << inside;
  EXPECT_EQ(range.near(0), Piece(100, 200)) << "what is before the range is not looked at";
  EXPECT_EQ(range.near(200), Piece(100, 200));
  EXPECT_EQ(range.near(249), Piece(100, 200)) << "50 bytes from both";
  EXPECT_EQ(range.near(250), Piece(299, 340));
  EXPECT_EQ(range.near(298), Piece(299, 340));
  EXPECT_EQ(range.near(4 * page - 51), Piece(4 * page - 50, 4 * page));
  EXPECT_EQ(range.near(4 * page - 1), Piece(4 * page - 50, 4 * page));
  // Nothing is nearer than a red zone is long: 4095 bytes from the last byte of the second piece.
  EXPECT_EQ(range.near(339 + 4095), Piece(299, 340));
  EXPECT_EQ(range.near(339 + 4096), Piece(0, 0));
  EXPECT_EQ(range.near(4 * page - 50 - 4095), Piece(4 * page - 50, 4 * page));
  EXPECT_EQ(range.near(4 * page - 50 - 4096), Piece(0, 0));
}

// The system likes to give several ranges side by side.
TEST(ByteStates, APieceEndsWithItsRange) {
  std::vector<std::unique_ptr<Range>> ranges;
  for (int i = 0; i < 4; ++i) {
    Range& range = *ranges.emplace_back(std::make_unique<Range>(page));
    range.open(0, 10);
    range.open(page - 30, page);
  }
  for (const auto& range : ranges) {
    EXPECT_EQ(range->near(page - 1), Piece(page - 30, page));
    EXPECT_EQ(range->near(0), Piece(0, 10));
  }
}

}  // namespace
}  // namespace redbench::simt
