// The rates that label problems are compared with, on a GPU: plausible ones, and of what they claim to count.
#include <algorithm>
#include <numeric>

#include "src/measure/scattered.hpp"
#include "src/measure/stop_rule.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace redbench {
namespace {

class ScatteredOnGpu : public GpuTest {
 protected:
  /// Accesses per nanosecond: the median of some samples.
  static double rate(const Scatter& scatter, const std::function<void()>& work) {
    work();
    std::vector<double> samples;
    for (int i = 0; i < 9; ++i) samples.push_back(gpu().meter->stopwatch()->sample(Mode::cold, false, work));
    return double(scatter.accesses) / median_of(samples).value;
  }
};

TEST_F(ScatteredOnGpu, EachAccessAddsOne) {
  Scatter scatter{nullptr, 1000, 1'000'003};
  const std::size_t bytes = std::size_t(scatter.words) * sizeof(u32);
  scatter.memory = static_cast<u32*>(device().allocate(bytes));
  device().fill(scatter.memory, 0, bytes);
  const ScatteredAccesses accesses = scattered(device(), scatter);
  accesses.read();
  accesses.add();
  device().finish();
  std::vector<u32> words(std::size_t(scatter.words));
  device().download(words.data(), scatter.memory, bytes);
  device().release(scatter.memory);
  EXPECT_EQ(std::accumulate(words.begin(), words.end(), 0ull), 1'000'003u);
  EXPECT_GT(*std::ranges::min_element(words), 700u);
  EXPECT_LT(*std::ranges::max_element(words), 1300u);
}

TEST_F(ScatteredOnGpu, ReadsAreFasterThanAtomicsAndBothArePlausible) {
  for (const int power : {10, 24}) {
    Scatter scatter{nullptr, Index(1) << power, Index(1) << 26};
    const std::size_t bytes = std::size_t(scatter.words) * sizeof(u32);
    scatter.memory = static_cast<u32*>(device().allocate(bytes));
    device().fill(scatter.memory, 0, bytes);
    const ScatteredAccesses accesses = scattered(device(), scatter);
    const double reads = rate(scatter, accesses.read), atomics = rate(scatter, accesses.add);
    device().release(scatter.memory);
    std::printf("2^%d words: %.1f reads and %.1f atomics per ns\n", power, reads, atomics);
    EXPECT_GT(reads, atomics) << power;
    // No GPU does more than one access a clock in each of its lanes, nor fewer atomics than a few CPU cores.
    EXPECT_LT(reads, 2.0 * 32 * device().facts().multiprocessors) << power;
    EXPECT_GT(atomics, 0.2) << power;
    EXPECT_LT(atomics, 1000) << power;
  }
}

}  // namespace
}  // namespace redbench
