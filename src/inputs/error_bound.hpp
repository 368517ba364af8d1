// A bound for the rounding error of a result.
#pragma once

#include "src/inputs/problem.hpp"

namespace redbench {

/// The relative error of k rounded operations in a row: gamma_k of Higham, Accuracy and Stability of
/// Numerical Algorithms, section 3.1. Infinite where k roundings may lose everything.
double gamma(double k, double unit);

/// Largest error of a result made from `terms` values, relative to Expected::magnitude. Each value of a sum
/// passes at most `chain` additions (0: not known), and never more than terms - 1 that round. A product's
/// terms - 1 roundings all reach the result whatever the order; a complex one is off by at most
/// sqrt(2) gamma_2 < 3 units in its modulus (Higham, lemma 3.5).
double rounding_error(const Pair& pair, Index terms, Index chain);

}  // namespace redbench
