// The clock that the SMs had before each sample, by their cycles; samples at a low one are taken again.
#include <map>

#include "src/instruments/instrument.hpp"
#include "src/measure/clock_check.hpp"

namespace redbench {
namespace {

constexpr const char* unread = "not a GPU";

const FieldRegistration registration(
    "sm_clock",
    {{.name = "sm_clock_mhz",
      .meaning = "the median clock just before the samples: SM cycles over the GPU's own timer",
      .null_where = unread,
      .of_passed = true,
      .over_forks = OverForks::median},
     {.name = "samples_repeated",
      .kind = FieldKind::whole,
      .meaning = "samples that were dropped and taken again, as the clock before them was below 97 % of "
                 "the cell's",
      .null_where = unread,
      .of_passed = true,
      .over_forks = OverForks::sum},
     {.name = "samples_slow",
      .kind = FieldKind::whole,
      .meaning = "samples that were kept although the clock was so low, each after three repeats",
      .null_where = unread,
      .of_passed = true,
      .over_forks = OverForks::sum}});

class SmClock : public Instrument {
 public:
  using Instrument::Instrument;

  bool repeats(const Case& case_) override {
    const std::optional<double> mhz = sampling_.meter.stopwatch()->clock_mhz();
    if (!mhz) return false;
    Seen& seen = seen_[&case_];
    const ClockCheck::Action action = check_.judge(*mhz);
    seen.repeated += action == ClockCheck::Action::repeat;
    seen.slow += action == ClockCheck::Action::keep_slow;
    if (action != ClockCheck::Action::repeat) seen.mhz.push_back(*mhz);
    return action == ClockCheck::Action::repeat;
  }

  void stop(const SampledCase& sampled, Record& record) override {
    const auto found = seen_.find(&sampled.case_);
    if (found == seen_.end()) return;
    record["sm_clock_mhz"] = median_of(found->second.mhz).value;
    record["samples_repeated"] = found->second.repeated;
    record["samples_slow"] = found->second.slow;
  }

 private:
  struct Seen {
    std::vector<double> mhz;  // of the samples that were kept
    int repeated = 0, slow = 0;
  };
  ClockCheck check_;
  std::map<const Case*, Seen> seen_;
};

}  // namespace

std::unique_ptr<Instrument> make_sm_clock(const Sampling& sampling) {
  return std::make_unique<SmClock>(sampling);
}

}  // namespace redbench
