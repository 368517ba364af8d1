// What is taken off each sample: the time of a sample in which nothing is done.
#include "src/measure/stopwatch.hpp"

#include <gtest/gtest.h>

#include "tests/fake_meter.hpp"

namespace redbench {
namespace {

/// A kernel of 5000 ns, whose events cost 1000 to 1030 ns; of its two launches each has events of its own.
class EventStopwatch : public Stopwatch {
 public:
  double sample(Mode, bool, const std::function<void()>& work) override {
    kernels_ = 0;
    work();
    return 5000 * kernels_ + 1000 + samples_++ % 31;
  }
  std::vector<double> sample_launches(Mode, const std::function<void()>&) override { return {4015, 1010}; }

  double kernels_ = 0;
  int samples_ = 0;
};

class Net : public testing::Test {
 protected:
  double sample(bool synchronizes = false) {
    raw_.samples_ = 0;
    return net_->sample(Mode::cold, synchronizes, [this] { raw_.kernels_ = 1; });
  }

  EventStopwatch& raw_ = *new EventStopwatch;
  const std::unique_ptr<Stopwatch> net_ = net_of_empty_samples(std::unique_ptr<Stopwatch>(&raw_));
};

TEST_F(Net, TheMedianOfEmptySamplesIsTakenOffOnce) {
  EXPECT_EQ(sample(), 6000) << "nothing is known yet";
  EXPECT_FALSE(net_->empty_sample());
  raw_.samples_ = 0;
  net_->calibrate(Mode::cold);
  ASSERT_TRUE(net_->empty_sample());
  EXPECT_EQ(net_->empty_sample()->value, 1015);
  EXPECT_EQ(net_->empty_sample()->low, 1009) << "the tenth of 31, by ranks";
  EXPECT_EQ(net_->empty_sample()->high, 1021);
  EXPECT_EQ(sample(), 4985);
  net_->calibrate(Mode::cold);
  EXPECT_EQ(sample(), 4985) << "an empty sample is raw";
}

TEST_F(Net, NothingIsTakenOffHostTimeAndNoTimeIsZero) {
  net_->calibrate(Mode::cold);
  EXPECT_EQ(sample(true), 6000);
  const double empty = net_->empty_sample()->value;
  EXPECT_EQ(net_->sample_launches(Mode::cold, {}), (std::vector<double>{4015 - empty, 0.1}));
}

}  // namespace
}  // namespace redbench
