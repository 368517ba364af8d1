#include <chrono>

#include "src/measure/stopwatch.hpp"

namespace redbench {
namespace {

class HostStopwatch : public Stopwatch {
 public:
  explicit HostStopwatch(std::size_t cache_bytes) : words_(2 * cache_bytes / sizeof(u64)) {}

  double sample(Mode mode, bool, const std::function<void()>& work) override {
    if (mode == Mode::cold) flush();
    else if (mode == Mode::warm) work();
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  }

  std::vector<double> sample_launches(Mode mode, const std::function<void()>& work) override {
    return {sample(mode, false, work)};
  }

 private:
  /// Overwrites the buffer, then reads it back, so that no dirty line is written back while time is taken.
  /// All cores take part, as each has caches of its own.
  void flush() {
    const Index count = Index(words_.size());
    ++round_;
#pragma omp parallel for
    for (Index i = 0; i < count; ++i) words_[std::size_t(i)] = round_ + u64(i);
    u64 sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (Index i = 0; i < count; ++i) sum += words_[std::size_t(i)];
    read_back_ = sum;
  }

  std::vector<u64> words_;
  u64 round_ = 0;
  volatile u64 read_back_ = 0;  // keeps the reads from being optimised away
};

}  // namespace

std::unique_ptr<Stopwatch> make_host_stopwatch(std::size_t cache_bytes) {
  return std::make_unique<HostStopwatch>(cache_bytes);
}

}  // namespace redbench
