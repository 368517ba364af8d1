// The costly place in a GPU's queue: found where it stands out, looked for again where it does not.
#include "src/measure/queue_slot.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

/// A queue whose place 2 costs 950 ns; the first `disturbed` probes take times in which nothing stands out.
struct FakeQueue {
  int disturbed;
  int probes = 0;

  std::optional<CostlyPlace> find() {
    return find_costly_place([this](int place) {
      const int probe = probes++;
      const double noise = probe % 3 * 32;
      if (probe < disturbed) return 5000 + 4000.0 * (probe % 2) + noise;
      return (place == 2 ? 5950 : 5000) + noise;
    });
  }
};

TEST(QueueSlot, TheCostlyPlaceIsFoundInFiveRounds) {
  FakeQueue queue{0};
  const std::optional<CostlyPlace> found = queue.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place, 2);
  EXPECT_NEAR(found->cost_ns, 950, 64);
  EXPECT_EQ(queue.probes, 5 * QueueSlot::period);
}

// Place 0 was taken without a word.
TEST(QueueSlot, WhereNothingStandsOutItIsProbedAgain) {
  FakeQueue queue{5 * QueueSlot::period};
  const std::optional<CostlyPlace> found = queue.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->place, 2);
  EXPECT_EQ(queue.probes, 15 * QueueSlot::period);
}

// What it costs is told against the place behind it, which is the first where the last is costly.
TEST(QueueSlot, ACostIsTheDifferenceToTheNextPlace) {
  struct {
    std::array<double, 4> ns;
    int place;
    double cost_ns;
  } const cases[] = {{{5950, 5010, 5000, 5020}, 0, 940},
                     {{5000, 5950, 5013, 5020}, 1, 937},
                     {{5000, 5010, 5950, 5025}, 2, 925},
                     {{5004, 5010, 5020, 5950}, 3, 946}};
  for (const auto& one : cases) {
    const std::optional<CostlyPlace> found =
        find_costly_place([&](int place) { return one.ns[std::size_t(place)]; });
    ASSERT_TRUE(found);
    EXPECT_EQ(found->place, one.place);
    EXPECT_EQ(found->cost_ns, one.cost_ns) << one.place;
  }
}

// By 100 ns and three times what the others differ by, here 20: the bound itself is enough.
TEST(QueueSlot, APlaceStandsOutByABound) {
  EXPECT_EQ(costly_place({5000, 5020, 5180, 5010}), 2);
  EXPECT_EQ(costly_place({5000, 5020, 5179, 5010}), std::nullopt);
  EXPECT_EQ(costly_place({5100, 5000, 5000, 5000}), 0);
  EXPECT_EQ(costly_place({5099, 5000, 5000, 5000}), std::nullopt);
  EXPECT_EQ(costly_place({5000, 5000, 5000, 5000}), std::nullopt);
}

TEST(QueueSlot, ADeviceWithoutACostlyPlaceHasNone) {
  FakeQueue queue{1 << 20};
  EXPECT_FALSE(queue.find());
  EXPECT_EQ(queue.probes, 30 * QueueSlot::period);
}

}  // namespace
}  // namespace redbench
