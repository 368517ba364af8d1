// How often a cell's inputs are copied for mode graph, and how many graphs share the copies out.
#include <gtest/gtest.h>

#include <tuple>

#include "src/cell/rotation.hpp"

namespace redbench {
namespace {

TEST(RotationSize, TwoCopiesAtLeastAndMoreThanFiveTimesTheL2) {
  constexpr std::size_t l2 = 1000, room = 1 << 30;
  EXPECT_EQ(rotation_size(1000, l2, room, 1).copies, 6u) << "five are not more";
  EXPECT_EQ(rotation_size(100'000, l2, room, 1).copies, 2u);
  EXPECT_TRUE(rotation_size(100'000, l2, room, 1).beyond_l2);
  EXPECT_EQ(rotation_size(100'000, l2, 99'999, 1).copies, 1u);
  EXPECT_FALSE(rotation_size(100'000, l2, 99'999, 1).beyond_l2) << "one is read again and again";
  EXPECT_EQ(rotation_size(0, l2, 0, 1).copies, 1u);
  EXPECT_FALSE(rotation_size(0, l2, 0, 1).beyond_l2);
}

TEST(RotationSize, LaunchesAreLimitedInAGraphAndInAll) {
  constexpr std::size_t l2 = 1 << 20, room = 1 << 30;
  const RotationSize size = rotation_size(16, l2, room, 4);
  EXPECT_EQ(size.copies, 4096u);
  EXPECT_EQ(size.graphs, 19u) << "225 runs each at most";
  EXPECT_FALSE(size.beyond_l2);
  EXPECT_EQ(size.first(0), 0u);
  EXPECT_EQ(size.first(19), 4096u);
  EXPECT_EQ(rotation_size(16, l2, room, 900).graphs, 18u) << "a run each";
}

TEST(RotationSize, IsTheLeastOfWhatIsWantedAndWhatThereIsRoomFor) {
  const auto size = [](std::size_t input, std::size_t l2, std::size_t room, std::size_t launches) {
    const RotationSize one = rotation_size(input, l2, room, launches);
    return std::tuple(one.copies, one.graphs, one.beyond_l2);
  };
  EXPECT_EQ(size(300, 1000, 1 << 20, 1), std::tuple(17u, 1u, true)) << "5000 / 300 are 16.7";
  EXPECT_EQ(size(300, 1000, 4500, 1), std::tuple(16u, 1u, false)) << "with the original 4800 bytes";
  EXPECT_EQ(size(300, 1000, 1 << 20, 0), std::tuple(17u, 1u, true));
  EXPECT_EQ(size(300, 1000, 1 << 20, 60), std::tuple(17u, 2u, true)) << "15 runs in a graph";
  EXPECT_EQ(size(300, 1000, 1 << 20, 450), std::tuple(17u, 9u, true)) << "2 runs in a graph";
  EXPECT_EQ(size(5000, 1000, 1 << 20, 7), std::tuple(2u, 1u, true));
  EXPECT_EQ(size(2500, 1000, 2500, 7), std::tuple(2u, 1u, false)) << "5000 are not more";
  EXPECT_EQ(size(2501, 1000, 2501, 7), std::tuple(2u, 1u, true));
}

}  // namespace
}  // namespace redbench
