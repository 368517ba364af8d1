// The exact answer that every variant of a cell is compared with.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "src/inputs/problem.hpp"

namespace redbench {

/// Computed block by block at its first use. Kept where it is small or takes no more memory than the results,
/// else computed again for each use.
class ExactAnswer {
 public:
  ExactAnswer(const Pair& pair, std::unique_ptr<Reference> reference);

  /// Calls `visit` for each block in order, with the index of its first result, as long as it returns true.
  void each_block(const std::function<bool(Index first, const Expected&)>& visit);

  /// Whether a component of the exact answer, or an aligned word of four of its bytes, is all ones (-1, the largest u32): it
  /// would look like poison.
  bool has_all_ones();

  /// Results that were compared with this answer and found right, with the longest chain of operations that
  /// they were allowed, the largest error, and the largest that rounding explains.
  struct Right {
    HostBuffer results;
    Index chain = 0;
    double error = 0, bound = 0;
  };
  /// What was found right of the same bits and chain, where the answer is computed again for each use: to
  /// compare 2^26 scanned floats once more takes seconds. Null where nothing was.
  const Right* found_right(const void* results, Index chain) const;
  /// Remembers what found_right looks for, the last 512 MiB of results.
  void remember_right(const void* results, Index chain, double error, double bound);

 private:
  bool is_kept(const Expected& block) const;
  bool is_kept() const;

  const Pair& pair_;
  std::unique_ptr<Reference> reference_;
  std::vector<Expected> kept_;
  std::vector<Right> right_;
  std::optional<bool> has_all_ones_;
};

}  // namespace redbench
