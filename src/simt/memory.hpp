// Global memory of the modelled device: one range of addresses, so that an address alone says whether it is
// in it.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace redbench::simt {

/// Buffers with red zones around them, which writes out of bounds spoil.
class DeviceMemory {
 public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;

  /// 256-byte aligned. Throws DeviceError where there is no room.
  std::byte* allocate(std::size_t bytes);
  /// Returns the bytes of the buffer.
  std::size_t release(const void* memory);

  /// Throws DeviceError unless the bytes lie in one buffer.
  void check_range(const void* memory, std::size_t bytes, const char* what) const;

  /// Writes past either end of a buffer since the last call, as a sentence; empty where there were none.
  /// Repairs the red zones.
  std::string damage();

  std::size_t used() const { return used_; }

  /// Every address that a buffer may have.
  std::span<const std::byte> range() const { return {base_, capacity_}; }

 private:
  using Buffers = std::map<std::size_t, std::size_t>;  // bytes by start, an offset from the base
  void paint(const Buffers::value_type& buffer);
  std::string damage_of(const Buffers::value_type& buffer) const;

  std::byte* base_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  Buffers buffers_;
  std::map<std::size_t, std::size_t> holes_;  // end by begin
};

}  // namespace redbench::simt
