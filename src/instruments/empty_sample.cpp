// The time of a sample in which nothing is done.
#include "src/instruments/instrument.hpp"

namespace redbench {
namespace {

const FieldRegistration registration("empty_sample",
                                     {{.name = "empty_sample_ns",
                                       .meaning = "a sample in which nothing is done, in the same cell",
                                       .null_where = "a device without time (`simt`)",
                                       .of_passed = true,
                                       .over_forks = OverForks::median}});

class EmptySample : public Instrument {
 public:
  using Instrument::Instrument;

  void start(std::vector<Series>&) override {
    std::vector<double> samples;
    for (int i = 0; i < 5; ++i) samples.push_back(sampling_.sample([] {}));
    ns_ = median_of(samples).value;
  }
  void stop(const SampledCase&, Record& record) override { record["empty_sample_ns"] = ns_; }

 private:
  double ns_ = 0;
};

}  // namespace

std::unique_ptr<Instrument> make_empty_sample(const Sampling& sampling) {
  return std::make_unique<EmptySample>(sampling);
}

}  // namespace redbench
