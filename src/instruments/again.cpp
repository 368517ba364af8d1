// Samples each case a second time in every round: two series of one kernel, which differ by chance alone.
#include "src/instruments/instrument.hpp"

namespace redbench {
namespace {

const FieldRegistration registration(
    "again", {{.name = "again_ns",
               .kind = FieldKind::list,
               .meaning = "a second series of samples of the same case in the same rounds, as `samples_ns`",
               .null_where = "`measure.twice` is off, or a device without time",
               .of_passed = true,
               .over_forks = OverForks::list}});

class Again : public Instrument {
 public:
  using Instrument::Instrument;

  void start(std::vector<Series>& series) override {
    series_ = &series;
    first_ = series.size();
    for (std::size_t i = 0; i < sampling_.cases; ++i)
      series.push_back({.sample = series[i].sample, .name = series[i].name + ", again"});
  }

  void stop(const SampledCase& sampled, Record& record) override {
    for (std::size_t i = 0; i < sampling_.cases; ++i)
      if ((*series_)[i].of_case == sampled.place)
        record["again_ns"] = Json::array({in_tenths((*series_)[first_ + i].samples)});
  }
  /// The last round may take its sample after the case's own.
  bool disturbs() const override { return true; }

 private:
  const std::vector<Series>* series_ = nullptr;
  std::size_t first_ = 0;
};

}  // namespace

std::unique_ptr<Instrument> make_again(const Sampling& sampling) {
  return sampling.options.twice ? std::make_unique<Again>(sampling) : nullptr;
}

}  // namespace redbench
