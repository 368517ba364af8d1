// How long memory accesses take on this machine: a pool of pointers, each to another one of the pool in
// random order, and the mean time of a step (Eilers 2014, 2.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/device/host_pages.hpp"

namespace redbench {

struct Pool {
  std::size_t bytes = 0;        // over which the pointers are spread
  std::size_t step_bytes = 64;  // from one to the next in memory; of a page and more, each lies on another
                                // line of its page, so that they do not meet in a set
  Pages pages = Pages::huge;
};

/// A pool in memory, which takes a while to fill.
class Chase {
 public:
  /// Throws std::bad_alloc where there is no memory for it.
  explicit Chase(const Pool& pool);
  ~Chase();
  Chase(const Chase&) = delete;
  Chase& operator=(const Chase&) = delete;

  /// ns per access, of `walks` of them at once, each along another part of the circle: 1 waits for every
  /// access, more overlap; a power of two up to 32. The least of a few tries after a walk that fills the
  /// caches; together they take about `seconds`.
  double ns(int walks, double seconds) const;

 private:
  PagedMemory memory_;
  std::vector<void**> circle_;  // the slots at which each 32nd of it begins
  std::size_t slots_;
};

/// ns per line of 64 bytes of one core that reads `bytes` in order.
double stream_ns(std::size_t bytes, double seconds);

/// ns per store of 4 bytes, each to another place of `bytes` bytes in huge pages, none of which waits for
/// another.
double scatter_ns(std::size_t bytes, double seconds);

/// The loop of Alg. 2.2 over labels, values and buckets that fit the first level.
enum class LoopLabels : std::uint8_t { random, equal, dependent };
/// ns per input; `dependent`: of random labels, each added to (the bucket before AND a zero).
double loop_ns(LoopLabels labels, double seconds);

}  // namespace redbench
