// Flushes a GPU's L2 cache.
#pragma once

#include <cstddef>

namespace redbench {

class CacheFlush {
 public:
  /// Takes a buffer of twice `l2_bytes`. Throws DeviceError.
  explicit CacheFlush(std::size_t l2_bytes);
  ~CacheFlush();
  CacheFlush(const CacheFlush&) = delete;
  CacheFlush& operator=(const CacheFlush&) = delete;

  /// Enqueues kernels that overwrite the buffer and read it back. After writes alone the cache would be full
  /// of dirty lines, whose write-back would slow down what is timed next.
  void enqueue();

 private:
  void* buffer_ = nullptr;
  std::size_t bytes_;
  unsigned round_ = 0;
};

}  // namespace redbench
