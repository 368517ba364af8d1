// Double-double arithmetic: a number is the unevaluated sum of two doubles (Dekker 1971; Knuth, TAOCP 2,
// section 4.2.2).
#pragma once

#include <cmath>

namespace redbench {

struct Wide {
  double high = 0, low = 0;
};

/// The exact sum of two doubles.
inline Wide two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// The same where |a| >= |b|, or a = 0.
inline Wide quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

inline Wide two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// Relative error at most 3 x 2^-106 (Joldes, Muller, Popescu 2017, algorithm 6).
inline Wide operator+(Wide x, Wide y) {
  Wide s = two_sum(x.high, y.high);
  const Wide t = two_sum(x.low, y.low);
  s = quick_two_sum(s.high, s.low + t.high);
  return quick_two_sum(s.high, s.low + t.low);
}

inline Wide operator-(Wide x) { return {-x.high, -x.low}; }

/// Relative error at most 2 x 2^-106 (the same, algorithm 9).
inline Wide operator*(Wide x, double y) {
  const Wide p = two_product(x.high, y);
  return quick_two_sum(p.high, std::fma(x.low, y, p.low));
}

/// Relative error at most 5 x 2^-106 (the same, algorithm 12).
inline Wide operator*(Wide x, Wide y) {
  const Wide p = two_product(x.high, y.high);
  return quick_two_sum(p.high, p.low + (std::fma(x.low, y.high, x.high * y.low)));
}

}  // namespace redbench
