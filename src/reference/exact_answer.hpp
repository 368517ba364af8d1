// The exact answer that every variant of a cell is compared with.
#pragma once

#include <functional>
#include <optional>

#include "src/inputs/problem.hpp"

namespace redbench {

/// Computed block by block at its first use. Kept where it is small or takes no more memory than the results,
/// else computed again for each use.
class ExactAnswer {
 public:
  ExactAnswer(const Pair& pair, std::unique_ptr<Reference> reference);

  /// Calls `visit` for each block in order, with the index of its first result, as long as it returns true.
  void each_block(const std::function<bool(Index first, const Expected&)>& visit);

  /// Whether the exact answer has four bytes of ones in a row (-1, the largest u32): it would look like
  /// poison.
  bool has_all_ones();

 private:
  bool is_kept(const Expected& block) const;

  const Pair& pair_;
  std::unique_ptr<Reference> reference_;
  std::vector<Expected> kept_;
  std::optional<bool> has_all_ones_;
};

}  // namespace redbench
