#include "src/measure/clock_check.hpp"

#include "src/measure/stop_rule.hpp"

namespace redbench {

ClockCheck::Action ClockCheck::judge(double mhz) {
  const bool slow =
      !readings_.empty() && mhz < least_share * median_of({readings_.begin(), readings_.end()}).value;
  if (slow && repeats_ < most_repeats) {
    ++repeats_;
    return Action::repeat;
  }
  readings_.push_back(mhz);
  if (readings_.size() > window) readings_.pop_front();
  repeats_ = 0;
  return slow ? Action::keep_slow : Action::keep;
}

}  // namespace redbench
