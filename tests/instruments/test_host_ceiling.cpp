// No variant on the CPU is faster than the ceiling that it is compared with, except for noise.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/instruments/instrument.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// A reduction by one core or all and the read ceiling of its cell, sampled in the same rounds: their rates
/// by pairs of one round, against what the same reduction twice shows of the noise. Warm, as a flush of the
/// cache takes a hundred times the time of a sample; the last-level cache is what all cores share.
class HostCeiling {
 public:
  HostCeiling(Index n, Index threads) : n_(n), parameters_{{"threads", threads}} {
    options_.min_samples = options_.max_samples = rounds;
    memory_ = host_->allocate(std::size_t(n) * sizeof(i32) + sizeof(i32));
    host_->fill(memory_, 1, std::size_t(n) * sizeof(i32));
    const std::vector<Instance>& instances =
        find_variant("reduce/cpu_openmp")->instances[std::size_t(Target::host)];
    instance_ = &*std::find_if(instances.begin(), instances.end(), [](const Instance& one) {
      return one.type == Type::i32 && one.op == Operator::sum;
    });
    Meter meter(*host_);
    const Sampling sampling{meter, Mode::warm, options_, {{memory_, std::size_t(n) * sizeof(i32)}}, 4};
    const std::unique_ptr<Instrument> ceilings = make_ceilings(sampling);
    for (int i = 0; i < 2; ++i)
      series_.push_back(
          {.sample = [&] { return meter.stopwatch()->sample(Mode::warm, false, [this] { reduce(); }); }});
    ceilings->start(series_);
    sample_in_turn(series_, options_, 1, [](Series&, const std::string& why) { FAIL() << why; });
  }
  ~HostCeiling() { host_->release(memory_); }

  /// Of the times of two series in the same round, the first over the second.
  Median ratio(std::size_t of, std::size_t to) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(series_[of].samples.size(), series_[to].samples.size()); ++i)
      ratios.push_back(series_[of].samples[i] / series_[to].samples[i]);
    return median_of(ratios);
  }
  std::size_t ceiling() const {
    return std::size_t(std::ranges::find(series_, "the ceiling (read)", &Series::name) - series_.begin());
  }

 private:
  static constexpr int rounds = 40;

  void reduce() const {
    Operands operands;
    operands.n = n_;
    operands.values = memory_;
    operands.result = static_cast<i32*>(memory_) + n_;
    const Footprint footprint;
    const std::vector<void*> scratch;
    CaseQueue queue(*host_, parameters_, footprint, scratch);
    instance_->run(queue, operands);
  }

  std::unique_ptr<Device> host_ = make_host();
  Index n_;
  Parameters parameters_;
  MeasureOptions options_;
  void* memory_;
  const Instance* instance_;
  std::vector<Series> series_;
};

/// The ceiling is slower than the reduction beyond doubt, and by more than two samples of one thing differ.
bool is_exceeded(int power, Index threads) {
  const HostCeiling cell(Index(1) << power, threads);
  const Median above = cell.ratio(cell.ceiling(), 0), noise = cell.ratio(1, 0);
  std::printf(
      "2^%d, %s: the ceiling takes %.3f (%.3f to %.3f) of the reduction's time, the reduction "
      "itself %.3f (%.3f to %.3f)\n",
      power, threads ? "one core" : "all cores", above.value, above.low, above.high, noise.value, noise.low,
      noise.high);
  return above.low > std::min(1.1, 1 + 2 * (noise.high - noise.low));
}

TEST(HostCeiling, IsNotExceededByOneCoreOrAll) {
  // The way of reading is chosen by a few samples, and a shared machine may take a core from all of them, or
  // from the ceiling's samples alone: a ceiling that is too low is so each time.
  constexpr int tries = 3;
  for (const int power : {22, 24})
    for (const Index threads : {1, 0}) {
      int exceeded = 0;
      while (exceeded < tries && is_exceeded(power, threads)) ++exceeded;
      EXPECT_LT(exceeded, tries) << "2^" << power << ", " << threads << " threads";
    }
}

}  // namespace
}  // namespace redbench
