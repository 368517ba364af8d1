#include "src/measure/stop_rule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace redbench {

double Median::noise_percent() const {
  if (!covered) return std::numeric_limits<double>::infinity();
  if (high == low) return 0;
  return 50 * (high - low) / value;
}

int median_rank(int count) {
  // P(Binomial(count, 1/2) <= r) stays within 2.5 % on either side. In logarithms: 2^-count leaves double's
  // range past 1074 samples.
  const double log_half = -count * std::log(2.0);
  double log_choose = 0, tail = 0;
  int rank = -1;
  for (int k = 0; k < count / 2; ++k) {
    tail += std::exp(log_choose + log_half);
    if (tail > 0.025) break;
    rank = k;
    log_choose += std::log(double(count - k)) - std::log(double(k + 1));
  }
  return rank;
}

Median median_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t count = samples.size();
  const int rank = median_rank(int(count));
  Median median;
  median.value = count % 2 ? samples[count / 2] : (samples[count / 2 - 1] + samples[count / 2]) / 2;
  median.covered = rank >= 0;
  median.low = samples[std::size_t(std::max(rank, 0))];
  median.high = samples[count - 1 - std::size_t(std::max(rank, 0))];
  return median;
}

Stop should_stop(const std::vector<double>& samples, double spent_s, const MeasureOptions& options) {
  if (samples.empty()) return Stop::no;
  const int count = int(samples.size());
  if (count >= options.min_samples && median_of(samples).noise_percent() <= options.max_noise)
    return Stop::precise;
  if (count >= options.max_samples) return Stop::max_samples;
  if (spent_s >= options.timeout_s) return Stop::timeout;
  return Stop::no;
}

}  // namespace redbench
