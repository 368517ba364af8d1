// Zipf's distribution without a table of its probabilities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "src/inputs/words.hpp"

namespace redbench {

/// Ranks 1 to `most`, rank k with a probability like k^-exponent, exponent > 0. By rejection-inversion
/// (Hörmann and Derflinger 1996, "Rejection-inversion to generate variates from monotone discrete
/// distributions"): x is drawn with the density x^-exponent, whose integral H has an inverse, rounded to k,
/// and taken with the probability that makes up for the curve between k - 1/2 and k + 1/2. A draw with k - x
/// <= sure_ needs no test.
class Zipf {
 public:
  Zipf(double exponent, std::int64_t most)
      : exponent_(exponent),
        most_(most),
        low_(integral(1.5) - 1),
        high_(integral(double(most) + 0.5)),
        sure_(2 - inverse(integral(2.5) - density(2))) {}

  /// Draw number i, below 2^40.
  std::int64_t operator()(const Words& words, std::int64_t i) const {
    for (std::uint64_t attempt = 0;; ++attempt) {
      const std::uint64_t word = words[attempt << 40 | std::uint64_t(i)];
      const double area = high_ + double(word >> 11) * 0x1p-53 * (low_ - high_);
      const double x = inverse(area);
      const double k = std::clamp(std::floor(x + 0.5), 1.0, double(most_));
      if (k - x <= sure_ || area >= integral(k + 0.5) - density(k)) return std::int64_t(k);
    }
  }

 private:
  double density(double x) const { return std::exp(-exponent_ * std::log(x)); }

  /// H(x) = (x^(1 - s) - 1) / (1 - s), and log x where s = 1: (e^t - 1) / t log x with t = (1 - s) log x.
  double integral(double x) const {
    const double log_x = std::log(x), t = (1 - exponent_) * log_x;
    return (std::abs(t) > 1e-8 ? std::expm1(t) / t : 1 + t / 2) * log_x;
  }

  double inverse(double area) const {
    const double t = std::max(-1.0, area * (1 - exponent_));
    return std::exp((std::abs(t) > 1e-8 ? std::log1p(t) / t : 1 - t / 2) * area);
  }

  double exponent_;
  std::int64_t most_;
  double low_, high_, sure_;
};

}  // namespace redbench
