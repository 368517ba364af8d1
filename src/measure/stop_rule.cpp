#include "src/measure/stop_rule.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace redbench {
namespace {

double middle_of(const std::vector<double>& sorted) {
  const std::size_t count = sorted.size();
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

}  // namespace

double Median::noise_percent() const {
  if (!covered) return std::numeric_limits<double>::infinity();
  if (high == low) return 0;
  return 50 * (high - low) / value;
}

int median_rank(int count, double error) {
  // The largest r with P(Binomial(count, 1/2) <= r) <= error / 2. In logarithms, as 2^-count underflows past
  // 1074 samples.
  const double log_half = -count * std::log(2.0);
  double log_choose = 0, tail = 0;
  int rank = -1;
  for (int k = 0; k < count / 2; ++k) {
    tail += std::exp(log_choose + log_half);
    if (tail > error / 2) break;
    rank = k;
    log_choose += std::log(double(count - k)) - std::log(double(k + 1));
  }
  return rank;
}

Median median_of(std::vector<double> samples, double error) {
  std::sort(samples.begin(), samples.end());
  const int rank = median_rank(int(samples.size()), error);
  const std::size_t end = std::size_t(std::max(rank, 0));
  return {middle_of(samples), samples[end], samples[samples.size() - 1 - end], rank >= 0};
}

Median median_of_forks(const std::vector<double>& medians) {
  std::vector<double> sorted = medians;
  std::sort(sorted.begin(), sorted.end());
  const double count = double(sorted.size()), value = middle_of(sorted);
  if (sorted.size() < 2) return {value, value, value, false};
  double mean = 0, squares = 0;
  for (const double median : sorted) mean += median / count;
  for (const double median : sorted) squares += (median - mean) * (median - mean);
  const double quantile = boost::math::quantile(boost::math::students_t(count - 1), 1 - interval_error / 2);
  const double half = quantile * std::sqrt(squares / (count - 1) / count);
  // Few forks that are far apart would have a lower end below 0.
  return {value, std::clamp(mean - half, 0.0, value), std::max(value, mean + half), true};
}

std::vector<int> checkpoints(const MeasureOptions& options) {
  std::vector<int> counts;
  for (std::int64_t count = options.min_samples; count < options.max_samples; count *= 2)
    counts.push_back(int(count));
  counts.push_back(options.max_samples);
  return counts;
}

double error_of_a_look(const MeasureOptions& options) {
  return interval_error / double(checkpoints(options).size());
}

std::vector<double> in_tenths(std::vector<double> samples) {
  for (double& sample : samples) sample = std::round(sample * 10) / 10;
  return samples;
}

double tick_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  double tick = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double step = samples[i] - samples[i - 1];
    if (step > 0 && (tick == 0 || step < tick)) tick = step;
  }
  return tick;
}

Stop should_stop(const std::vector<double>& samples, double spent_s, const MeasureOptions& options) {
  if (samples.empty()) return Stop::no;
  const int count = int(samples.size());
  const std::vector<int> looks = checkpoints(options);
  if (std::find(looks.begin(), looks.end(), count) != looks.end() &&
      median_of(samples, error_of_a_look(options)).noise_percent() <= options.max_noise)
    return Stop::precise;
  if (count >= options.max_samples) return Stop::max_samples;
  if (spent_s >= options.timeout_s) return Stop::timeout;
  return Stop::no;
}

}  // namespace redbench
