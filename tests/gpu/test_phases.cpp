// Samples must not depend on their place in the GPU's queue (src/measure/queue_slot.hpp): with any number of
// launches before them, by anybody, medians of every fourth sample agree. REDBENCH_PHASES=FILE.csv keeps the
// samples.
#include <cstdlib>
#include <fstream>
#include <random>

#include "src/measure/sampling.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace redbench {
namespace {

constexpr int rounds = 200, places = 4;

/// A read of n words, then others of a page: as a reduction in so many launches.
struct Work {
  Index n;
  int launches;
  std::vector<double> samples = {};
  std::vector<int> before = {};  // launches since the last sample, modulo `places`
};

class Phases : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!gpu().device) return;
    memory_ = device().allocate(bytes);
    device().fill(memory_, 1, bytes);
  }
  void TearDown() override {
    if (memory_) device().release(memory_);
  }

  void read(std::size_t some) const { movers(device(), {.from = {{memory_, some}}}).front().enqueue(); }

  std::vector<Work> sampled() {
    std::vector<Work> works;
    for (const int power : {16, 18, 20, 22, 24})
      for (const int launches : {1, 2, 3}) works.push_back({Index(1) << power, launches});
    std::vector<Series> series;
    std::mt19937 random(1);
    for (Work& work : works)
      series.push_back({.sample = [this, &work, &random] {
        const int others = int(random() % places);
        for (int i = 0; i < others; ++i) read(4096);
        work.before.push_back(others);
        return gpu().meter->stopwatch()->sample(Mode::cold, false, [&] {
          read(std::size_t(work.n) * 4);
          for (int i = 1; i < work.launches; ++i) read(4096);
        });
      }});
    MeasureOptions options;
    options.min_samples = options.max_samples = rounds;
    sample_in_turn(series, options, 1, [](Series&, const std::string& why) { FAIL() << why; });
    for (std::size_t i = 0; i < works.size(); ++i) works[i].samples = series[i].samples;
    return works;
  }

 private:
  static constexpr std::size_t bytes = std::size_t(4) << 24;
  void* memory_ = nullptr;
};

/// Medians of the samples by a number from 0 to 3 for each.
template <class Phase>
std::vector<Median> by_phase(const Work& work, const Phase& phase) {
  std::vector<std::vector<double>> samples(places);
  for (std::size_t i = 0; i < work.samples.size(); ++i)
    samples[std::size_t(phase(i))].push_back(work.samples[i]);
  std::vector<Median> medians;
  for (const std::vector<double>& of : samples) medians.push_back(median_of(of));
  return medians;
}

int disjoint(const std::vector<Median>& medians) {
  int count = 0;
  for (std::size_t i = 0; i < medians.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      count += medians[i].low > medians[j].high || medians[j].low > medians[i].high;
  return count;
}

TEST_F(Phases, AreGone) {
  const std::vector<Work> works = sampled();
  int pairs = 0, apart = 0;
  for (const Work& work : works)
    for (const bool by_round : {true, false}) {
      const auto medians =
          by_phase(work, [&](std::size_t i) { return by_round ? int(i) % places : work.before[i]; });
      const int here = disjoint(medians);
      std::printf("n %9lld, %d launches, %s: %.0f %.0f %.0f %.0f ns, %d of 6 pairs apart\n",
                  static_cast<long long>(work.n), work.launches,
                  by_round ? "every fourth" : "launches before", medians[0].value, medians[1].value,
                  medians[2].value, medians[3].value, here);
      pairs += 6;
      apart += here;
    }
  std::printf("%d of %d pairs apart\n", apart, pairs);
  // Two intervals of 95 % of one median are apart in less than 1 % of the pairs.
  EXPECT_LE(apart, pairs / 20);

  if (const char* const path = std::getenv("REDBENCH_PHASES")) {
    std::ofstream file(path);
    file << "n,launches,round,before,ns\n";
    for (const Work& work : works)
      for (std::size_t i = 0; i < work.samples.size(); ++i)
        file << work.n << ',' << work.launches << ',' << i << ',' << work.before[i] << ',' << work.samples[i]
             << '\n';
    EXPECT_TRUE(file.flush()) << path;
  }
}

}  // namespace
}  // namespace redbench
