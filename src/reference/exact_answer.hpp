// The answer that every variant of a cell is compared with.
#pragma once

#include <functional>
#include <optional>

#include "src/inputs/problem.hpp"

namespace redbench {

/// Calculated at the first use, block by block. Kept where it takes no more memory than the results do or is
/// small, calculated anew for each use where not.
class ExactAnswer {
 public:
  ExactAnswer(const Pair& pair, std::unique_ptr<Reference> reference);

  /// Calls `visit` with the number of a block's first result and the block, in order, as long as it returns
  /// true.
  void each_block(const std::function<bool(Index first, const Expected&)>& visit);

  /// Whether a result of the exact answer has all bits set somewhere: -1, or the largest u32.
  bool has_all_ones();

 private:
  bool is_kept(const Expected& block) const;

  const Pair& pair_;
  std::unique_ptr<Reference> reference_;
  std::vector<Expected> kept_;
  std::optional<bool> has_all_ones_;
};

}  // namespace redbench
