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

TEST(QueueSlot, ADeviceWithoutACostlyPlaceHasNone) {
  FakeQueue queue{1 << 20};
  EXPECT_FALSE(queue.find());
  EXPECT_EQ(queue.probes, 30 * QueueSlot::period);
}

}  // namespace
}  // namespace redbench
