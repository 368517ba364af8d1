#include "src/inputs/error_bound.hpp"

#include <algorithm>
#include <limits>

namespace redbench {

double gamma(double k, double unit) {
  return k * unit < 1 ? k * unit / (1 - k * unit) : std::numeric_limits<double>::infinity();
}

double rounding_error(const Pair& pair, Index terms, Index chain) {
  const Index operations = std::max<Index>(terms - 1, 0);
  const bool product = traits_of(pair.op).arithmetic == Arithmetic::multiplication;
  const int each = product && pair.result->components == 2 ? 3 : 1;
  const Index in_a_row = product || chain == 0 ? operations : std::min(chain, operations);
  return gamma(double(each) * double(in_a_row), pair.result->unit);
}

}  // namespace redbench
