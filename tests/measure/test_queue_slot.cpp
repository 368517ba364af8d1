// The costly slot of a GPU's launch queue: found where it stands out, probed again where it does not.
#include "src/measure/queue_slot.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

/// A queue whose slot 2 costs 950 ns; the first `disturbed` probes take times in which nothing stands out.
struct FakeQueue {
  int disturbed;
  int probes = 0;

  std::optional<CostlySlot> find() {
    return find_costly_slot([this](int slot) {
      const int probe = probes++;
      const double noise = probe % 3 * 32;
      if (probe < disturbed) return 5000 + 4000.0 * (probe % 2) + noise;
      return (slot == 2 ? 5950 : 5000) + noise;
    });
  }
};

TEST(QueueSlot, TheCostlySlotIsFoundInFiveRounds) {
  FakeQueue queue{0};
  const std::optional<CostlySlot> found = queue.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slot, 2);
  EXPECT_NEAR(found->cost_ns, 950, 64);
  EXPECT_EQ(queue.probes, 5 * QueueSlot::period);
}

TEST(QueueSlot, WhereNothingStandsOutItIsProbedAgain) {
  FakeQueue queue{5 * QueueSlot::period};
  const std::optional<CostlySlot> found = queue.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->slot, 2);
  EXPECT_EQ(queue.probes, 15 * QueueSlot::period);
}

// The cost is the difference to the slot behind it, which is the first where the last is costly.
TEST(QueueSlot, ACostIsTheDifferenceToTheNextSlot) {
  struct {
    std::array<double, 4> ns;
    int slot;
    double cost_ns;
  } const cases[] = {{{5950, 5010, 5000, 5020}, 0, 940},
                     {{5000, 5950, 5013, 5020}, 1, 937},
                     {{5000, 5010, 5950, 5025}, 2, 925},
                     {{5004, 5010, 5020, 5950}, 3, 946}};
  for (const auto& row : cases) {
    const std::optional<CostlySlot> found =
        find_costly_slot([&](int slot) { return row.ns[std::size_t(slot)]; });
    ASSERT_TRUE(found);
    EXPECT_EQ(found->slot, row.slot);
    EXPECT_EQ(found->cost_ns, row.cost_ns) << row.slot;
  }
}

// By 100 ns and three times what the others differ by, here 20: the bound itself is enough.
TEST(QueueSlot, ASlotIsCostlyByABound) {
  EXPECT_EQ(costly_slot({5000, 5020, 5180, 5010}), 2);
  EXPECT_EQ(costly_slot({5000, 5020, 5179, 5010}), std::nullopt);
  EXPECT_EQ(costly_slot({5100, 5000, 5000, 5000}), 0);
  EXPECT_EQ(costly_slot({5099, 5000, 5000, 5000}), std::nullopt);
  EXPECT_EQ(costly_slot({5000, 5000, 5000, 5000}), std::nullopt);
}

TEST(QueueSlot, ADeviceWithoutACostlySlotHasNone) {
  FakeQueue queue{1 << 20};
  EXPECT_FALSE(queue.find());
  EXPECT_EQ(queue.probes, 30 * QueueSlot::period);
}

}  // namespace
}  // namespace redbench
