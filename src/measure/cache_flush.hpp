// Empties a GPU's L2 cache of what the last run brought there.
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

  /// Enqueues: overwrites the buffer, then reads it back. After writes alone the cache is full of dirty
  /// lines, which would be written back at the cost of what is timed next.
  void enqueue();

 private:
  void* buffer_ = nullptr;
  std::size_t bytes_;
  unsigned round_ = 0;
};

}  // namespace redbench
