// Work on all cores.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <exception>

namespace redbench {

/// Calls body(i) for each i below `count`, in any order, on no more threads than there are cores:
/// OMP_NUM_THREADS may be more than OpenMP survives. Throws what one of the calls has thrown.
template <class Body>
void in_parallel(std::size_t count, const Body& body) {
  const int threads = std::clamp(omp_get_max_threads(), 1, omp_get_num_procs());
  const std::size_t at_once = std::clamp<std::size_t>(count / 256, 1, 64);
  std::exception_ptr mistake;
#pragma omp parallel for schedule(dynamic, at_once) num_threads(threads)
  for (std::size_t i = 0; i < count; ++i) try {
      body(i);
    } catch (...) {
#pragma omp critical(redbench_in_parallel)
      mistake = std::current_exception();
    }
  if (mistake) std::rethrow_exception(mistake);
}

}  // namespace redbench
