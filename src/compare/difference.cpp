#include "src/compare/difference.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "src/measure/stop_rule.hpp"

namespace redbench {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Moments {
  double mean = 0, variance = 0;
};

/// Of at least two values. The rounding of a clock of this step, step² / 12, is the least variance.
Moments moments_of(const std::vector<double>& values, double step) {
  Moments moments;
  const double count = double(values.size());
  for (const double value : values) moments.mean += value / count;
  for (const double value : values) moments.variance += std::pow(value - moments.mean, 2) / (count - 1);
  moments.variance = std::max(moments.variance, step * step / 12);
  return moments;
}

/// The tick of the clock, as a share of the median time of each series.
struct Ticks {
  double first, second;

  Ticks(const Samples& a, const Samples& b, double least_ns) {
    Samples both = a;
    both.insert(both.end(), b.begin(), b.end());
    const double tick = std::max(tick_of(joined(both)), least_ns);
    first = tick / median_of(joined(a)).value;
    second = tick / median_of(joined(b)).value;
  }
  /// Each median may be off by half a tick.
  double of_difference() const { return (first + second) / 2; }

 private:
  static std::vector<double> joined(const Samples& forks) {
    std::vector<double> all;
    for (const std::vector<double>& samples : forks) all.insert(all.end(), samples.begin(), samples.end());
    return all;
  }
};

std::vector<double> round_differences(const std::vector<double>& first, const std::vector<double>& second) {
  std::vector<double> differences;
  const std::size_t both = std::min(first.size(), second.size());
  for (std::size_t i = 0; i + 1 < both; ++i) differences.push_back(std::log(second[i] / first[i]));
  if (both > 0) differences.push_back(std::log(second.back() / first.back()));
  std::ranges::sort(differences);
  return differences;
}

std::vector<double> log_medians(const Samples& forks) {
  std::vector<double> medians;
  for (const std::vector<double>& samples : forks)
    if (!samples.empty()) medians.push_back(std::log(median_of(samples).value));
  return medians;
}

/// Welch and Satterthwaite: the degrees of freedom of a sum of two means' variances. Both are 0 where all
/// samples are alike.
double joint_freedom(double va, double fa, double vb, double fb) {
  return va + vb > 0 ? (va + vb) * (va + vb) / (va * va / fa + vb * vb / fb) : fa + fb;
}

double student_quantile(double freedom, double error) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(freedom), error / 2));
}

}  // namespace

bool Difference::is_finite() const {
  return std::isfinite(log_ratio) && std::isfinite(tick) && std::isfinite(standard_error) &&
         std::isfinite(freedom);
}

Interval Difference::interval(double error) const {
  Interval interval{-infinite, infinite};
  if (!of_one_process()) {
    const double half = student_quantile(freedom, error) * standard_error;
    interval = {log_ratio - half, log_ratio + half};
  } else if (const int rank = median_rank(int(rounds.size()), error); rank >= 0) {
    interval = {rounds[std::size_t(rank)], rounds[rounds.size() - 1 - std::size_t(rank)]};
  }
  return {std::min(interval.low, log_ratio - tick), std::max(interval.high, log_ratio + tick)};
}

double Difference::p() const {
  if (std::abs(log_ratio) <= tick) return 1;
  double tail = 0;
  if (of_one_process()) {  // the sign test
    const auto count = [this](auto fits) { return double(std::ranges::count_if(rounds, fits)); };
    const double fewer =
        std::min(count([](double d) { return d <= 0; }), count([](double d) { return d >= 0; }));
    tail = boost::math::cdf(boost::math::binomial(double(rounds.size()), 0.5), fewer);
  } else if (standard_error > 0) {
    const boost::math::students_t student(freedom);
    tail = boost::math::cdf(boost::math::complement(student, std::abs(log_ratio) / standard_error));
  }
  return std::min(1.0, 2 * tail);
}

std::optional<Difference> paired_difference(const Samples& first, const Samples& second, double tick_ns) {
  std::vector<std::vector<double>> forks;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i)
    if (std::vector<double> rounds = round_differences(first[i], second[i]); !rounds.empty())
      forks.push_back(std::move(rounds));
  if (forks.empty()) return std::nullopt;
  const Ticks ticks(first, second, tick_ns);
  const double tick = ticks.of_difference();
  if (forks.size() == 1)
    return Difference{.log_ratio = median_of(forks[0]).value, .tick = tick, .rounds = forks[0]};
  std::vector<double> medians;
  for (const std::vector<double>& rounds : forks) medians.push_back(median_of(rounds).value);
  const Moments moments = moments_of(medians, std::hypot(ticks.first, ticks.second));
  const double count = double(medians.size());
  return Difference{.log_ratio = moments.mean,
                    .tick = tick,
                    .standard_error = std::sqrt(moments.variance / count),
                    .freedom = count - 1};
}

std::optional<Difference> unpaired_difference(const Samples& first, const Samples& second, double tick_ns) {
  const std::vector<double> of_first = log_medians(first), of_second = log_medians(second);
  if (of_first.size() < 2 || of_second.size() < 2) return std::nullopt;
  const Ticks ticks(first, second, tick_ns);
  const Moments a = moments_of(of_first, ticks.first), b = moments_of(of_second, ticks.second);
  const double na = double(of_first.size()), nb = double(of_second.size());
  const double va = a.variance / na, vb = b.variance / nb;
  return Difference{.log_ratio = b.mean - a.mean,
                    .tick = ticks.of_difference(),
                    .standard_error = std::sqrt(va + vb),
                    .freedom = joint_freedom(va, na - 1, vb, nb - 1)};
}

std::optional<Difference> difference_of(const Difference& first, const Difference& second) {
  if (first.of_one_process() || second.of_one_process()) return std::nullopt;
  const double va = first.standard_error * first.standard_error,
               vb = second.standard_error * second.standard_error;
  return Difference{.log_ratio = second.log_ratio - first.log_ratio,
                    .tick = first.tick + second.tick,
                    .standard_error = std::sqrt(va + vb),
                    .freedom = joint_freedom(va, first.freedom, vb, second.freedom)};
}

double rejection_limit(std::vector<double> p, double rate) {
  std::ranges::sort(p);
  for (std::size_t i = p.size(); i > 0; --i)
    if (p[i - 1] <= rate * double(i) / double(p.size())) return p[i - 1];
  return -1;
}

std::vector<Judged> judge(const std::vector<std::optional<Difference>>& differences,
                          double threshold_percent) {
  const double threshold = std::log1p(threshold_percent / 100);
  // A ratio within the threshold is no finding: its p, however small, must not raise the limit of others.
  const auto p_of = [threshold](const Difference& difference) {
    return std::abs(difference.log_ratio) <= std::max(threshold, difference.least) ? 1 : difference.p();
  };
  std::vector<double> p;
  for (const std::optional<Difference>& difference : differences)
    if (difference) p.push_back(p_of(*difference));
  const double limit = rejection_limit(p, false_discoveries);
  const double rejected = double(std::ranges::count_if(p, [&](double value) { return value <= limit; }));
  std::vector<Judged> all(differences.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!differences[i]) continue;
    const Difference& difference = *differences[i];
    if (limit < 1 && p_of(difference) <= limit) {
      all[i] = {difference.log_ratio < 0 ? Verdict::faster : Verdict::slower,
                difference.interval(false_discoveries * rejected / double(p.size()))};
      continue;
    }
    all[i].interval = difference.interval(false_discoveries);
    if (!difference.of_one_process() && -threshold <= all[i].interval.low &&
        all[i].interval.high <= threshold)
      all[i].verdict = Verdict::same;
  }
  return all;
}

}  // namespace redbench
