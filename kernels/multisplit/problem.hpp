// multisplit: keys[n], whose top bits are a bucket below m -> the keys of each bucket next to each other, buckets in their
// order, keys of a bucket in that of the input. Pairs: values[n] move with their keys. By bits it is a counting sort.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Bits of a key below those of its bucket, of m.
constexpr int bits_below_bucket(Index m) {
  return 32 - std::max(1, int(std::bit_width(std::uint64_t(m - 1))));
}

/// Nothing is reduced: the operator is `right`, as of gather and scatter.
template <class Op>
struct Multisplit {
  explicit Multisplit(const Operands& operands)
      : keys(static_cast<const u32*>(operands.labels)),
        values(static_cast<const u32*>(operands.values)),
        n(operands.n),
        m(operands.m),
        pairs(operands.form == 1),
        shift(bits_below_bucket(operands.m)),
        result(static_cast<u32*>(operands.result)) {}
  const u32* keys;    // [n]
  const u32* values;  // [n], of pairs
  Index n, m;
  bool pairs;   // else keys move alone
  int shift;    // key >> shift is its bucket
  u32* result;  // [n] keys, and behind them n values

  REDBENCH_HOST_DEVICE u32* result_values() const { return result + n; }
  double key_bytes() const { return double(n) * sizeof(u32); }
  double input_bytes() const { return pairs ? 2 * key_bytes() : key_bytes(); }
};
using MultisplitPairs = OperatorList<Right<u32>>;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
