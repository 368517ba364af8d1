// Cores that there seem to be, their page faults, and their widest registers.
#pragma once

#include <omp.h>
#include <sys/resource.h>

#include <fstream>
#include <string>

namespace redbench {

/// For as long as it lives this is the number of cores that there seem to be.
class Threads {
 public:
  explicit Threads(int count) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_ = omp_get_max_threads();
};

/// Page faults of the calling thread.
inline long faults() {
  rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

/// The bytes of the widest registers whose loads the system says that the CPU has.
inline std::string widest_by_the_system() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    line += ' ';
    return line.find(" avx512f ") != line.npos ? "64" : line.find(" avx2 ") != line.npos ? "32" : "16";
  }
  return "16";
}

}  // namespace redbench
