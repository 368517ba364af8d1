// Work on all cores.
#pragma once

#include <omp.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>

namespace redbench {

/// No more than there are cores: OMP_NUM_THREADS may be more than OpenMP survives.
inline int thread_count() { return std::clamp(omp_get_max_threads(), 1, omp_get_num_procs()); }

/// Calls body(i) for each i below `count`, in any order, on all cores. Throws what one of the calls has thrown.
template <class Body>
void in_parallel(std::size_t count, const Body& body) {
  const std::size_t at_once = std::clamp<std::size_t>(count / 256, 1, 64);
  std::exception_ptr mistake;
#pragma omp parallel for schedule(dynamic, at_once) num_threads(thread_count())
  for (std::size_t i = 0; i < count; ++i) try {
      body(i);
    } catch (...) {
#pragma omp critical(redbench_in_parallel)
      mistake = std::current_exception();
    }
  if (mistake) std::rethrow_exception(mistake);
}

/// Whether two pieces of memory have the same bytes.
inline bool equal_bytes(const void* a, const void* b, std::size_t bytes) {
  constexpr std::size_t piece = std::size_t(64) << 10;
  const auto* const of_a = static_cast<const std::byte*>(a);
  const auto* const of_b = static_cast<const std::byte*>(b);
  bool all = true;
#pragma omp parallel for reduction(&& : all) if (bytes > piece) num_threads(thread_count())
  for (std::size_t at = 0; at < bytes; at += piece)
    all = all && std::memcmp(of_a + at, of_b + at, std::min(piece, bytes - at)) == 0;
  return all;
}

/// Calls take(make(part)) for each part that `next` gives, until it gives none: `make` on all cores, `next` and
/// `take` in order, one call of either at a time. Throws what one of the calls has thrown.
template <class Next, class Make, class Take>
void in_order(const Next& next, const Make& make, const Take& take) {
  std::mutex mutex;
  std::condition_variable taken;
  std::size_t begun = 0, ended = 0;
  std::exception_ptr mistake;
#pragma omp parallel num_threads(thread_count())
  {
    std::unique_lock lock(mutex);
    try {
      while (!mistake) {
        auto part = next();
        if (!part) break;
        const std::size_t turn = begun++;
        lock.unlock();
        auto made = make(std::move(*part));
        lock.lock();
        taken.wait(lock, [&] { return mistake || ended == turn; });
        if (mistake) break;
        take(std::move(made));
        ++ended;
        taken.notify_all();
      }
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      mistake = std::current_exception();
      taken.notify_all();
    }
  }
  if (mistake) std::rethrow_exception(mistake);
}

}  // namespace redbench
