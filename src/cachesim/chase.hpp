// How long memory accesses take on this machine: pointer chasing through pools of memory in random order
// (Eilers 2014, 2.4), sequential reads, scattered stores, and loops over labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/device/host.hpp"

namespace redbench {

struct Pool {
  std::size_t bytes = 0;  // over which the pointers are spread
  std::size_t step_bytes =
      64;  // between neighbours in memory; from a page on, each lies on another line of its
           // page, so that they do not compete for one set
  Pages pages = Pages::huge;
};

/// A pool of pointers that form one circle in random order. It takes a while to fill.
class Chase {
 public:
  /// Throws std::bad_alloc where there is no memory for it.
  explicit Chase(const Pool& pool);
  ~Chase();
  Chase(const Chase&) = delete;
  Chase& operator=(const Chase&) = delete;

  /// ns per access of so many concurrent walks (a power of two up to 32), each along its own part of the
  /// circle: one walk waits for every access, the accesses of several overlap. The minimum of some tries,
  /// which take about `seconds` together, after a walk that warms the caches up.
  double ns(int walks, double seconds) const;

 private:
  PagedMemory memory_;
  std::vector<void**> circle_;  // the slots at which each of its 32 parts begins
  std::size_t slots_;
};

/// ns per line of 64 bytes, of one core that reads `bytes` bytes in order.
double stream_ns(std::size_t bytes, double seconds);

/// ns per store of 4 bytes to random places of `bytes` bytes in huge pages; the stores are independent.
double scatter_ns(std::size_t bytes, double seconds);

/// The loop of Alg. 2.2 over labels, values and buckets that fit the first level. `dependent`: random labels,
/// to each of which (the bucket before AND zero) is added, so that its address waits for that bucket.
enum class TimedLoop : std::uint8_t { random_labels, equal_labels, dependent };
/// ns per input.
double loop_ns(TimedLoop loop, double seconds);

}  // namespace redbench
